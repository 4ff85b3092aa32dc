import { describe, expect, test } from "vitest";
import { densityOf } from "../../src/density/density-of.js";
import { denoiseImage } from "../../src/denoising/denoise-image.js";
import type { DenoisingOptions } from "../../src/denoising/empirical-bayes.js";
import type { Model } from "../../src/density/model-files/model.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import { jobs } from "../../src/jobs.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import { WorkerPool } from "../../src/parallel/worker-pool.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { linear } from "../../src/transforms/linear.js";
import type { Transform } from "../../src/transforms/transform.js";
import { startFakeWorker } from "../support/local-workers.js";
import { expectClose, float32Epsilon } from "../support/expect-close.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";
import { product } from "../support/matrices.js";
import { randomLayer } from "../support/models.js";
import { seed } from "../support/seed.js";
import { expectError, sentenceOf } from "../support/expect-error.js";

const random = createRandom(seed, "empirical Bayes");
const size = 3;
const n = size * size;
const sigma = 0.3;
const mean = 0.4;

const noise = (width: number, height: number): GreyImage => {
  const pixels = random.stream("image", width, height).normalFill(new Float32Array(width * height));
  return { width, height, pixels: pixels.map((value) => mean + 0.5 * value) };
};
const modelOf = (transform: Transform): Model => ({
  transform,
  about: { patch: { width: size, height: size } },
});

/** Covariance of clean patches: neighbours are similar, rows more than columns. */
const clean = Float64Array.from({ length: n * n }, (_, k) => {
  const [i, j] = [Math.floor(k / n), k % n];
  const down = Math.abs(Math.floor(i / size) - Math.floor(j / size));
  return 0.25 * 0.8 ** down * 0.6 ** Math.abs((i % size) - (j % size));
});
const noisyCovariance = clean.map((value, k) => value + (k % (n + 1) === 0 ? sigma ** 2 : 0));
const precision = new Float64Array(n * n);
referenceKernels.invert(noisyCovariance, n, precision);

/** Upper triangular H with HᵀH = A, by Cholesky's method. */
function rootOf(A: Float64Array): Float64Array {
  const H = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) {
      let rest = A[i * n + j];
      for (let k = 0; k < i; k++) rest -= H[k * n + i] * H[k * n + j];
      H[i * n + j] = i === j ? Math.sqrt(rest) : rest / H[i * n + i];
    }
  }
  return H;
}

/** y = H (x − mean): noisy patches are normal with the covariance C + σ² I. */
const normalModel = modelOf(
  cascade([
    affine({ dimension: n, scale: new Float64Array(n).fill(1), shift: Array(n).fill(-mean) }),
    linear({ dimension: n, H: rootOf(precision) }),
  ]),
);
/** mean + C (C + σ² I)⁻¹ (x̃ − mean) */
const wiener = product(clean, precision, n);

/** Pixel by pixel, the mean over every patch that holds it. */
function wienerByHand({ width, height, pixels }: GreyImage, tops: number[], lefts: number[]) {
  return pixels.map((_, at) => {
    const [y, x] = [Math.floor(at / width), at % width];
    const estimates: number[] = [];
    for (const top of tops.filter((t) => t <= y && y < t + size)) {
      for (const left of lefts.filter((l) => l <= x && x < l + size)) {
        const i = (y - top) * size + (x - left);
        let estimate = mean;
        for (let j = 0; j < n; j++) {
          const from = (top + Math.floor(j / size)) * width + left + (j % size);
          estimate += wiener[i * n + j] * (pixels[from] - mean);
        }
        estimates.push(estimate);
      }
    }
    expect(estimates.length, `patches with pixel ${at} of ${width}×${height}`).toBeGreaterThan(0);
    return estimates.reduce((sum, value) => sum + value, 0) / estimates.length;
  });
}

/** Plain eq. (7): these images have far more fine detail than noise. */
const denoise = (model: Model, image: GreyImage, options: Partial<DenoisingOptions> = {}) =>
  denoiseImage(densityOf(model, referenceRunner), image, { sigma, bounded: false, ...options });
/** Patches and results are rounded to Float32, values are below 4. */
const rounding = { absolute: 16 * float32Epsilon };
const upTo = (last: number): number[] => Array.from({ length: last + 1 }, (_, k) => k);

