import { describe, expect, test } from "vitest";
import { decodeModel, encodeModel } from "../../../src/density/model-files/model-file.js";
import type { Model, ModelAbout } from "../../../src/density/model-files/model.js";
import { cascade } from "../../../src/transforms/cascade.js";
import type { Transform } from "../../../src/transforms/transform.js";
import { everyModel } from "../../support/models.js";

const [[, { transform }]] = everyModel();

const sentenceOf = (model: unknown): string => {
  try {
    encodeModel(model as Model);
  } catch (error) {
    expect((error as Error).name).toBe("GaussianizeError");
    return (error as Error).message;
  }
  return "no error";
};

describe("what is not written", () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const cases: readonly (readonly [sentence: string, about: unknown])[] = [
    ["Expected about to be JSON but received undefined.", undefined],
    ["Expected about to be a record but received [].", []],
    ["Expected about.name to be a text but received 3.", { name: 3 }],
    [
      "Expected about.patch.height to be a positive integer but received undefined.",
      { patch: { width: 8 } },
    ],
    [
      "Expected about.patch.height to be a positive integer but received 0.",
      { patch: { width: 8, height: 0 } },
    ],
    [
      "Expected about.patch.width to be a positive integer but received 1.5.",
      { patch: { width: 1.5, height: 8 } },
    ],
    ["Expected about.patch to be a record but received 8.", { patch: 8 }],
    ['Expected about.preprocessing to be a record but received "log".', { preprocessing: "log" }],
    ["Expected about.data to be a record but received [].", { data: [] }],
    ["Expected about.data.hash to be a text but received 7.", { data: { hash: 7 } }],
    ["Expected about.seed to be a number or a text but received true.", { seed: true }],
    [
      "Expected about.training.steps to be an integer, 0 or more but received -1.",
      { training: { steps: -1 } },
    ],
    [
      "Expected about.training.batch to be a positive integer but received 0.",
      { training: { batch: 0 } },
    ],
    [
      "Expected about.training.history to be a list of records but received [1].",
      { training: { history: [1] } },
    ],
    ["Expected about.figures.a to be finite but received NaN.", { figures: { a: NaN } }],
    [
      "Expected about.figures to be a record of numbers but received an object with a.",
      { figures: { a: "1" } },
    ],
    ["Expected about.x to be JSON but received a Map.", { x: new Map() }],
    ["Expected about.x to be JSON but received Float32Array [1].", { x: Float32Array.of(1) }],
    ["Expected about.x to be JSON but received 1n.", { x: 1n }],
    ["Expected about.x[0] to be JSON but received undefined.", { x: [undefined] }],
    ['Expected about["a b"][0] to be finite but received Infinity.', { "a b": [Infinity] }],
    [
      'Expected about.data to have harmless keys but received "__proto__".',
      JSON.parse('{"data": {"__proto__": 1}}'),
    ],
    [
      'Expected about to leave the keys format, version, transform to the file but received "version".',
      { version: 2 },
    ],
  ];

  test.each(cases)("%#: %s", (sentence, given) => {
    expect(sentenceOf({ transform, about: given })).toBe(sentence);
  });

  test("about that contains itself", () => {
    expect(sentenceOf({ transform, about: circle })).toMatch(/to be nested at most 32 deep but/);
  });

  test("what is no model, and parameters that no constructor would take", () => {
    expect(sentenceOf(null)).toBe("Expected a model to be a record but received null.");
    expect(sentenceOf({ transform, about: {}, extra: 1 })).toMatch(
      /^Expected a model to have the fields/,
    );
    expect(sentenceOf({ about: {} })).toMatch(/^Expected the kind of a transform to be one of/);
    const bad = { ...transform, H: new Float32Array(25).fill(NaN) } as Transform;
    expect(sentenceOf({ transform: bad, about: {} })).toBe(
      "Expected H[0][0] to be finite but received NaN.",
    );
    const long = cascade(Array.from({ length: 257 }, () => transform));
    expect(sentenceOf({ transform: long, about: {} })).toBe(
      "Expected the transform to have at most 256 stages but received 257.",
    );
  });

  test("a key without a value counts as left out", () => {
    const given = { name: undefined, data: { hash: undefined } } as unknown as ModelAbout;
    expect(decodeModel(encodeModel({ transform, about: given })).about).toEqual({ data: {} });
  });
});
