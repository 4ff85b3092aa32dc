import { describe, expect, test } from "vitest";
import { denoiseByMarginals, jeffreysEstimate } from "../../src/denoising/wavelet-marginal.js";
import { joinWavelets, splitIntoWavelets } from "../../src/wavelets/orthonormal-wavelet.js";
import { expectClose, float32Epsilon } from "../support/expect-close.js";

describe("the estimate of one coefficient", () => {
  test.each([
    // y, σ, x̂
    [2, 1, 0.5],
    [-2, 1, -0.5],
    [3, 1, 2],
    [1.7, 1, 0],
    [-1.7, 1, 0],
    [0, 1, 0],
    [6, 2, 4],
    [5, 0, 5],
  ])("of %d at σ = %d is %d", (y, sigma, expected) => {
    expectClose(jeffreysEstimate(y, sigma), expected, { relative: 1e-15 });
  });

  test("is the posterior mean with the most probable variance", () => {
    // Jeffreys' prior of the variance v is 1/(v + σ²); −2 log of the posterior: 3 log(v + σ²) +
    // y²/(v + σ²).
    const [y, sigma] = [2.7, 0.9];
    const noise = sigma * sigma;
    const cost = (v: number): number => 3 * Math.log(v + noise) + (y * y) / (v + noise);
    const mode = y * y * (1 / 3) - noise;
    for (const v of [0, 0.5 * mode, 0.99 * mode, 1.01 * mode, 2 * mode]) {
      expect(cost(v)).toBeGreaterThan(cost(mode));
    }
    expectClose(jeffreysEstimate(y, sigma), (y * mode) / (mode + noise), { relative: 1e-14 });
  });
});

describe("in an image", () => {
  test("a single coefficient is shrunk by the rule, and all others stay 0", async () => {
    const flat = { width: 64, height: 64, pixels: new Float32Array(64 * 64) };
    const bands = splitIntoWavelets(flat, { scales: 2, wavelet: "haar" });
    // Haar's wavelets do not overlap, so the reflected border cannot reach this one.
    bands.details[1].vertical.values[5 * 16 + 7] = 2;
    const image = { ...flat, pixels: new Float32Array(joinWavelets(bands).pixels) };
    const options = { sigma: 0.5, scales: 2, wavelet: "haar" } as const;
    const found = splitIntoWavelets(await denoiseByMarginals(image, options), options);
    const values = new Float64Array(16 * 16);
    values[5 * 16 + 7] = 2 - 0.75 / 2;
    const tolerance = { absolute: 8 * float32Epsilon };
    expectClose(found.details[1].vertical.values, values, tolerance);
    expectClose(found.coarse.values, new Float64Array(256), tolerance);
  });
});
