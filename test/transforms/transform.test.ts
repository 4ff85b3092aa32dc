import { describe, expect, test } from "vitest";
import { gaussianize } from "../../src/density/induced-density.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { linear } from "../../src/transforms/linear.js";
import { pointwise } from "../../src/transforms/pointwise.js";
import { type Transform, checkedTransform } from "../../src/transforms/transform.js";
import { referenceRunner } from "../support/inline-runners.js";

const stages = [
  pointwise({ dimension: 2, lower: 0, upper: 1, rate: 1, asymmetry: 1, center: 0 }),
  affine({ dimension: 2, scale: [1, 2], shift: [3, 4] }),
  linear({ dimension: 2, H: [1, 2, 3, 4] }),
  startingGdn({ structure: "subspace", dimension: 2, partition: [1, 0] }),
];
const whole = cascade(stages);

describe("checkedTransform", () => {
  test.each([...stages, whole])("gives an equal copy of a $kind", (transform) => {
    const copy = checkedTransform(transform);
    expect(copy).toEqual(transform);
    expect(copy).not.toBe(transform);
    expect(checkedTransform(structuredClone(transform))).toEqual(transform);
  });

  const kinds =
    "Expected the kind of a transform to be one of gdn, linear, affine, pointwise, cascade but received";

  test.each([
    [undefined, `${kinds} undefined.`],
    [null, `${kinds} undefined.`],
    [{}, `${kinds} undefined.`],
    [{ ...stages[0], kind: "toString" }, `${kinds} "toString".`],
    [{ kind: "cascade" }, "Expected the stages of a cascade to be a list but received undefined."],
    [{ ...whole, stages: [] }, "Expected a cascade to have at least one stage but received 0."],
    [{ ...whole, stages: [stages[0], {}] }, `${kinds} undefined.`],
    [
      { ...whole, dimension: 1 },
      "Expected the dimension of a cascade to be that of its stages, 2 but received 1.",
    ],
    [
      { ...whole, stages: [stages[0], affine({ dimension: 3 })] },
      "Expected stage 1 to have the 2 components of stage 0 but received 3.",
    ],
    [
      { ...whole, stages: [stages[0], { ...stages[1], scale: Float64Array.of(1, 0) }] },
      "Expected scale[1] to be at least 1.1754943508222875e-38 in size but received 0.",
    ],
  ])("refuses %o, as every pass does", async (record, sentence) => {
    const transform = record as Transform;
    expect(() => checkedTransform(transform)).toThrow(sentence);
    await expect(
      gaussianize(referenceRunner, transform, Float64Array.of(0.5, 0.5)),
    ).rejects.toThrow(sentence);
  });
});
