import { describe, expect, test } from "vitest";
import { jpegNoise } from "../../src/denoising/jpeg-noise.js";
import { centralCrop } from "../../src/images/grey-image.js";
import { jpegBlocksFrom } from "../../src/images/jpeg-tables.js";
import { asJpeg } from "../support/picture-bytes.js";
import { expectClose } from "../support/expect-close.js";
import { noisyImage } from "../support/scenes.js";
import { seed } from "../support/seed.js";

const size = { width: 128, height: 128 };
/** Flat on the left, a coarse pattern on the right. */
const scene = (x: number, y: number): number =>
  0.5 + (x < 64 ? x / 640 : 0.2 * Math.sin(x / 3) * Math.cos(y / 4));

describe(`jpegNoise (seed ${seed})`, () => {
  // 64 blocks with 9 coefficients in a group give σ to 5 %; the second smallest of six is lower.
  test.each([
    [25, 90],
    [25, 50],
    [10, 70],
    [10, 50],
    [5, 80],
  ])("finds σ = %d before a JPEG file of quality %d to 15 %%", async (sigma, quality) => {
    const { noisy } = noisyImage(size, sigma / 255, scene);
    const { image, jpeg } = await asJpeg(noisy, quality);
    expectClose(255 * (jpegNoise(image, jpeg) ?? 0), sigma, { relative: 0.15 });
  });

  test("finds the blocks of a part", async () => {
    const { noisy } = noisyImage(size, 10 / 255, scene);
    const { image, jpeg } = await asJpeg(noisy, 50);
    // 5 columns and 3 rows are cut off.
    const part = centralCrop(image, { width: 118, height: 122 });
    const found = jpegNoise(part, jpegBlocksFrom(jpeg, 5, 3)) ?? 0;
    expectClose(255 * found, 10, { relative: 0.15 });
  });

  test("is 0 if no noise is left", async () => {
    const { image, jpeg } = await asJpeg(noisyImage(size, 0.5 / 255, scene).noisy, 50);
    expect(jpegNoise(image, jpeg)).toBe(0);
  });

  test("is undefined for fewer than 8 blocks, and for clipped ones", async () => {
    const { image, jpeg } = await asJpeg(noisyImage(size, 0.1, scene).noisy, 90);
    expect(jpegNoise(centralCrop(image, { width: 24, height: 16 }), jpeg)).toBeUndefined();
    const clipped = new Uint8Array(image.pixels.length).fill(1);
    expect(jpegNoise(image, jpeg, clipped)).toBeUndefined();
  });
});
