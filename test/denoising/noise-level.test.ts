import { describe, expect, it } from "vitest";
import { estimateNoiseLevel } from "../../src/denoising/noise-level.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose } from "../support/expect-close.js";
import { noisyScene } from "../support/noisy-scene.js";
import { seed } from "../support/seed.js";

const smooth = (width: number, height: number): GreyImage => ({
  width,
  height,
  pixels: Float32Array.from(
    { length: width * height },
    (_, k) => 0.5 + 0.4 * Math.sin((k % width) / 40) * Math.cos(Math.floor(k / width) / 30),
  ),
});
const withNoise = (image: GreyImage, sigma: number): GreyImage => {
  const noise = createRandom(seed, "level").normalFill(new Float32Array(image.pixels.length));
  return { ...image, pixels: image.pixels.map((value, k) => value + sigma * noise[k]) };
};

describe(`estimateNoiseLevel (seed ${seed})`, () => {
  // The median of 16,384 has a relative standard error of 1.17/√16384 = 0.9 %.
  it.each([0.01, 0.1, 0.5])("finds σ = %d over a smooth picture to 4 %%", (sigma) => {
    const found = estimateNoiseLevel(withNoise(smooth(256, 256), sigma));
    expectClose(found, sigma, { relative: 0.04 });
  });

  it("scales with the image", () => {
    const image = withNoise(smooth(63, 41), 0.1);
    const twice = { ...image, pixels: image.pixels.map((value) => 2 * value) };
    expectClose(estimateNoiseLevel(twice), 2 * estimateNoiseLevel(image), { relative: 1e-14 });
  });

  it("does not mind the edges of a scene much", () => {
    const found = estimateNoiseLevel(noisyScene(128, 128, 0.1).noisy);
    expect(found).toBeGreaterThan(0.09);
    expect(found).toBeLessThan(0.13);
  });

  it.each([
    [1, 1],
    [7, 3],
    [64, 64],
  ])("is exactly 0 for a constant image of %i×%i pixels", (width, height) => {
    const pixels = new Float32Array(width * height).fill(0.7);
    expect(estimateNoiseLevel({ width, height, pixels })).toBe(0);
  });

  describe("of clipped images", () => {
    const clip = (image: GreyImage): { image: GreyImage; clipped: Uint8Array } => {
      const pixels = image.pixels.map((value) => Math.min(1, Math.max(0, value)));
      const clipped = Uint8Array.from(pixels, (value) => Number(value === 0 || value === 1));
      return { image: { ...image, pixels }, clipped };
    };
    const shareOf = (clipped: Uint8Array): number =>
      clipped.reduce((sum, value) => sum + value, 0) / clipped.length;

    it.each([
      [0.35, 0.2],
      [0.6, 0.5],
      [0.75, 0.65],
    ])("finds σ to 10 %% when made darker by %d, more than %d of it black", (dark, share) => {
      const scene = smooth(256, 256);
      const darker = { ...scene, pixels: scene.pixels.map((value) => value - dark) };
      const { image, clipped } = clip(withNoise(darker, 0.06));
      expect(shareOf(clipped)).toBeGreaterThan(share);
      // 800 coefficients, of 4 %; the noise of what is nearly black is missing.
      expectClose(estimateNoiseLevel(image, { clipped }), 0.06, { relative: 0.1 });
    });

    it("takes the lines of a page for no noise", () => {
      // Grey edges of black lines on white: most of all pixels are clipped wherever one looks.
      const pixels = Float32Array.from({ length: 128 * 96 }, (_, k) => {
        const [x, y] = [k % 128, Math.floor(k / 128)];
        const line = (x + 2 * y) % 16;
        return line === 0 ? 0 : line === 1 ? 0.4 : 1;
      }).map((value, k) => (k % 128 < 80 ? value : 1));
      const { image, clipped } = clip({ width: 128, height: 96, pixels });
      expect(estimateNoiseLevel(image, { clipped })).toBe(estimateNoiseLevel(image));
    });

    it("is exactly 0 where all is black", () => {
      const black = { width: 40, height: 30, pixels: new Float32Array(1200) };
      expect(estimateNoiseLevel(black, { clipped: new Uint8Array(1200).fill(1) })).toBe(0);
    });

    it("refuses marks of another length", () => {
      const refused = () => estimateNoiseLevel(smooth(8, 8), { clipped: new Uint8Array(63) });
      expect(refused).toThrow("Expected clipped to hold 64 values, one a pixel but received 63.");
    });
  });

  it("refuses what is no picture", () => {
    const empty = { width: 0, height: 5, pixels: new Float32Array(0) };
    expect(() => estimateNoiseLevel(empty)).toThrow("the width of the image");
  });
});
