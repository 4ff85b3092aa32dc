import { describe, expect, test } from "vitest";
import { densityOf } from "../../../src/density/density-of.js";
import { mixture } from "../../../src/density/mixtures/mixture.js";
import { modelArrays } from "../../../src/density/model-files/model-arrays.js";
import {
  decodeModel,
  describeModel,
  encodeModel,
} from "../../../src/density/model-files/model-file.js";
import { requirePatchModel } from "../../../src/density/model-files/model.js";
import type { AnyMixture } from "../../../src/density/mixtures/mixture.js";
import { affine } from "../../../src/transforms/affine.js";
import { cascade } from "../../../src/transforms/cascade.js";
import {
  type Change,
  changed,
  damageOf,
  putTogether,
  refusalOf,
  takeApart,
  tensorValues,
} from "../../support/damaged-model.js";
import { expectSameBits } from "../../support/expect-close.js";
import { expectError } from "../../support/expect-error.js";
import { referenceRunner } from "../../support/inline-runners.js";
import { component, everyMixture, plainMixture, symmetric } from "../../support/mixtures.js";
import { about } from "../../support/models.js";

describe("a mixture is read back as it was written", () => {
  test.each(everyMixture())("%s", async (_, transform) => {
    const model = { transform: transform as AnyMixture, about };
    const bytes = encodeModel(model);
    const read = decodeModel(bytes);
    expect(read).toEqual(model);
    expectSameBits(encodeModel(read), bytes);
    const x = Float64Array.from({ length: 4 * transform.dimension }, (__, k) => Math.cos(k));
    const [before, after] = await Promise.all(
      [model, read].map((each) => densityOf(each, referenceRunner).logProb(x)),
    );
    expectSameBits(after, before);
  });
});

const small = (shift: number) => affine({ dimension: 3, shift: [shift, 0, -0.5] });
const nested = mixture({
  components: [symmetric(mixture({ components: [small(1), small(2)] }), true), component("a", 3)],
  weights: Float32Array.of(0.7, 0.3),
});
const soundFile = encodeModel({ transform: nested, about: {} });
const described = (file = soundFile): Record<string, unknown> =>
  JSON.parse(takeApart(file).metadata.transform) as Record<string, unknown>;

test("the description nests, stages are numbered through, and weights are tensors", () => {
  expect(describeModel({ transform: nested, about: {} }).transform).toEqual({
    kind: "mixture",
    components: [
      {
        kind: "symmetric-mixture",
        side: 2,
        removeMean: true,
        density: {
          kind: "mixture",
          components: [
            { kind: "affine", dimension: 3 },
            { kind: "affine", dimension: 3 },
          ],
        },
      },
      {
        kind: "cascade",
        stages: [
          { kind: "affine", dimension: 3 },
          { kind: "gdn", structure: "general", dimension: 3, H: "matrix" },
        ],
      },
    ],
  });
  const parts = takeApart(soundFile);
  expect(tensorValues(parts, "mixtures.0.weights")).toEqual([0.7, 0.3].map(Math.fround));
  expect(tensorValues(parts, "mixtures.2.weights")).toEqual([0.5, 0.5]);
  expect(tensorValues(parts, "stages.1.shift")).toEqual([2, 0, -0.5]);
  expect(parts.entries["stages.3.gamma"].shape).toEqual([3, 3]);
  const arrays = modelArrays({ transform: nested, about: {} });
  expect(Object.keys(arrays)).toEqual(expect.arrayContaining(["mixtures.0.weights", "metadata"]));
});

/** Changes the described transform in place. */
const withTransform =
  (change: (transform: Record<string, unknown>) => unknown): Change =>
  (parts) => {
    const transform = described();
    change(transform);
    parts.metadata.transform = JSON.stringify(transform);
  };
const withWeights =
  (...values: number[]): Change =>
  (parts) => {
    const [begin] = parts.entries["mixtures.0.weights"].data_offsets;
    const view = new DataView(parts.data.buffer);
    values.forEach((value, k) => {
      view.setFloat32(begin + 4 * k, value, true);
    });
  };
const list = (transform: Record<string, unknown>) =>
  transform.components as Record<string, unknown>[];

