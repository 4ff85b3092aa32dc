import { expect, test } from "vitest";
import { trustedChange } from "../../../src/denoising/guided/trusted-change.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { seed } from "../../support/seed.js";

const [width, height, sigma] = [40, 30, 0.1];
const guide = {
  width,
  height,
  pixels: createRandom(seed, "guide").uniformFill(new Float32Array(width * height)),
};
/** Returns the guide with a change of `size` noise levels in its left half. */
const changed = (size: number) => ({
  ...guide,
  pixels: guide.pixels.map((value, k) => value + (k % width < width / 2 ? size * sigma : 0)),
});

test("keeps small changes", () => {
  const estimate = changed(0.14);
  const { pixels } = trustedChange(guide, estimate, sigma);
  pixels.forEach((value, k) => {
    expect(Math.abs(value - estimate.pixels[k])).toBeLessThan(1e-6);
  });
});

test("discards large changes, and only where they are", () => {
  const estimate = changed(0.9);
  // A small change in the right half, away from the large one.
  const [near, far] = [width * 10 + 5, width * 10 + 35];
  estimate.pixels[far] += 0.2 * sigma;
  const { pixels } = trustedChange(guide, estimate, sigma);
  expect(pixels[near]).toBe(guide.pixels[near]);
  expect(pixels[far]).toBeCloseTo(estimate.pixels[far], 6);
});

test("mixes both in between", () => {
  const { pixels } = trustedChange(guide, changed(0.2), sigma);
  // d² = 0.04 is in the middle of 0.02 and 0.06.
  expect((pixels[0] - guide.pixels[0]) / (0.2 * sigma)).toBeCloseTo(0.5, 4);
});
