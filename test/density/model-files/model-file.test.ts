import { describe, expect, test } from "vitest";
import { decodeModel, encodeModel } from "../../../src/density/model-files/model-file.js";
import type { AnyModel } from "../../../src/density/model-files/model.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { affine } from "../../../src/transforms/affine.js";
import { cascade, stagesOf } from "../../../src/transforms/cascade.js";
import { gdn } from "../../../src/transforms/gdn.js";
import { freeLengths, gdnStructures, tiedGroups } from "../../../src/transforms/gdn-structures.js";
import type { ImageStage } from "../../../src/transforms/image-cascade.js";
import { parametersOf } from "../../../src/transforms/parameters.js";
import { expectSameBits } from "../../support/expect-close.js";
import { about, everyImageModel, everyModel, randomLayer } from "../../support/models.js";
import { putTogether, takeApart, tensorValues } from "../../support/damaged-model.js";
import { seed } from "../../support/seed.js";

const stagesOfAny = ({ transform }: AnyModel): readonly ImageStage[] =>
  transform.kind === "image-cascade" ? transform.stages : stagesOf(transform);
const models: readonly (readonly [name: string, model: AnyModel])[] = [
  ...everyModel(),
  ...everyImageModel(),
];

describe(`a model is read back as it was written (seed ${seed})`, () => {
  test.each(models)("%s", (_, model) => {
    const read = decodeModel(encodeModel(model));
    expect(read.transform.kind).toBe(model.transform.kind);
    expect(read).toEqual(model);
    const [before, after] = [parametersOf(model.transform), parametersOf(read.transform)];
    before.forEach((groups, k) => {
      for (const [name, values] of Object.entries(groups)) {
        expect(after[k][name].constructor).toBe(values.constructor);
        expectSameBits(after[k][name], values, name);
      }
    });
  });

  test.each(models)(
    "%s: a reader written by the published format finds the parameters",
    (_, model) => {
      const parts = takeApart(encodeModel(model));
      const groupsOf = parametersOf(model.transform);
      const names = stagesOfAny(model).flatMap((stage, k) => {
        const partition =
          stage.kind === "gdn" && stage.partition ? { partition: stage.partition } : {};
        const groups = { ...groupsOf[k], ...partition };
        return Object.entries(groups).map(([group, values]) => {
          const name = `stages.${k}.${group}`;
          expectSameBits(tensorValues(parts, name), values, name);
          const size = parts.entries[name].shape.reduce((product, extent) => product * extent, 1);
          expect(size, name).toBe(values.length);
          return name;
        });
      });
      expect(Object.keys(parts.entries).sort()).toEqual(names.sort());
    },
  );

  test("gives the same bytes for any order of keys", () => {
    const [, model] = models[0];
    const reversed = Object.fromEntries(Object.entries(model.about).reverse());
    const bytes = encodeModel(model);
    expect(encodeModel({ ...model, about: reversed })).toEqual(bytes);
    expect(encodeModel(decodeModel(bytes))).toEqual(bytes);
  });

  test("from anywhere in a larger buffer", () => {
    const [, model] = models[0];
    const bytes = encodeModel(model);
    const larger = new Uint8Array(bytes.length + 7);
    larger.set(bytes, 3);
    expect(decodeModel(larger.subarray(3, 3 + bytes.length))).toEqual(model);
  });
});

