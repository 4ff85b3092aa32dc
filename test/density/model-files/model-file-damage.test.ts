import { describe, expect, test } from "vitest";
import { decodeModel, encodeModel } from "../../../src/density/model-files/model-file.js";
import type { JsonObject } from "../../../src/density/model-files/json.js";
import { linear } from "../../../src/transforms/linear.js";
import { everyImageModel } from "../../support/models.js";
import {
  type Change,
  changed,
  damageOf,
  soundFile,
  withValue,
  type Parts,
  putTogether,
  takeApart,
  withHeader,
} from "../../support/damaged-model.js";
import { expectError } from "../../support/expect-error.js";

const withText =
  (key: string, text: string): Change =>
  (parts) => {
    parts.metadata[key] = text;
  };
const withTransform = (transform: unknown): Change =>
  withText("transform", JSON.stringify(transform));
const affineStage = { kind: "affine", dimension: 2 };
const gdnStage = { kind: "gdn", structure: "subspace", dimension: 2, H: "identity" };
const ofStages = (...stages: unknown[]): Change => withTransform({ kind: "cascade", stages });

test("the file is sound before it is damaged", () => {
  expect(damageOf(soundFile)).toBe("no error");
  expect(damageOf(putTogether(takeApart(soundFile)))).toBe("no error");
});

test("the sentence begins with the name of the file", () => {
  expectError(() => decodeModel(new Uint8Array(3), "models/a.safetensors"), {
    code: "file-damaged",
    argument: "the file",
    phrase: /^models\/a\.safetensors: /,
  });
  const damaged = changed(withValue("stages.1.beta", -1));
  expectError(() => decodeModel(damaged, "models/a.safetensors"), {
    code: "file-damaged",
    argument: "beta[0]",
    phrase: /^models\/a\.safetensors, stage 1: /,
  });
});

describe("files of others", () => {
  const foreign = "unsupported-file";

  test.each([
    ["no metadata", "{}", foreign],
    ["empty metadata", '{"__metadata__": {}}', foreign],
    ["another format", '{"__metadata__": {"format": "pt"}}', foreign],
    ["metadata that are no object", '{"__metadata__": 3}', "__metadata__"],
    ["metadata with numbers", '{"__metadata__": {"a": 3}}', "__metadata__"],
    ["no version", '{"__metadata__": {"format": "gaussianize"}}', "the metadata"],
  ])("%s", (_, header, damage) => {
    expect(damageOf(withHeader(header, new Uint8Array(0)))).toBe(damage);
  });

  test("rejects a later version before reading its tensors", () => {
    const file = changed((parts) => {
      parts.metadata.version = "2";
      parts.entries["stages.0.scale"].dtype = "BF16";
    });
    expectError(() => decodeModel(file), { code: "unsupported-file", phrase: 'version "2"' });
  });
});

describe("damaged metadata", () => {
  test.each([
    [
      "no transform",
      (parts: Parts) => delete (parts.metadata as Partial<Parts["metadata"]>).transform,
      "the metadata",
    ],
    ["a transform that is no JSON", withText("transform", "{"), "transform"],
    ["a transform that is no object", withText("transform", "7"), "transform"],
    ["an unknown kind", withTransform({ kind: "fft" }), "stage 0: its kind"],
    ["a kind that objects inherit", withTransform({ kind: "toString" }), "stage 0: its kind"],
    ["no stages", ofStages(), "a cascade"],
    ["too many stages", ofStages(...new Array<unknown>(4097).fill(affineStage)), "a cascade"],
    ["stages that are no list", withTransform({ kind: "cascade", stages: 2 }), "a cascade"],
    [
      "unknown fields of the cascade",
      withTransform({ kind: "cascade", stages: [], order: 1 }),
      "transform",
    ],
    [
      "a stage that is no object",
      ofStages(affineStage, null),
      "stage 1: the description of the stage",
    ],
    ["a cascade in a cascade", ofStages({ kind: "cascade", stages: [] }), "stage 0: its kind"],
    [
      "unknown fields",
      ofStages({ ...affineStage, H: "matrix" }),
      "stage 0: the description of the stage",
    ],
    ["no dimension", ofStages({ kind: "affine" }), "stage 0: dimension"],
    ["an absurd dimension", ofStages({ kind: "affine", dimension: 1e9 }), "stage 0: dimension"],
    [
      "an unknown structure",
      ofStages(affineStage, { ...gdnStage, structure: "x" }),
      "stage 1: structure",
    ],
    ["no word on H", ofStages(affineStage, { ...gdnStage, H: null }), "stage 1: H"],
    ["different dimensions", ofStages(affineStage, { ...gdnStage, dimension: 3 }), "stage 1"],
    ["about that is no JSON", withText("name", "small"), "about.name"],
    ["about against its rules", withText("figures", '{"nats": "1"}'), "about.figures"],
    ["control characters in keys", withText("figures", '{"\\n\\u001b[31m": "1"}'), "about.figures"],
    ["a key that reaches prototypes", withText("data", '{"constructor": 1}'), "about.data"],
  ])("%s", (_, change, damage) => {
    expect(damageOf(changed(change))).toBe(damage);
  });
});