describe("patches weighted by their error", () => {
  test("have the weights 1/(σ² − ‖x̃ − x̂‖²/N), by default equal weights", async () => {
    // Two patches side by side, with so little contrast that no more than noise is removed.
    const wide = noise(4, 3);
    const image = { ...wide, pixels: wide.pixels.map((value) => mean + 0.4 * (value - mean)) };
    const patches = [0, 1].map((left) => ({
      width: 3,
      height: 3,
      pixels: Float32Array.from({ length: 9 }, (_, k) => {
        return image.pixels[4 * Math.floor(k / 3) + left + (k % 3)];
      }),
    }));
    const alone = await Promise.all(patches.map((patch) => denoise(normalModel, patch)));
    const weights = alone.map(({ pixels }, p) => {
      const squares = pixels.reduce((sum, v, k) => sum + (patches[p].pixels[k] - v) ** 2, 0);
      return 1 / (sigma ** 2 - squares / n);
    });
    expect(Math.min(...weights)).toBeGreaterThan(0);
    expect(Math.abs(weights[0] / weights[1] - 1)).toBeGreaterThan(0.05);
    const meanWith = ([first, second]: readonly number[]): Float32Array =>
      image.pixels.map((_, k) => {
        const [row, column] = [Math.floor(k / 4), k % 4];
        if (column === 0) return alone[0].pixels[3 * row];
        if (column === 3) return alone[1].pixels[3 * row + 2];
        const said = [alone[0].pixels[3 * row + column], alone[1].pixels[3 * row + column - 1]];
        return (first * said[0] + second * said[1]) / (first + second);
      });
    const weighted = await denoise(normalModel, image, { weighting: "error" });
    expectClose(weighted.pixels, meanWith(weights), rounding);
    const uniform = await denoise(normalModel, image, { weighting: "uniform" });
    expectClose(uniform.pixels, meanWith([1, 1]), rounding);
    expect((await denoise(normalModel, image)).pixels).toEqual(uniform.pixels);
  });
});

describe("the bounded noise", () => {
  /** Mean of the noise removed from a single patch, and length of the rest. */
  const taken = async (patch: Float32Array, factor: number, bounded: boolean) => {
    // A density narrower than the noise sees too much noise.
    const scale = new Float32Array(n).fill(factor / sigma);
    const shift = scale.map((value) => -mean * value);
    const model = modelOf(affine({ dimension: n, scale, shift }));
    const { pixels } = await denoise(
      model,
      { width: size, height: size, pixels: patch },
      { bounded },
    );
    const noise = Float64Array.from(patch, (value, k) => value - pixels[k]);
    const average = noise.reduce((sum, value) => sum + value, 0) / n;
    return { average, length: Math.hypot(...noise.map((value) => value - average)) };
  };
  const patch = (deviation: number, offset: number): Float32Array => {
    const values = random.stream("patch").normalFill(new Float32Array(n));
    const average = values.reduce((sum, value) => sum + value, 0) / n;
    const length = Math.hypot(...values.map((value) => value - average));
    return values.map((value) => mean + offset + (deviation * (value - average)) / length);
  };

  test("is unchanged if it is plausible", async () => {
    const image = patch(0.5 * sigma * Math.sqrt(n), 0.1);
    const [bounded, free] = [await taken(image, 0.9, true), await taken(image, 0.9, false)];
    expect(bounded).toEqual(free);
    expect(free.length).toBeCloseTo(0.81 * 0.5 * sigma * Math.sqrt(n), 5);
  });

  test("has at most the energy of the patch and of noise", async () => {
    const small = 0.3 * sigma * Math.sqrt(n);
    expect((await taken(patch(small, 0), 3, false)).length).toBeCloseTo(9 * small, 4);
    expect((await taken(patch(small, 0), 3, true)).length).toBeCloseTo(small, 5);
    const large = 2 * sigma * Math.sqrt(n);
    expect((await taken(patch(large, 0), 1, true)).length).toBeCloseTo(
      1.25 * sigma * Math.sqrt(n),
      5,
    );
  });

  test("has a mean of at most five standard errors", async () => {
    for (const sign of [1, -1]) {
      const image = patch(0.1, sign * 3);
      expect((await taken(image, 1, false)).average).toBeCloseTo(3 * sign, 4);
      expect((await taken(image, 1, true)).average).toBeCloseTo((sign * 5 * sigma) / size, 5);
    }
  });
});

