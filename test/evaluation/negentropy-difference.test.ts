import { expect, it } from "vitest";
import { negentropyDifference } from "../../src/evaluation/negentropy-difference.js";

it("ΔJ of y = c x is E(½(c² − 1)‖x‖²) − N log c, paper eq. (4)", () => {
  const [n, count, c] = [3, 50, 2.5];
  const x = Float64Array.from({ length: n * count }, (_, k) => Math.sin(k));
  const energy = x.reduce((sum, value) => sum + (value * value) / 2, 0) / count;
  const transformed = {
    y: x.map((value) => c * value),
    logDeterminant: new Float64Array(count).fill(n * Math.log(c)),
  };
  const expected = (c * c - 1) * energy - n * Math.log(c);
  const { inNats, inNatsPerDimension } = negentropyDifference(x, transformed);
  expect(inNats).toBeCloseTo(expected, 10);
  expect(inNatsPerDimension).toBeCloseTo(expected / n, 10);
});
