import { describe, expect, test } from "vitest";
import { negentropyDifference } from "../../src/evaluation/negentropy-difference.js";
import { affine } from "../../src/transforms/affine.js";
import { linear } from "../../src/transforms/linear.js";
import { expectClose } from "../support/expect-close.js";
import { refusal } from "../support/expect-error.js";
import { goldenCases } from "../support/golden-gdn.js";
import { referenceRunner } from "../support/inline-runners.js";

describe("negentropyDifference", () => {
  const [n, count, c] = [3, 50, 2.5];
  const scaledIdentity = Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) ? 0 : c));

  test.each([
    linear({ dimension: n, H: scaledIdentity }),
    affine({ dimension: n, scale: new Float64Array(n).fill(c) }),
  ])("ΔJ of y = c x is E(½(c² − 1)‖x‖²) − N log c, paper eq. (4): $kind", async (transform) => {
    const x = Float64Array.from({ length: n * count }, (_, k) => Math.sin(k));
    const energy = x.reduce((sum, value) => sum + (value * value) / 2, 0) / count;
    const expected = (c * c - 1) * energy - n * Math.log(c);
    const { inNats, inNatsPerDimension } = await negentropyDifference(
      referenceRunner,
      transform,
      x,
    );
    expect(inNats).toBeCloseTo(expected, 10);
    expect(inNatsPerDimension).toBeCloseTo(expected / n, 10);
  });

  test.each(goldenCases)("ΔJ of $name equals that of another program to 1e-12", async (golden) => {
    const { inNats } = await negentropyDifference(referenceRunner, golden.layer, golden.x);
    const scale = Math.max(1, ...golden.logProb.map(Math.abs));
    expectClose(inNats, golden.deltaJ, { relative: 1e-12, scale });
  });

  test("rejects an empty batch", async () => {
    const transform = affine({ dimension: n, scale: new Float64Array(n).fill(c) });
    await expect(
      negentropyDifference(referenceRunner, transform, new Float64Array(0)),
    ).rejects.toThrow(refusal("x", "hold at least one sample of 3 values", 0));
  });
});
