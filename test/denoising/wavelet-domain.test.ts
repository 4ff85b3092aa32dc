import { describe, expect, test } from "vitest";
import type { WaveletDenoisingOptions } from "../../src/denoising/wavelet-domain.js";
import { denoiseByScaleMixtures } from "../../src/denoising/wavelet-gsm.js";
import { denoiseByMarginals } from "../../src/denoising/wavelet-marginal.js";
import { denoiseByWiener } from "../../src/denoising/wiener.js";
import { psnrInDecibels } from "../../src/evaluation/picture-quality.js";
import { ssim } from "../../src/evaluation/ssim.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import { expectClose, float32Epsilon } from "../support/expect-close.js";
import { noisyScene } from "../support/scenes.js";
import { sentenceOf } from "../support/expect-error.js";

const sigma = 0.1;
const methods = [
  ["marginals", denoiseByMarginals],
  ["scale mixtures", denoiseByScaleMixtures],
  ["Wiener", denoiseByWiener],
] as const;

describe.each(methods)("%s", (_, denoise) => {
  test.each([0.05, 0.1, 0.2])("improves a scene with noise of %d", async (level) => {
    const { clean, noisy } = noisyScene(96, 80, level);
    const denoised = await denoise(noisy, { sigma: level });
    expect(psnrInDecibels(denoised, clean)).toBeGreaterThan(psnrInDecibels(noisy, clean));
    expect(ssim(denoised, clean)).toBeGreaterThan(ssim(noisy, clean));
  });

  test("is better with every quadrupling of the shifts", async () => {
    const { clean, noisy } = noisyScene(64, 64, sigma);
    const values: number[] = [];
    for (const shifts of [1, 4, 16]) {
      values.push(psnrInDecibels(await denoise(noisy, { sigma, shifts }), clean));
    }
    expect(values).toEqual([...values].sort((a, b) => a - b));
    expect(values[2] - values[0]).toBeGreaterThan(0.1);
  });

  test("accepts images of any size, and does not change them", async () => {
    for (const [width, height] of [
      [1, 1],
      [3, 40],
      [45, 17],
    ]) {
      const { noisy } = noisyScene(width, height, sigma);
      const before = noisy.pixels.slice();
      const denoised = await denoise(noisy, { sigma, shifts: 3 });
      expect([denoised.width, denoised.height]).toEqual([width, height]);
      expect(denoised.pixels.every(Number.isFinite)).toBe(true);
      expect(noisy.pixels).toEqual(before);
    }
  });

  test("accepts bands of one coefficient", async () => {
    const { noisy } = noisyScene(20, 20, sigma);
    const { pixels } = await denoise(noisy, { sigma, scales: 7 });
    expect(pixels.every(Number.isFinite)).toBe(true);
  });

  test("returns a copy for σ = 0, and keeps a flat image flat", async () => {
    const { noisy } = noisyScene(20, 20, sigma);
    const same = await denoise(noisy, { sigma: 0 });
    expect(same).toEqual({ width: 20, height: 20, pixels: noisy.pixels });
    expect(same.pixels).not.toBe(noisy.pixels);
    for (const least of [Number.MIN_VALUE, 1e-44, 1e-9]) {
      const { pixels } = await denoise(noisy, { sigma: least });
      expectClose(pixels, noisy.pixels, { absolute: 4 * float32Epsilon }, `σ = ${least}`);
    }
    const flat = { width: 30, height: 20, pixels: new Float32Array(600).fill(0.6) };
    const { pixels } = await denoise(flat, { sigma, shifts: 2 });
    expectClose(pixels, flat.pixels, { absolute: float32Epsilon });
  });

  test("does not depend on the units of the pixels", async () => {
    const { noisy } = noisyScene(40, 30, sigma);
    const scaled = { ...noisy, pixels: noisy.pixels.map((value) => 256 * value) };
    const denoised = await denoise(noisy, { sigma });
    const { pixels } = await denoise(scaled, { sigma: 256 * sigma });
    const expected = denoised.pixels.map((value) => 256 * value);
    expectClose(pixels, expected, { relative: 16 * float32Epsilon, scale: 256 });
  });

  test("reports coefficients up to their number, and stops when it is aborted", async () => {
    const { noisy } = noisyScene(64, 64, sigma);
    const seen: number[] = [];
    let all = 0;
    const onProgress = (done: number, total: number): void => {
      seen.push(done);
      all = total;
    };
    await denoise(noisy, { sigma, shifts: 2, onProgress });
    // 64 pixels and 16 on either side, twice.
    expect(all).toBe(2 * 96 * 96);
    expect(seen.at(-1)).toBe(all);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    const stop = new AbortController();
    const stopped = denoise(noisy, {
      sigma,
      signal: stop.signal,
      onProgress: () => {
        stop.abort(new Error("enough"));
      },
    });
    await expect(stopped).rejects.toThrow("enough");
    await expect(denoise(noisy, { sigma, signal: stop.signal })).rejects.toThrow("enough");
  });

  test.each([
    [{ sigma: -1 }, "sigma to be a finite number of at least 0"],
    [{ sigma: NaN }, "sigma"],
    [{ shifts: 0 }, "shifts to be an integer from 1 to 64"],
    [{ shifts: 5, scales: 1 }, "from 1 to 4,"],
    [{ scales: 11 }, "scales"],
    [{ wavelet: "sinc" }, "wavelet"],
    [{ shift: 4 }, "shift"],
  ])("rejects %j", async (options, what) => {
    const { noisy } = noisyScene(16, 16, sigma);
    const all = { sigma, ...options } as WaveletDenoisingOptions;
    expect(await sentenceOf(denoise(noisy, all))).toContain(what);
  });

  test("rejects missing pixels and NaN", async () => {
    const { noisy } = noisyScene(16, 16, sigma);
    const torn: GreyImage = { ...noisy, height: 17 };
    expect(await sentenceOf(denoise(torn, { sigma }))).toContain("hold 272 pixels (16×17)");
    noisy.pixels[35] = NaN;
    const sentence = await sentenceOf(denoise(noisy, { sigma }));
    expect(sentence).toContain("column 3 of row 2 of the image to be a finite number");
  });
});

describe("of the three", () => {
  test.each([0.05, 0.1, 0.2])("marginals are last, with noise of %d", async (level) => {
    const { clean, noisy } = noisyScene(160, 128, level);
    const marginals = await denoiseByMarginals(noisy, { sigma: level });
    const wiener = await denoiseByWiener(noisy, { sigma: level });
    const mixtures = await denoiseByScaleMixtures(noisy, { sigma: level });
    const least = psnrInDecibels(marginals, clean) + 0.5;
    expect(psnrInDecibels(wiener, clean)).toBeGreaterThan(least);
    expect(psnrInDecibels(mixtures, clean)).toBeGreaterThan(least);
    expect(ssim(mixtures, clean)).toBeGreaterThan(ssim(marginals, clean));
  });
});