describe("damaged mixtures", () => {
  const the = "the components of transform";
  const density = "the density of a symmetric mixture";
  const first = "transform.components[0]";
  test.each<readonly [string, Change, string]>([
    ["a negative weight", withWeights(1.5, -0.5), "weights[1]"],
    ["a weight that is no number", withWeights(NaN), "weights[0]"],
    ["weights that do not sum to 1", withWeights(0.7, 0.2), "the weights of a mixture"],
    ["no components", withTransform((t) => (t.components = [])), the],
    ["components that are no list", withTransform((t) => (t.components = 2)), the],
    [
      "a component that is no object",
      withTransform((t) => list(t).splice(1, 1, 7 as never)),
      "transform.components[1]",
    ],
    ["unknown fields", withTransform((t) => (t.weights = [1])), "transform"],
    ["another side", withTransform((t) => (list(t)[0].side = 3)), density],
    [
      "a side that is no number",
      withTransform((t) => (list(t)[0].side = "2")),
      "the side of a patch",
    ],
    ["a mean that is not removed", withTransform((t) => (list(t)[0].removeMean = false)), density],
    [
      "no word on the mean",
      withTransform((t) => delete list(t)[0].removeMean),
      `${first}.removeMean`,
    ],
    ["no density", withTransform((t) => delete list(t)[0].density), `${first}.density`],
    ["one component too few", withTransform((t) => list(t).pop()), "every tensor"],
    [
      "one component too many",
      withTransform((t) => list(t).push({ kind: "affine", dimension: 3 })),
      "the file",
    ],
    [
      "an unknown kind",
      withTransform((t) => (list(t)[1] = { kind: "product" })),
      "stage 2: its kind",
    ],
    [
      "a cascade of whole images",
      withTransform((t) => (list(t)[1] = { kind: "image-cascade", stride: 1, stages: [] })),
      "stage 2: its kind",
    ],
    ["no weights", (parts) => delete parts.entries["mixtures.0.weights"], "the data"],
    [
      "weights of another shape",
      (parts) => (parts.entries["mixtures.2.weights"].shape = [2, 1]),
      "mixtures.2.weights",
    ],
    [
      "weights that are no floats",
      (parts) => (parts.entries["mixtures.0.weights"].dtype = "I32"),
      "mixtures.0.weights",
    ],
  ])("%s", (_, change, damage) => {
    expect(damageOf(changed(change, soundFile))).toBe(damage);
  });

  test("missing weights are named", () => {
    const renamed = changed((parts) => {
      parts.entries["mixtures.1.weights"] = parts.entries["mixtures.2.weights"];
      delete parts.entries["mixtures.2.weights"];
    }, soundFile);
    expect(refusalOf(renamed)).toMatch(/have the tensor mixtures\.2\.weights/);
  });

  test("components of different dimensions", () => {
    const components = [1, 2].map((dimension) => ({ kind: "affine", dimension }));
    const transform = JSON.stringify({ kind: "mixture", components });
    const shapes = { "stages.0.scale": 1, "stages.0.shift": 1, "stages.1.scale": 2 };
    let end = 0;
    const entries = Object.fromEntries(
      Object.entries({ ...shapes, "stages.1.shift": 2, "mixtures.0.weights": 2 }).map(
        ([name, length]) => {
          const offsets: [number, number] = [end, (end += 4 * length)];
          return [name, { dtype: "F32", shape: [length], data_offsets: offsets }];
        },
      ),
    );
    const data = new Uint8Array(new Float32Array(end / 4).fill(0.5).buffer);
    const metadata = { format: "gaussianize", version: "1", transform };
    expect(damageOf(putTogether({ metadata, entries, data }))).toBe("component 1");
  });

  test("nesting that is too deep, and too many stages", () => {
    const nest = (levels: number) => {
      let transform: unknown = { kind: "affine", dimension: 3 };
      for (let k = 0; k < levels; k++) {
        transform = { kind: "symmetric-mixture", side: 2, removeMean: true, density: transform };
      }
      return changed((parts) => (parts.metadata.transform = JSON.stringify(transform)), soundFile);
    };
    expect(refusalOf(nest(9))).toMatch(/nested at most 8 deep/);
    expect(refusalOf(nest(500))).toMatch(/nested at most 32 deep/);
    const stages = new Array(2100).fill({ kind: "affine", dimension: 3 });
    const components = [1, 2].map(() => ({ kind: "cascade", stages }));
    const many = changed(
      (parts) => (parts.metadata.transform = JSON.stringify({ kind: "mixture", components })),
      soundFile,
    );
    expect(refusalOf(many)).toMatch(/at most 4096 stages in total but received 4200/);
  });
});

test("a record without the defaults of its constructor is written completely", () => {
  const density = affine({ dimension: 4, shift: [1, 2, 3, 4] });
  const record = { kind: "symmetric-mixture", dimension: 4, side: 2, density };
  const components = [record, record];
  const transform = { kind: "mixture", dimension: 4, components } as unknown as AnyMixture;
  const read = decodeModel(encodeModel({ transform, about: {} }));
  const inner = symmetric(density, false);
  expect(read.transform).toEqual(mixture({ components: [inner, inner] }));
});

test("a model of too many stages is not written", () => {
  const stages = Array.from({ length: 2049 }, () => small(0));
  const transform = mixture({ components: [cascade(stages), cascade(stages)] });
  expectError(() => encodeModel({ transform, about: {} }), {
    code: "invalid-argument",
    phrase: "at most 4096 stages",
  });
});

test("who needs a single transform rejects a mixture in one sentence", () => {
  const model = { transform: plainMixture(3), about: {} };
  expectError(() => requirePatchModel(model, "mix.safetensors"), {
    code: "invalid-argument",
    argument: "mix.safetensors",
    phrase: "no single transform",
  });
});
