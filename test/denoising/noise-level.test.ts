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

  it("refuses what is no picture", () => {
    const empty = { width: 0, height: 5, pixels: new Float32Array(0) };
    expect(() => estimateNoiseLevel(empty)).toThrow("the width of the image");
  });
});