describe("what a file looks like", () => {
  const layer = randomLayer(createRandom(seed, "layout"), "subspace", { n: 4 });
  const parts = takeApart(encodeModel({ transform: cascade([layer]), about }));

  test("the texts are JSON, one for each key", () => {
    const { format, version, ...texts } = parts.metadata;
    expect([format, version]).toEqual(["gaussianize", "1"]);
    const { transform, ...read } = Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [key, JSON.parse(text) as unknown]),
    );
    expect(read).toEqual(about);
    const stage = { kind: "gdn", structure: "subspace", dimension: 4, H: "matrix" };
    expect(transform).toEqual({ kind: "cascade", stages: [stage] });
  });

  test("tensors have meaningful types and shapes, and no group that the structure fixes", () => {
    const described = Object.entries(parts.entries).map(([name, { dtype, shape }]) => [
      name,
      dtype,
      shape,
    ]);
    expect(described).toEqual([
      ["stages.0.H", "F32", [4, 4]],
      ["stages.0.partition", "I32", [4]],
      ["stages.0.beta", "F32", [3]],
      ["stages.0.gamma", "F32", [3]],
      ["stages.0.epsilon", "F32", [3]],
    ]);
  });

  test("a convolution has its weights tap by tap, and says which taps they are", () => {
    const [[, model]] = everyImageModel();
    const { entries, metadata } = takeApart(encodeModel(model));
    const taps = { width: 3, height: 2, left: -1, top: 0 };
    const described = JSON.parse(metadata.transform) as { stages: unknown[] };
    expect(described).toMatchObject({ kind: "image-cascade", stride: 2 });
    expect(described.stages[1]).toEqual({ kind: "convolution", maps: 4, taps });
    expect(entries["stages.1.weights"]).toMatchObject({ dtype: "F32", shape: [2, 3, 4, 4] });
  });

  test("every tensor is aligned to its elements, in a mixture of precisions too", () => {
    const mixed = gdn({
      structure: "column",
      dimension: 3,
      alpha: Float32Array.of(1, 1.5, 2),
      beta: Float64Array.of(1, 2, 3),
      gamma: new Float32Array(9),
      epsilon: Float64Array.of(0.1, 0.2, 0.3),
    });
    const file = encodeModel({ transform: mixed, about: {} });
    const { entries, data } = takeApart(file);
    expect((file.length - data.length) % 8).toBe(0);
    for (const {
      dtype,
      data_offsets: [begin],
    } of Object.values(entries)) {
      expect(begin % (dtype === "F64" ? 8 : 4)).toBe(0);
    }
    expect(decodeModel(file).transform).toEqual(mixed);
  });

  test.each(gdnStructures)("stores the free parameters of %s", (structure) => {
    const random = createRandom(seed, "shapes");
    for (const n of [1, 2, 7]) {
      if (structure === "subspace" && n < 3) continue;
      const stage = randomLayer(random, structure, { n });
      const partition = stage.kind === "gdn" ? stage.partition : null;
      const rank = stage.kind === "gdn" && stage.rank !== undefined ? { rank: stage.rank } : {};
      const lengths = freeLengths({ structure, dimension: n, partition, ...rank });
      const { entries } = takeApart(encodeModel({ transform: stage, about: {} }));
      for (const group of tiedGroups) {
        const entry =
          `stages.0.${group}` in entries ? entries[`stages.0.${group}`] : { shape: [0] };
        expect(
          entry.shape.reduce((a, b) => a * b, 1),
          group,
        ).toBe(lengths[group]);
      }
    }
  });
});

test("parameters of 16 bits are read as Float32, exactly", () => {
  const { metadata } = takeApart(encodeModel({ transform: affine({ dimension: 2 }), about: {} }));
  const entryAt = (begin: number) => ({
    dtype: "F16",
    shape: [2],
    data_offsets: [begin, begin + 4] as [number, number],
  });
  const entries = { "stages.0.scale": entryAt(0), "stages.0.shift": entryAt(4) };
  // 2, 3, −½ and 2⁻²⁴, the lower byte first.
  const data = Uint8Array.of(0x00, 0x40, 0x00, 0x42, 0x00, 0xb8, 0x01, 0x00);
  const { transform } = decodeModel(putTogether({ metadata, entries, data }));
  const { scale, shift } = parametersOf(transform)[0];
  expect(scale).toEqual(Float32Array.of(2, 3));
  expect(shift).toEqual(Float32Array.of(-0.5, 2 ** -24));
});
