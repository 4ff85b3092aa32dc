import { describe, expect, test } from "vitest";
import { encodeModel } from "../../../src/density/model-files/model-file.js";
import type { JsonObject } from "../../../src/density/model-files/json.js";
import { linear } from "../../../src/transforms/linear.js";
import { everyImageModel } from "../../support/models.js";
import {
  type Change,
  refusalAfter,
  refusalOf,
  sentenceOf,
  soundFile,
  withValue,
} from "../../support/damaged-model.js";
import { type Parts, putTogether, takeApart, withHeader } from "../../support/safetensors-parts.js";

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
  expect(sentenceOf(soundFile)).toBe("no error");
  expect(sentenceOf(putTogether(takeApart(soundFile)))).toBe("no error");
});

test("the sentence begins with the name of the file", () => {
  expect(sentenceOf(new Uint8Array(3), "models/a.safetensors")).toBe(
    "models/a.safetensors: Expected the file to be in the safetensors format, with at least 8 bytes, but received 3.",
  );
  const damaged = takeApart(soundFile);
  withValue("stages.1.beta", -1)(damaged);
  expect(sentenceOf(putTogether(damaged), "models/a.safetensors")).toBe(
    "models/a.safetensors, stage 1: Expected beta[0] to be greater than 0 but received -1.",
  );
});

describe("files of others", () => {
  const foreign = "This is a safetensors file, but not one of gaussianize.";

  test.each([
    ["no metadata", "{}", foreign],
    ["empty metadata", '{"__metadata__": {}}', foreign],
    ["another format", '{"__metadata__": {"format": "pt"}}', foreign],
    [
      "metadata that are no object",
      '{"__metadata__": 3}',
      "Expected __metadata__ to be a JSON object but received 3.",
    ],
    [
      "metadata with numbers",
      '{"__metadata__": {"a": 3}}',
      "Expected __metadata__ to hold texts only but received 3.",
    ],
    [
      "no version",
      '{"__metadata__": {"format": "gaussianize"}}',
      "Expected the metadata to have a version but received undefined.",
    ],
  ])("%s", (_, header, sentence) => {
    expect(refusalOf(withHeader(header, new Uint8Array(0)))).toBe(sentence);
  });

  test("a later version is refused as such, whatever its tensors look like", () => {
    const sentence = refusalAfter((parts) => {
      parts.metadata.version = "2";
      parts.entries["stages.0.scale"].dtype = "BF16";
    });
    expect(sentence).toBe('The file has version "2"; this program reads version "1".');
  });
});

describe("damaged metadata", () => {
  test.each([
    [
      "no transform",
      (parts: Parts) => delete (parts.metadata as Partial<Parts["metadata"]>).transform,
      "Expected the metadata to have a transform but received undefined.",
    ],
    [
      "a transform that is no JSON",
      withText("transform", "{"),
      'Expected transform to be JSON but received "{".',
    ],
    [
      "a transform that is no object",
      withText("transform", "7"),
      "Expected transform to be a JSON object but received 7.",
    ],
    [
      "an unknown kind",
      withTransform({ kind: "fft" }),
      'stage 0: Expected its kind to be one of gdn, linear, affine, pointwise but received "fft".',
    ],
    [
      "a kind that objects inherit",
      withTransform({ kind: "toString" }),
      'stage 0: Expected its kind to be one of gdn, linear, affine, pointwise but received "toString".',
    ],
    [
      "no stages",
      ofStages(),
      "Expected a cascade to have a list of 1 to 256 stages but received 0.",
    ],
    [
      "too many stages",
      ofStages(...new Array<unknown>(300).fill(affineStage)),
      "Expected a cascade to have a list of 1 to 256 stages but received 300.",
    ],
    [
      "stages that are no list",
      withTransform({ kind: "cascade", stages: 2 }),
      "Expected a cascade to have a list of 1 to 256 stages but received 2.",
    ],
    [
      "unknown fields of the cascade",
      withTransform({ kind: "cascade", stages: [], order: 1 }),
      'Expected transform to have the fields kind, stages but received "order".',
    ],
    [
      "a stage that is no object",
      ofStages(affineStage, null),
      "stage 1: Expected the description of the stage to be a JSON object but received null.",
    ],
    [
      "a cascade in a cascade",
      ofStages({ kind: "cascade", stages: [] }),
      'stage 0: Expected its kind to be one of gdn, linear, affine, pointwise but received "cascade".',
    ],
    [
      "unknown fields",
      ofStages({ ...affineStage, H: "matrix" }),
      'stage 0: Expected the description of the stage to have the fields kind, dimension but received "H".',
    ],
    [
      "no dimension",
      ofStages({ kind: "affine" }),
      "stage 0: Expected dimension to be an integer from 1 to 4096 but received undefined.",
    ],
    [
      "an absurd dimension",
      ofStages({ kind: "affine", dimension: 1e9 }),
      "stage 0: Expected dimension to be an integer from 1 to 4096 but received 1000000000.",
    ],
    [
      "an unknown structure",
      ofStages(affineStage, { ...gdnStage, structure: "x" }),
      expect.stringMatching(
        /^stage 1: Expected structure to be one of general, .* but received "x"\.$/,
      ),
    ],
    [
      "no word on H",
      ofStages(affineStage, { ...gdnStage, H: null }),
      'stage 1: Expected H to be described as "matrix" or "identity" but received null.',
    ],
    [
      "different dimensions",
      ofStages(affineStage, { ...gdnStage, dimension: 3 }),
      "Expected stage 1 to have the 2 components of stage 0 but received 3.",
    ],
    [
      "about that is no JSON",
      withText("name", "small"),
      'Expected about.name to be JSON but received "small".',
    ],
    [
      "about against its rules",
      withText("figures", '{"nats": "1"}'),
      "Expected about.figures to be a record of numbers but received an object with nats.",
    ],
    [
      "control characters in keys",
      withText("figures", '{"\\n\\u001b[31m": "1"}'),
      "Expected about.figures to be a record of numbers but received an object with \\u000a\\u001b[31m.",
    ],
    [
      "a key that reaches prototypes",
      withText("data", '{"constructor": 1}'),
      'Expected about.data to have harmless keys but received "constructor".',
    ],
  ])("%s", (_, change, sentence) => {
    expect(refusalAfter(change)).toEqual(sentence);
  });
});

