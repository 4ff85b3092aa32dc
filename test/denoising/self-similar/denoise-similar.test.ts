import { describe, expect, test } from "vitest";
import { denoiseSelfSimilar } from "../../../src/denoising/self-similar/denoise-similar.js";
import { openRunner } from "../../../dist/node/worker-threads.js";
import type { GreyImage } from "../../../src/images/grey-image.js";
import { withWhiteNoise } from "../../../src/preprocessing/white-noise.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { expectClose, expectSameBits } from "../../support/expect-close.js";
import { expectError } from "../../support/expect-error.js";
import { simdRunner } from "../../support/inline-runners.js";
import { seed } from "../../support/seed.js";

const sigma = 0.1;

function imageOf(width: number, height: number, at: (x: number, y: number) => number): GreyImage {
  const pixels = new Float32Array(width * height);
  for (let k = 0; k < pixels.length; k++) pixels[k] = at(k % width, Math.floor(k / width));
  return { width, height, pixels };
}

function noised(image: GreyImage, level: number, name: string): GreyImage {
  const random = createRandom(seed, "self-similar", name);
  return { ...image, pixels: withWhiteNoise(image.pixels, level, random) };
}

function errorOf(a: GreyImage, b: GreyImage): number {
  return a.pixels.reduce((sum, value, k) => sum + (value - b.pixels[k]) ** 2, 0) / a.pixels.length;
}

const bricks = imageOf(90, 75, (x, y) => {
  const isJoint = y % 8 === 0 || (x + (y % 16 < 8 ? 0 : 8)) % 16 === 0;
  return isJoint ? 0.2 : 0.6 + 0.002 * x;
});

describe("denoiseSelfSimilar", () => {
  test("improves an estimate of a picture with repeating structure", async () => {
    const noisy = noised(bricks, sigma, "noise");
    const guide = noised(bricks, 0.3 * sigma, "guide");
    const clean = await denoiseSelfSimilar(simdRunner, noisy, guide, { sigma });
    expect(errorOf(clean, bricks)).toBeLessThan(0.75 * errorOf(guide, bricks));
  });

  test("has the same bits for 1 and 2 workers, and reports progress", async () => {
    const noisy = noised(bricks, sigma, "noise");
    const inline = await denoiseSelfSimilar(simdRunner, noisy, bricks, { sigma });
    const runner = await openRunner({ workers: 2 });
    const parts: number[] = [];
    const onProgress = (done: number, total: number) => parts.push(done / total);
    const parallel = await denoiseSelfSimilar(runner, noisy, bricks, { sigma, onProgress });
    await runner.close();
    expectSameBits(parallel.pixels, inline.pixels);
    expect(parts).toEqual([...parts].sort((a, b) => a - b));
    expect(parts.at(-1)).toBe(1);
  });

  test("keeps a constant picture constant", async () => {
    const flat = imageOf(20, 12, () => 0.3);
    const clean = await denoiseSelfSimilar(simdRunner, flat, flat, { sigma });
    expectClose(clean.pixels, flat.pixels, { relative: 1e-6 });
  });

  test("keeps flat areas nearly flat", async () => {
    const flat = imageOf(64, 64, () => 0.5);
    const clean = await denoiseSelfSimilar(simdRunner, noised(flat, sigma, "flat"), flat, {
      sigma,
    });
    expect(errorOf(clean, flat)).toBeLessThan(0.01 * sigma * sigma);
  });

  test.each([
    [7, 7],
    [8, 30],
    [16, 9],
  ])("denoises a picture of %i×%i pixels, smaller than a window", async (width, height) => {
    const image = imageOf(width, height, (x) => (x % 2 === 0 ? 0.2 : 0.7));
    const noisy = noised(image, sigma, "small");
    const { pixels } = await denoiseSelfSimilar(simdRunner, noisy, image, { sigma });
    expect(pixels.every(Number.isFinite)).toBe(true);
  });

  test("returns the guide of a picture smaller than a patch, or without noise", async () => {
    const narrow = imageOf(30, 6, (x) => x / 30);
    const noisy = noised(narrow, sigma, "narrow");
    expect(await denoiseSelfSimilar(simdRunner, noisy, narrow, { sigma })).toBe(narrow);
    expect(await denoiseSelfSimilar(simdRunner, noisy, narrow, { sigma: 0 })).toBe(narrow);
  });

  test("rejects a guide of another size", async () => {
    const other = imageOf(20, 12, () => 0);
    await expectError(denoiseSelfSimilar(simdRunner, bricks, other, { sigma }), {
      code: "invalid-argument",
      phrase: "the guide",
    });
  });
});
