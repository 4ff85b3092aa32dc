import { describe, expect, test } from "vitest";
import { gaussianize } from "../../src/density/induced-density.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { type Linear, linear } from "../../src/transforms/linear.js";
import { pointwise } from "../../src/transforms/pointwise.js";
import { checkedTransform, requireChecked } from "../../src/transforms/checked-transform.js";
import { type Unchecked, trusted } from "../../src/transforms/checks.js";
import type { Transform } from "../../src/transforms/transform.js";
import { expectError, refusal } from "../support/expect-error.js";
import { referenceRunner } from "../support/inline-runners.js";

const stages = [
  pointwise({ dimension: 2, lower: 0, upper: 1, rate: 1, asymmetry: 1, center: 0 }),
  affine({ dimension: 2, scale: [1, 2], shift: [3, 4] }),
  linear({ dimension: 2, H: [1, 2, 3, 4] }),
  startingGdn({ structure: "subspace", dimension: 2, partition: [1, 0] }),
];
const whole = cascade(stages);

describe("checkedTransform", () => {
  test.each([...stages, whole])("returns an equal copy of a $kind", (transform) => {
    const copy = checkedTransform(transform);
    expect(copy).toEqual(transform);
    expect(copy).not.toBe(transform);
    expect(checkedTransform(structuredClone(transform))).toEqual(transform);
  });

  const kinds =
    "Expected the kind of a transform to be one of gdn, linear, affine, pointwise, coupling, cascade but received";

  test.each([
    [undefined, `${kinds} undefined.`],
    [null, `${kinds} undefined.`],
    [{}, `${kinds} undefined.`],
    [{ ...stages[0], kind: "toString" }, `${kinds} "toString".`],
    [{ kind: "cascade" }, refusal("the stages of a cascade", "be a list", undefined)],
    [{ ...whole, stages: [] }, refusal("a cascade", "have at least one stage", 0)],
    [{ ...whole, stages: [stages[0], {}] }, `${kinds} undefined.`],
    [
      { ...whole, dimension: 1 },
      refusal("the dimension of a cascade", "be that of its stages, 2", 1),
    ],
    [
      { ...whole, stages: [stages[0], affine({ dimension: 3 })] },
      refusal("stage 1", "have the 2 components of stage 0", 3),
    ],
    [
      { ...whole, stages: [stages[0], { ...stages[1], scale: Float64Array.of(1, 0) }] },
      refusal("scale[1]", "be at least 1.1754943508222875e-38 in size", 0),
    ],
  ])("rejects %o, as every pass does", async (record, sentence) => {
    const transform = record as Transform;
    expect(() => checkedTransform(transform)).toThrow(sentence);
    await expect(
      gaussianize(referenceRunner, transform, Float64Array.of(0.5, 0.5)),
    ).rejects.toThrow(sentence);
  });
});

describe("a checked record", () => {
  const H = Float64Array.of(1, 2, 2, 4);
  const singular: Unchecked<Linear> = { kind: "linear", dimension: 2, H };

  test("has a type that a changed copy loses", () => {
    const map = linear({ dimension: 2, H: [1, 2, 3, 4] });
    const changed = { ...map, H };
    // @ts-expect-error: a spread is not checked
    const wrong: Linear = changed;
    expectError(() => requireChecked(wrong), { code: "invalid-argument", argument: "H" });
    expectError(() => linear(changed), { code: "invalid-argument", argument: "H" });
    // @ts-expect-error: nor is a record that nobody checked
    expectError(() => requireChecked<Linear>(singular), {
      code: "invalid-argument",
      argument: "H",
    });
  });

  test("is used without a copy, also if another thread checked it", () => {
    for (const transform of [...stages, whole]) {
      expect(requireChecked(transform)).toBe(transform);
      const received = trusted<Transform>(structuredClone(transform));
      expect(requireChecked(received)).toBe(received);
    }
    expect(requireChecked(trusted<Linear>(singular))).toBe(singular);
  });
});