describe("empirical Bayes with a normal density", () => {
  test("is Wiener's estimate, averaged over all patches", async () => {
    const image = noise(11, 7);
    const { width, height, pixels } = await denoise(normalModel, image);
    expect([width, height]).toEqual([11, 7]);
    expectClose(pixels, wienerByHand(image, upTo(4), upTo(8)), rounding);
  });

  test("includes patches along the right and the lower edge at any stride", async () => {
    const image = noise(10, 8);
    const two = await denoise(normalModel, image, { stride: 2 });
    expectClose(two.pixels, wienerByHand(image, [0, 2, 4, 5], [0, 2, 4, 6, 7]), rounding);
    const three = await denoise(normalModel, image, { stride: 3 });
    expectClose(three.pixels, wienerByHand(image, [0, 3, 5], [0, 3, 6, 7]), rounding);
  });

  test("of one patch is the estimate of that patch", async () => {
    const image = noise(size, size);
    const { pixels } = await denoise(normalModel, image, { stride: 3 });
    expectClose(pixels, wienerByHand(image, [0], [0]), rounding);
  });

  test("keeps the mean, and keeps everything without noise", async () => {
    const flat = { width: 6, height: 5, pixels: new Float32Array(30).fill(mean) };
    expectClose((await denoise(normalModel, flat)).pixels, flat.pixels, rounding);
    const image = noise(6, 5);
    const { pixels } = await denoise(normalModel, image, { sigma: 0 });
    expectClose(pixels, image.pixels, rounding);
  });

  test("extends images smaller than a patch by reflection", async () => {
    const { pixels } = noise(2, 1);
    const [a, b] = pixels;
    const mirrored = { width: 3, height: 3, pixels: Float32Array.of(a, b, b, a, b, b, a, b, b) };
    const expected = wienerByHand(mirrored, [0], [0]);
    const small = await denoise(normalModel, { width: 2, height: 1, pixels });
    expect([small.width, small.height]).toEqual([2, 1]);
    expectClose(small.pixels, expected.slice(0, 2), rounding);
  });

  test("scales the contrast to the noise level of the model, and back", async () => {
    const about = { ...normalModel.about, preprocessing: { noiseLevel: sigma } };
    const image = noise(9, 8);
    const { pixels } = await denoise({ ...normalModel, about }, image, { sigma: sigma / 2 });
    const centre = image.pixels.reduce((sum, value) => sum + value, 0) / image.pixels.length;
    const doubled = image.pixels.map((value) => centre + 2 * (value - centre));
    const estimate = wienerByHand({ ...image, pixels: doubled }, upTo(5), upTo(6));
    const expected = estimate.map((value) => centre + (value - centre) / 2);
    expectClose(pixels, expected, { absolute: 4 * rounding.absolute });
  });

  test("does not change its input", async () => {
    const image = noise(6, 6);
    const before = image.pixels.slice();
    await denoise(normalModel, image);
    expect(image.pixels).toEqual(before);
  });
});

describe("the same bits", () => {
  const model = modelOf(randomLayer(random.stream("layer"), "column", { n }));
  const image = noise(40, 30);

  test.each([1, 7, 500])("with %i patches at once", async (patchesAtOnce) => {
    const expected = await denoiseImage(densityOf(model, simdRunner), image, { sigma });
    const few = await denoiseImage(densityOf(model, simdRunner), image, { sigma, patchesAtOnce });
    expect(few).toEqual(expected);
  });

  test.each([2, 3])("with %i workers", async (workers) => {
    const expected = await denoiseImage(densityOf(model, simdRunner), image, { sigma });
    let tasks = 0;
    const start = () => startFakeWorker(jobs, () => tasks++);
    const pool = await WorkerPool.open(simdRunner.kernels, workers, start);
    expect(await denoiseImage(densityOf(model, pool), image, { sigma })).toEqual(expected);
    expect(tasks).toBeGreaterThanOrEqual(workers);
    await pool.close();
  });
});

describe("progress and errors", () => {
  test("reports patches up to their number", async () => {
    const seen: number[] = [];
    const onProgress = (done: number, total: number): void => {
      expect(total).toBe(24);
      seen.push(done);
    };
    await denoise(normalModel, noise(8, 6), { patchesAtOnce: 10, onProgress });
    expect(seen[seen.length - 1]).toBe(24);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  test("stops when it is aborted", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(denoise(normalModel, noise(8, 6), { signal })).rejects.toThrow("enough");
  });

  const image = noise(8, 6);
  test.each([
    [{ sigma: -1 }, "sigma"],
    [{ sigma: NaN }, "sigma"],
    [{ stride: 0 }, "stride"],
    [{ stride: 4 }, "stride"],
    [{ bounded: 1 }, "bounded"],
    [{ weighting: "errors" }, "weighting"],
    [{ patchesAtOnce: 0 }, "patchesAtOnce"],
    [{ strid: 2 }, "the options"],
  ])("rejects %j", async (options: object, argument) => {
    const wanted = { code: "invalid-argument", argument } as const;
    await expectError(denoise(normalModel, image, options), wanted);
  });

  test("rejects missing pixels, and models without square patches or their mean", async () => {
    const broken = { ...noise(2, 9), height: 8 };
    expect(await sentenceOf(denoise(normalModel, broken))).toContain("hold 16 pixels (2×8)");
    const { transform } = normalModel;
    expect(await sentenceOf(denoise({ transform, about: {} }, image))).toContain("square patch");
    const scale = new Float64Array(n - 1).fill(1);
    const about = { patch: { width: size, height: size, removeMean: true } };
    const centred = { transform: affine({ dimension: n - 1, scale }), about };
    expect(await sentenceOf(denoise(centred, image))).toContain("with their mean");
  });
});