describe("parameters that no model can have", () => {
  test.each([
    ["NaN", withValue("stages.0.shift", NaN, 4), "stage 0: shift[1]"],
    ["infinity", withValue("stages.0.scale", -Infinity), "stage 0: scale[0]"],
    ["a negative weight", withValue("stages.1.gamma", -1, 4), "stage 1: gamma[1]"],
    ["an exponent beyond its bound", withValue("stages.1.epsilon", 0.75), "stage 1: epsilon[0]"],
    ["a subspace that is none", withValue("stages.1.partition", -1), "stage 1: partition[0]"],
  ])("%s", (_, change, damage) => {
    expect(damageOf(changed(change))).toBe(damage);
  });

  test("a singular H", () => {
    const transform = linear({ dimension: 2, H: Float32Array.of(1, 2, 3, 4) });
    const parts = takeApart(encodeModel({ transform, about: {} }));
    withValue("stages.0.H", 6, 12)(parts);
    expect(damageOf(putTogether(parts))).toBe("stage 0: H");
  });
});

describe("files of whole images", () => {
  const [[, model]] = everyImageModel();
  const sound = encodeModel(model);
  const described = JSON.parse(takeApart(sound).metadata.transform) as JsonObject & {
    stages: JsonObject[];
  };
  /** Another description of the first convolution. */
  const withConvolution = (change: JsonObject): Change =>
    withTransform({
      ...described,
      stages: described.stages.map((stage, k) => (k === 1 ? { ...stage, ...change } : stage)),
    });
  const taps = { width: 3, height: 2, left: -1, top: 0 };

  test("are sound before they are damaged", () => {
    expect(damageOf(putTogether(takeApart(sound)))).toBe("no error");
  });

  test.each([
    [
      "a convolution among patches",
      withTransform({ kind: "cascade", stages: described.stages }),
      "stage 1: its kind",
    ],
    [
      "an unknown kind",
      withTransform({ ...described, stages: [{ kind: "fft" }] }),
      "stage 0: its kind",
    ],
    ["no stride", withTransform({ kind: "image-cascade", stages: described.stages }), "the stride"],
    ["an absurd stride", withTransform({ ...described, stride: 1e9 }), "the stride"],
    ["a stride that is not theirs", withTransform({ ...described, stride: 3 }), "stage 0"],
    ["unknown fields of the cascade", withTransform({ ...described, dimension: 4 }), "transform"],
    ["no stages", withTransform({ ...described, stages: [] }), "a cascade"],
    [
      "unknown fields of a convolution",
      withConvolution({ dimension: 4 }),
      "stage 1: the description of the stage",
    ],
    ["absurd maps", withConvolution({ maps: 1e6 }), "stage 1: maps"],
    ["taps that are no record", withConvolution({ taps: null }), "stage 1: the taps"],
    [
      "absurd taps",
      withConvolution({ taps: { ...taps, width: 5000 } }),
      "stage 1: the width of the taps",
    ],
    [
      "taps too far away",
      withConvolution({ taps: { ...taps, left: -1e6 } }),
      "stage 1: the left of the taps",
    ],
    [
      "more taps than weights, without room made for them",
      withConvolution({ taps: { ...taps, width: 4096, height: 4096 } }),
      "stage 1: weights",
    ],
    [
      "no weights",
      (parts: Parts) => {
        parts.entries["stages.1.filters"] = parts.entries["stages.1.weights"];
        Reflect.deleteProperty(parts.entries, "stages.1.weights");
      },
      "the file",
    ],
    ["weights that are no numbers", withValue("stages.1.weights", NaN, 8), "stage 1: weights[2]"],
    [
      "integer weights",
      (parts: Parts) => (parts.entries["stages.1.weights"].dtype = "I32"),
      "stage 1: weights",
    ],
  ])("%s", (_, change, damage) => {
    expect(damageOf(changed(change, sound))).toBe(damage);
  });
});
