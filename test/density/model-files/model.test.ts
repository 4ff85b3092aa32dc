import { describe, expect, test } from "vitest";
import { decodeModel, encodeModel } from "../../../src/density/model-files/model-file.js";
import type { Model, ModelAbout } from "../../../src/density/model-files/model.js";
import { cascade } from "../../../src/transforms/cascade.js";
import type { Transform } from "../../../src/transforms/transform.js";
import { expectError } from "../../support/expect-error.js";
import { everyModel } from "../../support/models.js";

const [[, { transform }]] = everyModel();

/** Expects a model to be rejected for a value. */
const expectRefused = (model: unknown, argument: string): void => {
  expectError(() => encodeModel(model as Model), { code: "invalid-argument", argument });
};

describe("tensors that are not written", () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const cases: readonly (readonly [argument: string, about: unknown])[] = [
    ["about", undefined],
    ["about", []],
    ["about.name", { name: 3 }],
    ["about.patch.height", { patch: { width: 8 } }],
    ["about.patch.height", { patch: { width: 8, height: 0 } }],
    ["about.patch.width", { patch: { width: 1.5, height: 8 } }],
    ["about.patch", { patch: 8 }],
    ["about.preprocessing", { preprocessing: "log" }],
    ["about.data", { data: [] }],
    ["about.data.hash", { data: { hash: 7 } }],
    ["about.seed", { seed: true }],
    ["about.training.steps", { training: { steps: -1 } }],
    ["about.training.batch", { training: { batch: 0 } }],
    ["about.training.history", { training: { history: [1] } }],
    ["about.figures.a", { figures: { a: NaN } }],
    ["about.figures", { figures: { a: "1" } }],
    ["about.x", { x: new Map() }],
    ["about.x", { x: Float32Array.of(1) }],
    ["about.x", { x: 1n }],
    ["about.x[0]", { x: [undefined] }],
    ['about["a b"][0]', { "a b": [Infinity] }],
    ["about.data", JSON.parse('{"data": {"__proto__": 1}}')],
    ["about", { version: 2 }],
  ];

  test.each(cases)("%#: %s", (argument, given) => {
    expectRefused({ transform, about: given }, argument);
  });

  test("about that contains itself", () => {
    expectError(() => encodeModel({ transform, about: circle as ModelAbout }), {
      code: "invalid-argument",
      phrase: "32",
    });
  });

  test("rejects anything but models, and invalid parameters", () => {
    expectRefused(null, "a model");
    expectRefused({ transform, about: {}, extra: 1 }, "a model");
    expectRefused({ about: {} }, "the kind of a transform");
    const bad = { ...transform, H: new Float32Array(25).fill(NaN) } as Transform;
    expectRefused({ transform: bad, about: {} }, "H[0][0]");
    const long = cascade(Array.from({ length: 4097 }, () => transform));
    expectRefused({ transform: long, about: {} }, "the transform");
  });

  test("omits keys without a value", () => {
    const given = { name: undefined, data: { hash: undefined } } as unknown as ModelAbout;
    expect(decodeModel(encodeModel({ transform, about: given })).about).toEqual({ data: {} });
  });
});
