/** Inverse generalized logistic function, also outside its interval. */
import { describe, expect, test } from "vitest";
import { backpropagate, gaussianize, logProb, score } from "../../src/density/induced-density.js";
import { synthesize } from "../../src/density/synthesis.js";
import { negentropyGradient } from "../../src/training/negentropy-gradient.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { pointwise } from "../../src/transforms/pointwise.js";
import { precisions } from "../contracts/precisions.js";
import { describeTransformContract } from "../contracts/transform-contract.js";
import { expectClose } from "../support/expect-close.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";
import { curveOf, pointwiseCase } from "../support/transform-cases.js";

const curves = {
  "the logit": { lower: 0, upper: 1, rate: 1, asymmetry: 1, center: 0 },
  "nearly a logarithm": { lower: -0.05, upper: 1.5, rate: 0.8, asymmetry: 0.3, center: -2 },
  "steep above": { lower: -1, upper: 1.25, rate: 2.5, asymmetry: 2.75, center: 0.5 },
  "of bytes": { lower: -2, upper: 260, rate: 1.7, asymmetry: 0.6, center: -0.3 },
};

describeTransformContract("pointwise", () =>
  Object.entries(curves).map(([name, curve], k) => pointwiseCase(name, 2 * k + 1, curve)),
);

test("is the inverse of A + (K − A)(1 + e^{−B(y − c)})^{−1/ν}, to 1e-12", async () => {
  const y = Float64Array.from({ length: 41 }, (_, k) => (k - 20) / 8);
  for (const settings of Object.values(curves)) {
    const { lower, upper, rate, asymmetry, center } = settings;
    const curve = pointwise({ dimension: 1, ...settings });
    const x = y.map(
      (value) =>
        lower + (upper - lower) * (1 + Math.exp(-rate * (value - center))) ** (-1 / asymmetry),
    );
    // The rounding of x is amplified by up to e^{B(y − c)}: 1e-15 e^8 at most.
    expectClose((await gaussianize(referenceRunner, curve, x)).y, y, { absolute: 3e-12 });
    const inverse = (await synthesize(referenceRunner, curve, y)).x;
    expectClose(inverse, x, { relative: 1e-12, scale: upper - lower });
  }
});

describe.each(precisions)("$name: outside the interval", ({ runner }) => {
  const curve = curveOf(3, curves["steep above"]);
  const inside = [0.5, -0.5, 0.25];

  test.each([
    { value: -1, component: 0, what: "at the lower end" },
    { value: 1.25, component: 2, what: "at the upper end" },
    { value: -7, component: 1, what: "below" },
    { value: 300, component: 2, what: "above" },
  ])("names a component $what, the sample and the interval", async ({ value, component }) => {
    const x = Float64Array.from([...inside, ...inside.with(component, value), ...inside]);
    const sentence = `Sample 1 has no density: component ${component} is not between -1 and 1.25.`;
    for (const pass of [gaussianize, logProb, score]) {
      await expect(pass(runner, curve, x)).rejects.toThrow(sentence);
    }
    await expect(backpropagate(runner, curve, x, x)).rejects.toThrow(sentence);
    const { failedSamples, meanLogProb, gradient } = await negentropyGradient(runner, curve, x);
    expect(failedSamples).toBe(1);
    // The means are over the samples with a density.
    const good = await negentropyGradient(runner, curve, Float64Array.from([...inside, ...inside]));
    expectClose(meanLogProb, good.meanLogProb, { relative: 1e-14 });
    expect(gradient).toEqual(good.gradient);
  });

  test("names the first of several components", async () => {
    await expect(gaussianize(runner, curve, Float64Array.of(0, 5, 5))).rejects.toThrow(
      "Sample 0 has no density: component 1 is not between -1 and 1.25.",
    );
  });

  test("names the stage in a cascade", async () => {
    const dimension = 3;
    const moved = cascade([affine({ dimension, shift: [10, 10, 10] }), curve]);
    const x = Float64Array.from([...inside, ...inside.with(1, -8)].map((value) => value - 10));
    await expect(gaussianize(runner, moved, x)).rejects.toThrow(
      "Sample 1 has no density in stage 1 (pointwise): component 1 is not between -1 and 1.25.",
    );
    // Names the first stage at which a sample fails.
    const twice = cascade([curve, affine({ dimension, shift: [9, 9, 9] }), curve]);
    for (const pass of [gaussianize, score]) {
      await expect(pass(runner, twice, Float64Array.of(0, 0, 2))).rejects.toThrow(
        "Sample 0 has no density in stage 0 (pointwise): component 2 is not between -1 and 1.25.",
      );
    }
  });
});

describe.each(precisions)("$name: rounding at the ends of the interval", ({ runner }) => {
  test.each(Object.entries(curves))("%s: x of any y is inside", async (_, settings) => {
    const curve = curveOf(1, settings);
    const y = Float64Array.of(-2000, -100, -20, 0, 20, 100, 2000);
    const { x, converged } = await synthesize(runner, curve, y);
    expect([...converged]).toEqual([1, 1, 1, 1, 1, 1, 1]);
    for (const value of x) {
      expect(value).toBeGreaterThan(curve.lower[0]);
      expect(value).toBeLessThan(curve.upper[0]);
    }
    // It has a density there, too.
    expect((await logProb(runner, curve, x)).every(Number.isFinite)).toBe(true);
  });
});

test("does not converge in an interval without any Float32", async () => {
  const curve = pointwise({
    dimension: 1,
    ...curves["the logit"],
    lower: 2 ** 24,
    upper: 2 ** 24 + 2,
  });
  const { converged, residual } = await synthesize(simdRunner, curve, Float64Array.of(-9, 0, 9));
  expect([...converged]).toEqual([0, 0, 0]);
  expect([...residual]).toEqual([Infinity, Infinity, Infinity]);
});
