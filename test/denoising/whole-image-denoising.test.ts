import { describe, expect, test } from "vitest";
import { imageScore } from "../../src/density/images/image-score.js";
import type { ImageModel } from "../../src/density/model-files/model.js";
import { densityOf } from "../../src/density/density-of.js";
import { denoiseImage } from "../../src/denoising/denoise-image.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { imageCascade } from "../../src/transforms/image-cascade.js";
import { expectClose, expectSameBits } from "../support/expect-close.js";
import { expectError } from "../support/expect-error.js";
import { noiseImage, smallCascade } from "../support/image-models.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";

const sigma = 0.2;
const model: ImageModel = { transform: smallCascade, about: {} };
const { pixels, ...size } = noiseImage(13, 10);
const noisy = { ...size, pixels: Float32Array.from(pixels) };

describe("denoising by a density of whole images", () => {
  test("is paper eq. (7) away from the edges, averaged over shifts of the grid", async () => {
    const found = await denoiseImage(densityOf(model, referenceRunner), noisy, {
      sigma,
      bounded: false,
    });
    // By hand: every grid of 2×2 blocks, on an image reflected beyond the reach of 3×3 filters.
    const margin = 16;
    const sums = new Float64Array(noisy.pixels.length);
    for (const [dx, dy] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ]) {
      const [width, height] = [13 + 2 * margin + 1, 10 + 2 * margin];
      const at = (k: number, length: number): number => {
        const place = ((k % (2 * length)) + 2 * length) % (2 * length);
        return place < length ? place : 2 * length - 1 - place;
      };
      const extended = Float64Array.from({ length: width * height }, (_, k) => {
        const [x, y] = [(k % width) - margin - dx, Math.floor(k / width) - margin - dy];
        return noisy.pixels[at(y, 10) * 13 + at(x, 13)];
      });
      const image = { width, height, pixels: extended };
      const score = await imageScore(referenceRunner, smallCascade, image);
      for (const k of noisy.pixels.keys()) {
        const [x, y] = [(k % 13) + margin + dx, Math.floor(k / 13) + margin + dy];
        sums[k] += noisy.pixels[k] + sigma ** 2 * score.pixels[y * width + x];
      }
    }
    // The result is Float32.
    expectClose(
      found.pixels,
      sums.map((value) => value / 4),
      { absolute: 1e-6 },
    );
  });

  test("shrinks x̃ towards its mean if the model is normal", async () => {
    // y = (x − m)/s: p is N(m, s²), and E(x | x̃) = x̃ − σ²/s² (x̃ − m).
    const [s, m] = [0.5, 0.4];
    const stages = [
      affine({
        dimension: 4,
        scale: [1, 1, 1, 1].map(() => 1 / s),
        shift: [1, 1, 1, 1].map(() => -m / s),
      }),
    ];
    const normal = { transform: imageCascade({ stride: 2, stages }), about: {} };
    const found = await denoiseImage(densityOf(normal, referenceRunner), noisy, {
      sigma,
      bounded: false,
    });
    const wanted = noisy.pixels.map((x) => x - (sigma / s) ** 2 * (x - m));
    expectClose(found.pixels, wanted, { absolute: 1e-6 });
  });

  test("has the same bits in tiles, and different ones with fewer shifts", async () => {
    const whole = await denoiseImage(densityOf(model, simdRunner), noisy, { sigma });
    const tiles = await denoiseImage(densityOf(model, simdRunner), noisy, { sigma, tileSize: 5 });
    expectSameBits(tiles.pixels, whole.pixels);
    const single = await denoiseImage(densityOf(model, simdRunner), noisy, { sigma, stride: 2 });
    expect(single.pixels).not.toEqual(whole.pixels);
  });

  test("scales the contrast if the model has another noise level", async () => {
    const known: ImageModel = { ...model, about: { preprocessing: { noiseLevel: 0.4 } } };
    const found = await denoiseImage(densityOf(known, referenceRunner), noisy, { sigma });
    const mean = noisy.pixels.reduce((sum, value) => sum + value, 0) / noisy.pixels.length;
    const doubled = { ...noisy, pixels: noisy.pixels.map((x) => mean + 2 * (x - mean)) };
    const other = await denoiseImage(densityOf(known, referenceRunner), doubled, { sigma: 0.4 });
    // Both pass through Float32 on the way.
    expectClose(
      found.pixels,
      other.pixels.map((x) => mean + (x - mean) / 2),
      { absolute: 1e-5 },
    );
  });

  test("accepts images of any size, reports progress, and copies images without noise", async () => {
    const dot = { width: 1, height: 1, pixels: Float32Array.of(0.3) };
    const found = await denoiseImage(densityOf(model, simdRunner), dot, { sigma });
    expect([found.width, found.height, found.pixels.length]).toEqual([1, 1, 1]);
    const seen: number[] = [];
    await denoiseImage(densityOf(model, simdRunner), noisy, {
      sigma,
      tileSize: 8,
      onProgress: (done, total) => seen.push(done / total),
    });
    expect(seen).toHaveLength(4 * 4);
    expect(seen.at(-1)).toBe(1);
    const same = await denoiseImage(densityOf(model, simdRunner), noisy, { sigma: 0 });
    expect(same).toEqual(noisy);
    expect(same.pixels).not.toBe(noisy.pixels);
  });

  test("bounds the noise of a block", async () => {
    // Far from the training data, plain eq. (7) would remove any amount.
    const random = createRandom(1, "far");
    const far = { ...noisy, pixels: noisy.pixels.map(() => 30 + random.normal()) };
    const found = await denoiseImage(densityOf(model, simdRunner), far, { sigma });
    // |mean| ≤ 5 σ/√4, and the rest at most 1.25 σ √4 in length.
    const most = 2.5 * sigma + 2.5 * sigma;
    found.pixels.forEach((value, k) => {
      expect(Math.abs(value - far.pixels[k])).toBeLessThan(most);
    });
  });

  test.each([
    [{ sigma: -1 }, "sigma"],
    [{ sigma, stride: 3 }, "stride"],
    [{ sigma, tileSize: 0 }, "tileSize"],
    [{ sigma, bounded: 1 as never }, "bounded"],
    [{ sigma, rounds: 2 } as never, "the options"],
  ])("rejects %j", async (options, argument) => {
    const denoised = denoiseImage(densityOf(model, simdRunner), noisy, options);
    await expectError(denoised, { code: "invalid-argument", argument });
  });
});