describe("parameters that no model can have", () => {
  test.each([
    [
      "NaN",
      withValue("stages.0.shift", NaN, 4),
      "stage 0: Expected shift[1] to be finite but received NaN.",
    ],
    [
      "infinity",
      withValue("stages.0.scale", -Infinity),
      "stage 0: Expected scale[0] to be finite but received -Infinity.",
    ],
    [
      "a negative weight",
      withValue("stages.1.gamma", -1, 4),
      "stage 1: Expected gamma[1] to be at least 0 but received -1.",
    ],
    [
      "an exponent beyond its bound",
      withValue("stages.1.epsilon", 0.75),
      "stage 1: Expected epsilon[0] to lie from 0 to 1/α = 0.5 but received 0.75.",
    ],
    [
      "a subspace that is none",
      withValue("stages.1.partition", -1),
      expect.stringMatching(
        /^stage 1: Expected partition\[0\] to be an integer, 0 or more but received -\d+\.$/,
      ),
    ],
  ])("%s", (_, change, sentence) => {
    expect(refusalAfter(change)).toEqual(sentence);
  });

  test("a singular H", () => {
    const transform = linear({ dimension: 2, H: Float32Array.of(1, 2, 3, 4) });
    const parts = takeApart(encodeModel({ transform, about: {} }));
    withValue("stages.0.H", 6, 12)(parts);
    expect(sentenceOf(putTogether(parts))).toMatch(
      /^the model file, stage 0: Expected H to be non-singular/,
    );
  });
});

describe("files of whole images", () => {
  const [[, model]] = everyImageModel();
  const sound = encodeModel(model);
  const refusal = (change: Change): string => {
    const parts = takeApart(sound);
    change(parts);
    return refusalOf(putTogether(parts));
  };
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
    expect(sentenceOf(putTogether(takeApart(sound)))).toBe("no error");
  });

  test.each([
    [
      "a convolution among patches",
      withTransform({ kind: "cascade", stages: described.stages }),
      'stage 1: Expected its kind to be one of gdn, linear, affine, pointwise but received "convolution".',
    ],
    [
      "an unknown kind",
      withTransform({ ...described, stages: [{ kind: "fft" }] }),
      'stage 0: Expected its kind to be one of gdn, linear, affine, pointwise, convolution but received "fft".',
    ],
    [
      "no stride",
      withTransform({ kind: "image-cascade", stages: described.stages }),
      "Expected the stride to be an integer from 1 to 64 but received undefined.",
    ],
    [
      "an absurd stride",
      withTransform({ ...described, stride: 1e9 }),
      "Expected the stride to be an integer from 1 to 64 but received 1000000000.",
    ],
    [
      "a stride that is not theirs",
      withTransform({ ...described, stride: 3 }),
      "Expected stage 0 to have 9 maps, stride squared but received 4.",
    ],
    [
      "unknown fields of the cascade",
      withTransform({ ...described, dimension: 4 }),
      'Expected transform to have the fields kind, stride, stages but received "dimension".',
    ],
    [
      "no stages",
      withTransform({ ...described, stages: [] }),
      "Expected a cascade to have a list of 1 to 256 stages but received 0.",
    ],
    [
      "unknown fields of a convolution",
      withConvolution({ dimension: 4 }),
      'stage 1: Expected the description of the stage to have the fields kind, maps, taps but received "dimension".',
    ],
    [
      "absurd maps",
      withConvolution({ maps: 1e6 }),
      "stage 1: Expected maps to be an integer from 1 to 4096 but received 1000000.",
    ],
    [
      "taps that are no record",
      withConvolution({ taps: null }),
      "stage 1: Expected the taps to be a record but received null.",
    ],
    [
      "absurd taps",
      withConvolution({ taps: { ...taps, width: 5000 } }),
      "stage 1: Expected the width of the taps to be an integer from 1 to 4096 but received 5000.",
    ],
    [
      "taps too far away",
      withConvolution({ taps: { ...taps, left: -1e6 } }),
      "stage 1: Expected the left of the taps to be an integer from -4096 to 4096 but received -1000000.",
    ],
    [
      "more taps than weights, without room made for them",
      withConvolution({ taps: { ...taps, width: 4096, height: 4096 } }),
      "stage 1: Expected weights to have the shape [4096, 4096, 4, 4] but received [2, 3, 4, 4].",
    ],
    [
      "no weights",
      (parts: Parts) => {
        parts.entries["stages.1.filters"] = parts.entries["stages.1.weights"];
        Reflect.deleteProperty(parts.entries, "stages.1.weights");
      },
      expect.stringMatching(/^Expected the file to have the tensor stages\.1\.weights /),
    ],
    [
      "weights that are no numbers",
      withValue("stages.1.weights", NaN, 8),
      "stage 1: Expected weights[2] to be finite but received NaN.",
    ],
    [
      "integer weights",
      (parts: Parts) => (parts.entries["stages.1.weights"].dtype = "I32"),
      'stage 1: Expected weights to have the dtype F16, F32 or F64 but received "I32".',
    ],
  ])("%s", (_, change, sentence) => {
    expect(refusal(change)).toEqual(sentence);
  });
});
