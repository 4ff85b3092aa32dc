import { describe, expect, test } from "vitest";
import { estimateNoise } from "../../src/denoising/noise-level.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import { createRandom } from "../../src/random/random-stream.js";
import { asJpeg } from "../support/picture-bytes.js";
import { expectClose } from "../support/expect-close.js";
import { expectError } from "../support/expect-error.js";
import { noisyImage, stripes, noisyScene } from "../support/scenes.js";
import { seed } from "../support/seed.js";

const levelOf = (...input: Parameters<typeof estimateNoise>): number =>
  estimateNoise(...input).sigma;
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

describe(`estimateNoise (seed ${seed})`, () => {
  // With 8,464 patches of 49 pixels, σ has a standard error of about 1 %.
  test.each([0.01, 0.1, 0.5])("finds σ = %d over a smooth picture to 4 %%", (sigma) => {
    const found = levelOf(withNoise(smooth(98, 98), sigma));
    expectClose(found, sigma, { relative: 0.04 });
  });

  test.each([2, 3, 8])("does not mistake diagonal stripes, %i pixels wide, for noise", (width) => {
    const { noisy } = noisyImage({ width: 72, height: 72 }, 25 / 255, stripes(width));
    const { sigma, doubt } = estimateNoise(noisy);
    expectClose(255 * sigma, 25, { relative: 0.05 });
    expect(doubt).toBeUndefined();
  });

  test("does not mistake a weave for noise", () => {
    const weave = (x: number, y: number): number =>
      0.5 + 0.2 * Math.sin(1.1 * x) * Math.cos(1.3 * y) + 0.1 * Math.sin(0.9 * (x + y));
    const { noisy } = noisyImage({ width: 72, height: 72 }, 10 / 255, weave);
    expectClose(255 * levelOf(noisy), 10, { relative: 0.05 });
  });

  test.each([
    [300, 1],
    [1, 300],
    [4, 90],
    [16, 16],
  ])("finds the noise of %i×%i pixels to 15 %%", (width, height) => {
    const { noisy } = noisyImage({ width, height }, 0.1, (x, y) => 0.3 + 0.001 * (x + y));
    expectClose(levelOf(noisy), 0.1, { relative: 0.15 });
  });

  test.each([
    [2, 1],
    [3, 2],
    [7, 3],
  ])("is a number for as few as %i×%i pixels", (width, height) => {
    const { noisy } = noisyImage({ width, height }, 0.1, () => 0.5);
    expect(levelOf(noisy)).toBeGreaterThanOrEqual(0);
  });

  test("doubts an estimate if nothing looks like white noise", () => {
    const { noisy } = noisyImage({ width: 72, height: 72 }, 0.1, () => 0.5);
    // Means of neighbouring pixels have no noise of high frequencies.
    const smoothed = noisy.pixels.map((value, k) => (value + noisy.pixels[Math.max(0, k - 1)]) / 2);
    expect(estimateNoise({ ...noisy, pixels: smoothed }).doubt).toBe("texture");
  });

  test("finds the noise before JPEG from the tables of the file, and doubts it", async () => {
    const { noisy } = noisyImage({ width: 128, height: 96 }, 25 / 255, (x) => 0.4 + x / 640);
    const { image, jpeg } = await asJpeg(noisy, 50);
    const found = estimateNoise(image, { jpeg });
    expectClose(255 * found.sigma, 25, { relative: 0.12 });
    expect(found.doubt).toBe("jpeg");
    // Without the tables it is far too low.
    expect(255 * levelOf(image)).toBeLessThan(18);
  });

  test("does not doubt a JPEG file that is finer than its noise", async () => {
    const { noisy } = noisyImage({ width: 96, height: 96 }, 25 / 255, stripes(3));
    const { image, jpeg } = await asJpeg(noisy, 95);
    const { sigma, doubt } = estimateNoise(image, { jpeg });
    expectClose(255 * sigma, 25, { relative: 0.06 });
    expect(doubt).toBeUndefined();
  });

  test("scales with the image", () => {
    const image = withNoise(smooth(63, 41), 0.1);
    const twice = { ...image, pixels: image.pixels.map((value) => 2 * value) };
    expectClose(levelOf(twice), 2 * levelOf(image), { relative: 1e-14 });
  });

  test("is hardly affected by the edges of a scene", () => {
    const found = levelOf(noisyScene(128, 128, 0.1).noisy);
    expect(found).toBeGreaterThan(0.09);
    expect(found).toBeLessThan(0.13);
  });

  test.each([
    [1, 1],
    [7, 3],
    [64, 64],
  ])("is exactly 0 for a constant image of %i×%i pixels", (width, height) => {
    const pixels = new Float32Array(width * height).fill(0.7);
    expect(levelOf({ width, height, pixels })).toBe(0);
  });

  describe("of clipped images", () => {
    const clip = (image: GreyImage): { image: GreyImage; clipped: Uint8Array } => {
      const pixels = image.pixels.map((value) => Math.min(1, Math.max(0, value)));
      const clipped = Uint8Array.from(pixels, (value) => Number(value === 0 || value === 1));
      return { image: { ...image, pixels }, clipped };
    };
    const shareOf = (clipped: Uint8Array): number =>
      clipped.reduce((sum, value) => sum + value, 0) / clipped.length;

    test.each([
      [0.35, 0.2],
      [0.6, 0.5],
      [0.75, 0.65],
    ])("finds σ to 10 %% when made darker by %d, more than %d of it black", (dark, share) => {
      const scene = smooth(192, 192);
      const darker = { ...scene, pixels: scene.pixels.map((value) => value - dark) };
      const { image, clipped } = clip(withNoise(darker, 0.06));
      expect(shareOf(clipped)).toBeGreaterThan(share);
      // The noise of what is nearly black is missing.
      expectClose(levelOf(image, { clipped }), 0.06, { relative: 0.1 });
    });

    test("uses enough of a small image to find its noise", () => {
      const { noisy } = noisyImage({ width: 16, height: 16 }, 0.3, (x, y) => 0.2 + 0.02 * (x + y));
      const { image, clipped } = clip(noisy);
      expect(shareOf(clipped)).toBeGreaterThan(0.02);
      // Noise that is clipped on both sides is weaker.
      expect(levelOf(image, { clipped })).toBeGreaterThan(0.1);
    });

    test("does not mistake the lines of a page for noise", () => {
      // Grey edges of black lines on white: most pixels are clipped everywhere.
      const pixels = Float32Array.from({ length: 128 * 96 }, (_, k) => {
        const [x, y] = [k % 128, Math.floor(k / 128)];
        const line = (x + 2 * y) % 16;
        return line === 0 ? 0 : line === 1 ? 0.4 : 1;
      }).map((value, k) => (k % 128 < 80 ? value : 1));
      const { image, clipped } = clip({ width: 128, height: 96, pixels });
      expect(levelOf(image, { clipped })).toBe(levelOf(image));
    });

    test("is exactly 0 for a black image", () => {
      const black = { width: 40, height: 30, pixels: new Float32Array(1200) };
      expect(levelOf(black, { clipped: new Uint8Array(1200).fill(1) })).toBe(0);
    });

    test("rejects marks of another length", () => {
      expectError(() => levelOf(smooth(8, 8), { clipped: new Uint8Array(63) }), {
        code: "invalid-argument",
        argument: "clipped",
        phrase: /64.*63/,
      });
    });
  });

  test("rejects an empty picture", () => {
    const empty = { width: 0, height: 5, pixels: new Float32Array(0) };
    expect(() => levelOf(empty)).toThrow("the width of the image");
  });
});
