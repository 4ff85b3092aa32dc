import { describe, expect, test } from "vitest";
import { gaussianize } from "../../src/density/induced-density.js";
import { synthesize } from "../../src/density/synthesis.js";
import { createRandom } from "../../src/random/random-stream.js";
import { fitPointwise } from "../../src/training/fit-pointwise.js";
import { pointwise } from "../../src/transforms/pointwise.js";
import { expectError } from "../support/expect-error.js";
import { simdRunner } from "../support/inline-runners.js";
import { seed } from "../support/seed.js";

function moments(values: ArrayLike<number>) {
  const all = Array.from(values);
  const mean = all.reduce((sum, v) => sum + v, 0) / all.length;
  const central = (power: number): number =>
    all.reduce((sum, v) => sum + (v - mean) ** power, 0) / all.length;
  const variance = central(2);
  return {
    mean,
    variance,
    skewness: central(3) / variance ** 1.5,
    kurtosis: central(4) / variance ** 2,
  };
}

/** Intensities that a known curve makes exactly normal. */
async function intensities(count: number): Promise<Float32Array> {
  const curve = pointwise({
    dimension: 1,
    lower: -0.02,
    upper: 1.6,
    rate: 1.2,
    asymmetry: 0.8,
    center: 1.4,
  });
  const y = createRandom(seed, "intensities").normalFill(new Float32Array(count));
  return (await synthesize(simdRunner, curve, y)).x as Float32Array;
}

describe("fitPointwise", () => {
  test("makes intensities normal if a curve can", async () => {
    const values = await intensities(20_000);
    expect(Math.abs(moments(values).skewness)).toBeGreaterThan(0.3);
    const curve = await fitPointwise(simdRunner, values);
    const { mean, variance, skewness, kurtosis } = moments(
      (await gaussianize(simdRunner, curve, values)).y,
    );
    // Standard errors of 20,000 values are 0.007, 0.01, 0.017 and 0.035.
    expect(Math.abs(mean)).toBeLessThan(0.05);
    expect(Math.abs(variance - 1)).toBeLessThan(0.05);
    expect(Math.abs(skewness)).toBeLessThan(0.1);
    expect(Math.abs(kurtosis - 3)).toBeLessThan(0.2);
  });

  test("is defined for every training value, also for those in no batch", async () => {
    const values = await intensities(5000);
    values[17] = -0.9;
    values[4000] = 7;
    const curve = await fitPointwise(simdRunner, values, { steps: 60, batch: 64 });
    const { y } = await gaussianize(simdRunner, curve, values);
    expect(y.every(Number.isFinite)).toBe(true);
  });

  test("gives the same bits for the same seed, and rejects constant values", async () => {
    const values = await intensities(500);
    const fit = (of: number) =>
      fitPointwise(simdRunner, values, { steps: 20, batch: 50, seed: of });
    expect(await fit(3)).toEqual(await fit(3));
    expect(await fit(3)).not.toEqual(await fit(4));
    await expectError(fitPointwise(simdRunner, new Float32Array(9).fill(0.5)), {
      code: "degenerate-data",
    });
  });
});
