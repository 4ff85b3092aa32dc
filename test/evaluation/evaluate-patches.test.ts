import { describe, expect, test } from "vitest";
import { densityOf } from "../../src/density/density-of.js";
import { gaussianize, logProb } from "../../src/density/induced-density.js";
import type { Model } from "../../src/density/model-files/model.js";
import { evaluate } from "../../src/evaluation/evaluate.js";
import type { Evaluation, EvaluationOptions } from "../../src/evaluation/evaluation.js";
import type { EvaluationImage, ImageSource } from "../../src/evaluation/images-in-turn.js";
import { negentropyDifference } from "../../src/evaluation/negentropy-difference.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { jobs } from "../../src/jobs.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { WorkerPool } from "../../src/parallel/worker-pool.js";
import { gridPatches, randomPatches } from "../../src/patches/image-patches.js";
import { patchesToSamples } from "../../src/patches/patch-layout.js";
import { codeWidths, dequantize } from "../../src/preprocessing/dequantize.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { gdn } from "../../src/transforms/gdn.js";
import { linear } from "../../src/transforms/linear.js";
import { pointwise } from "../../src/transforms/pointwise.js";
import type { Transform } from "../../src/transforms/transform.js";
import { startFakeWorker } from "../support/local-workers.js";
import { expectClose } from "../support/expect-close.js";
import { refusal, sentenceOf } from "../support/expect-error.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";
import { randomLayer } from "../support/models.js";
import { seed } from "../support/seed.js";

const random = createRandom(seed, "evaluate images");
const size = 3;
const n = size * size;
const codes = { levels: 256, spacing: "even" } as const;

const scene = (k: number, width = 20, height = 16): EvaluationImage => {
  const image = deadLeaves(random.stream("scene", k), { width, height });
  const pixels = dequantize({ ...image, ...codes }, random.stream("noise", k));
  return { width, height, pixels, ...codes };
};
const scenes = [scene(0), scene(1, 11, 30), scene(2, 9, 9), scene(3, 3, 3)];

const scaling = (scale: number, shift = 0, dimension = n): Transform =>
  affine({
    dimension,
    scale: new Float64Array(dimension).fill(scale),
    shift: new Float64Array(dimension).fill(shift),
  });
const layer = randomLayer(random.stream("layer"), "column", { n, precision: "Float64" });
const curve = pointwise({
  dimension: n,
  lower: -0.1,
  upper: 1.2,
  rate: 1.5,
  asymmetry: 0.7,
  center: 0.1,
});

const modelOf = (
  transform: Transform,
  preprocessing: Model["about"]["preprocessing"] = {},
): Model => ({
  transform,
  about: { patch: { width: size, height: size }, preprocessing },
});
const gdnModel = modelOf(cascade([curve, scaling(2, -0.3), layer]), { stages: 2 });

const evaluated = (
  model: Model,
  images: readonly (EvaluationImage | undefined)[],
  choice: EvaluationOptions,
  names: Pick<ImageSource, "nameOf"> = {},
) =>
  evaluate(
    densityOf(model, referenceRunner),
    { images, load: (index) => Promise.resolve(images[index]), ...names },
    choice,
  );

const mean = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;

/** Sums of about a thousand terms of size 100, in another order. */
const rounding = { relative: 1e-12, scale: 100 };

describe("the likelihood of images", () => {
  test("equals the formula for a constant image under y = c x + b", async () => {
    const [c, b, value] = [3, -0.5, 0.25];
    const image = { width: 7, height: 5, pixels: new Float32Array(35).fill(value) };
    const result = await evaluated(modelOf(scaling(c, b)), [image], { patches: 10 });
    const y = c * value + b;
    const perPixel = -0.5 * y * y - 0.5 * Math.log(2 * Math.PI) + Math.log(c);
    expectClose(result.meanLogLikelihood, n * perPixel, rounding);
    expectClose(result.natsPerDimension, perPixel, rounding);
    expectClose(result.bitsPerPixel, perPixel / Math.LN2, rounding);
    const difference = 0.5 * y * y - Math.log(c) - 0.5 * value * value;
    expectClose(result.negentropyDifferencePerDimension, difference, rounding);
    expect(result).toMatchObject({ samples: 10, failedSamples: 0, dimension: n, kind: "patches" });
    expectClose(result.standardErrors.meanLogLikelihood, 0, { absolute: 1e-12 });
  });

  test("of uniform noise under y = c x is −½ c²/3 + log c − ½ log 2π for a pixel, within five standard errors", async () => {
    const images = Array.from({ length: 20 }, (_, k): EvaluationImage => {
      const pixels = random.stream("uniform", k).uniformFill(new Float32Array(900));
      return { width: 30, height: 30, pixels };
    });
    const result = await evaluated(modelOf(scaling(2)), images, { grid: size });
    const expected = n * (-4 / 6 + Math.log(2) - 0.5 * Math.log(2 * Math.PI));
    const error = result.standardErrors.meanLogLikelihood;
    expect(Math.abs(result.meanLogLikelihood - expected)).toBeLessThan(5 * error);
    // 2000 patches of 9 independent pixels, Var(2x²) = 16/45.
    expectClose(error, Math.sqrt((9 * 16) / 45 / 2000), { relative: 0.6 });
  });

  test.each([1, 2, size])("on a grid of stride %i is the mean of logProb", async (grid) => {
    const result = await evaluated(gdnModel, scenes, { grid });
    const values = await Promise.all(
      scenes.map((image) =>
        logProb(referenceRunner, gdnModel.transform, gridPatches(image, size, grid)),
      ),
    );
    expect(result.samples).toBe(values.reduce((sum, { length }) => sum + length, 0));
    expectClose(result.meanLogLikelihood, mean(values.flatMap((part) => [...part])), rounding);
    result.images.forEach(({ index, samples, meanLogLikelihood }, k) => {
      expect([index, samples]).toEqual([k, values[k].length]);
      expectClose(meanLogLikelihood, mean(values[k]), rounding);
    });
  });

  test("uses the places of randomPatches with the stream of the image", async () => {
    const result = await evaluated(gdnModel, scenes.slice(0, 2), { patches: 100, seed: 5 });
    for (const { index, meanLogLikelihood } of result.images) {
      const drawn = withoutChoiceOfImage(createRandom(5, "evaluate", index), scenes[index], 50);
      const values = await logProb(referenceRunner, gdnModel.transform, drawn);
      expectClose(meanLogLikelihood, mean(values), rounding);
    }
  });

  test("uses patchesToSamples for patches without their mean", async () => {
    const layout = { size, removeMean: true };
    const transform = scaling(4, 0.1, n - 1);
    const about = { patch: { width: size, height: size, removeMean: true } };
    const result = await evaluated({ transform, about }, [scenes[0]], { grid: 2 });
    const x = patchesToSamples(gridPatches(scenes[0], size, 2), layout);
    expect(result.dimension).toBe(n - 1);
    const values = await logProb(referenceRunner, transform, x);
    expectClose(result.meanLogLikelihood, mean(values), rounding);
  });
});

/** A stream of which randomPatches takes the choice of the image away: there is but one. */
function withoutChoiceOfImage(
  stream: ReturnType<typeof createRandom>,
  image: EvaluationImage,
  count: number,
): FloatArray {
  const without = {
    integer: (below: number) => (below === 1 ? 0 : stream.integer(below)),
  } as typeof stream;
  return randomPatches(without, [image], size, count);
}

describe("ΔJ", () => {
  test.each([0, 1, 2, 3])("counts from what comes out of %i stages", async (stages) => {
    const { transform } = gdnModel;
    const all = transform.kind === "cascade" ? transform.stages : [];
    const x = gridPatches(scenes[0], size);
    const before = stages > 0 ? cascade(all.slice(0, stages)) : null;
    const preprocessed = before ? (await gaussianize(referenceRunner, before, x)).y : x;
    const rest = stages < all.length ? cascade(all.slice(stages)) : scaling(1);
    const expected = await negentropyDifference(referenceRunner, rest, preprocessed);
    const result = await evaluated(modelOf(transform, { stages }), [scenes[0]], { grid: size });
    expectClose(result.negentropyDifferencePerDimension, expected.inNatsPerDimension, rounding);
    expect(result.preprocessingStages).toBe(stages);
    const values = await logProb(referenceRunner, transform, x);
    expectClose(result.meanLogLikelihood, mean(values), rounding);
  });

  test("is relative to the pixels for a transform that is not a cascade", async () => {
    const x = gridPatches(scenes[0], size);
    const { inNatsPerDimension } = await negentropyDifference(referenceRunner, layer, x);
    const result = await evaluated(modelOf(layer, { stages: 1 }), [scenes[0]], { grid: size });
    expectClose(result.negentropyDifferencePerDimension, inNatsPerDimension, rounding);
  });
});

describe("the code length", () => {
  const dequantized = { dequantization: "uniform" } as const;

  test("is 8 bits for 8-bit codes under a density of 1", async () => {
    // y = √2π (x − ½): where x = ½ the density is 1, as that of the uniform distribution.
    const c = Math.sqrt(2 * Math.PI);
    const image = { width: 5, height: 5, pixels: new Float32Array(25).fill(0.5), ...codes };
    const result = await evaluated(modelOf(scaling(c, -c / 2), dequantized), [image], { grid: 1 });
    expectClose(result.codeLengthInBitsPerPixel!, 8, { relative: 4 * Number.EPSILON });
    expectClose(result.bitsPerPixel, 0, { absolute: 1e-15 });
    expect(result.dequantization).toBe("uniform");
  });

  test.each([16, 256, 65536])("and the rate add to log₂ of %i levels", async (levels) => {
    const image = { ...scenes[0], levels };
    const model = modelOf(layer, dequantized);
    const result = await evaluated(model, [image], { patches: 20 });
    const total = result.codeLengthInBitsPerPixel! + result.bitsPerPixel;
    expectClose(total, Math.log2(levels), rounding);
    expectClose(
      result.standardErrors.codeLengthInBitsPerPixel!,
      result.standardErrors.bitsPerPixel,
      {
        relative: 1e-9,
      },
    );
  });

  test("uses the code widths of the sRGB curve", async () => {
    const quantization = { levels: 256, spacing: "srgb" } as const;
    const image = { ...scenes[0], ...quantization };
    const result = await evaluated(modelOf(scaling(3, 0, n), dequantized), [image], { grid: size });
    const patches = gridPatches(image, size);
    const widths = codeWidths(patches, quantization);
    const logWidth = widths.reduce((sum, width) => sum + Math.log(width), 0) / (patches.length / n);
    const expected = -(result.meanLogLikelihood + logWidth) / (n * Math.LN2);
    expectClose(result.codeLengthInBitsPerPixel!, expected, rounding);
  });

  test("is null for patches without their mean, whose codes are unknown", async () => {
    const model: Model = {
      transform: scaling(3, 0, n - 1),
      about: { patch: { width: size, height: size, removeMean: true }, preprocessing: dequantized },
    };
    const result = await evaluated(model, [{ ...scenes[0], levels: 256 }], { grid: size });
    expect(result.codeLengthInBitsPerPixel).toBeNull();
  });

  test("is null without noise, without codes, and if one of several images has none", async () => {
    const { width, height, pixels } = scenes[0];
    const bare = { width, height, pixels };
    const float = { ...scenes[0], levels: Infinity, spacing: "none" } as const;
    const lengthOf = async (
      images: EvaluationImage[],
      preprocessing: Model["about"]["preprocessing"],
    ) => {
      const result = await evaluated(modelOf(layer, preprocessing), images, { patches: 9 });
      expect(result.standardErrors.codeLengthInBitsPerPixel === null).toBe(
        result.codeLengthInBitsPerPixel === null,
      );
      return result.codeLengthInBitsPerPixel;
    };
    expect(await lengthOf([scenes[0]], {})).toBeNull();
    expect(await lengthOf([scenes[0]], { dequantization: "none" })).toBeNull();
    expect(await lengthOf([bare], dequantized)).toBeNull();
    expect(await lengthOf([scenes[0], float], dequantized)).toBeNull();
    expect(await lengthOf([scenes[0], scenes[1]], dequantized)).not.toBeNull();
  });
});

describe("standard errors", () => {
  test("over images, weigh them by their patches", async () => {
    const result = await evaluated(gdnModel, scenes, { grid: size });
    expect(result.standardErrorsOver).toBe("images");
    const { images, samples, meanLogLikelihood } = result;
    const squares = images.map(
      (image) => ((image.samples / samples) * (image.meanLogLikelihood - meanLogLikelihood)) ** 2,
    );
    const error = Math.sqrt((4 / 3) * squares.reduce((sum, square) => sum + square, 0));
    expectClose(result.standardErrors.meanLogLikelihood, error, { relative: 1e-10 });
    expectClose(result.standardErrors.bitsPerPixel, error / (n * Math.LN2), { relative: 1e-10 });
  });

  test("over images with equal numbers of patches, are sd/√K", async () => {
    const result = await evaluated(gdnModel, scenes, { patches: 40 });
    const sdOf = (values: readonly number[]): number =>
      Math.sqrt(values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) / 3);
    const likelihoods = result.images.map((image) => image.meanLogLikelihood);
    const differences = result.images.map((image) => image.negentropyDifferencePerDimension);
    const { standardErrors: errors } = result;
    expectClose(errors.meanLogLikelihood, sdOf(likelihoods) / 2, { relative: 1e-10 });
    expectClose(errors.negentropyDifferencePerDimension, sdOf(differences) / 2, {
      relative: 1e-10,
    });
  });

  test("over the patches of a single image, are sd/√n; a single patch has none", async () => {
    const result = await evaluated(gdnModel, [scenes[0]], { grid: size });
    const values = await logProb(referenceRunner, gdnModel.transform, gridPatches(scenes[0], size));
    const squares = values.map((value) => (value - mean(values)) ** 2);
    const error = Math.sqrt(mean(squares) / (values.length - 1));
    expect(result.standardErrorsOver).toBe("patches");
    expectClose(result.standardErrors.meanLogLikelihood, error, { relative: 1e-10 });
    const one = await evaluated(gdnModel, [scenes[3]], { grid: size });
    expect(one.samples).toBe(1);
    expect(one.standardErrors.meanLogLikelihood).toBeNaN();
  });
});

describe("patches without a density", () => {
  // log(upper − x) has no value for pixels above ½.
  const narrow = modelOf(
    pointwise({ dimension: n, lower: -0.1, upper: 0.5, rate: 1, asymmetry: 1, center: 0 }),
  );
  const half = { width: 6, height: 3, pixels: new Float32Array(18) };
  half.pixels.forEach((_, k) => (half.pixels[k] = k % 6 < 3 ? 0.25 : 0.75));

  test("are counted and skipped in the means", async () => {
    const result = await evaluated(narrow, [half, scenes[0]], { grid: size });
    const dark = { width: 3, height: 3, pixels: new Float32Array(9).fill(0.25) };
    const alone = await evaluated(narrow, [dark], { grid: size });
    expect(alone.failedSamples).toBe(0);
    expect(result.images[0]).toMatchObject({ samples: 2, failedSamples: 1 });
    expect(result.images[0].meanLogLikelihood).toBe(alone.meanLogLikelihood);
    expect(result.failedSamples).toBeGreaterThan(1);
    expect(result.meanLogLikelihood).not.toBeNaN();
  });

  test("can occur in the preprocessing or in the rest of a cascade", async () => {
    const steep = gdn({
      structure: "general",
      dimension: 4,
      alpha: [1, 3, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
      beta: [1, 1, 1, 1],
      gamma: [0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      epsilon: [0.5, 0.5, 0.5, 0.5],
    });
    const about = { patch: { width: 2, height: 2 } };
    const images = [{ width: 2, height: 2, pixels: new Float32Array(4).fill(0.9) }];
    for (const stages of [0, 1, 2]) {
      const transform = cascade([scaling(9, 0, 4), steep]);
      const result = await evaluated(
        { transform, about: { ...about, preprocessing: { stages } } },
        images,
        { grid: 1 },
      );
      expect(result).toMatchObject({ samples: 1, failedSamples: 1, meanLogLikelihood: NaN });
    }
  });

  test("can be all patches of an image, which the means then skip", async () => {
    const bright = { width: 4, height: 4, pixels: new Float32Array(16).fill(0.9) };
    const result = await evaluated(narrow, [bright, half], { grid: size });
    expect(result.images[0]).toMatchObject({ failedSamples: 1, meanLogLikelihood: NaN });
    expect(result.meanLogLikelihood).toBe(result.images[1].meanLogLikelihood);
    expect(result.standardErrorsOver).toBe("patches");
  });
});

describe("how images are shared out and loaded", () => {
  test("draws the same number of patches from all images, plus one from some", async () => {
    const result = await evaluated(gdnModel, scenes, { patches: 10 });
    expect(result.images.map(({ samples }) => samples).sort()).toEqual([2, 2, 3, 3]);
    const few = await evaluated(gdnModel, scenes, { patches: 3 });
    expect(few.images.map(({ samples }) => samples)).toEqual([1, 1, 1]);
  });

  test("draws the same places for the same name, whatever the other images", async () => {
    const names = ["a", "b", "c", "d"];
    const all = await evaluated(gdnModel, scenes, { patches: 40 }, { nameOf: (k) => names[k] });
    const nameOf = (k: number) => names[k + 1];
    const last = await evaluated(gdnModel, scenes.slice(1), { patches: 30 }, { nameOf });
    expect(last.images.map((image) => ({ ...image, index: image.index + 1 }))).toEqual(
      all.images.slice(1),
    );
  });

  test("skips unusable images", async () => {
    const images = [scenes[0], undefined, scenes[1]];
    const result = await evaluated(gdnModel, images, { patches: 30 });
    expect(result.images.map(({ index }) => index)).toEqual([0, 2]);
    expect(result.samples).toBe(20);
    expect(await sentenceOf(evaluated(gdnModel, [undefined], {}))).toBe(
      "None of the 1 images can be used.",
    );
  });

  test("loads only the next image while one is evaluated", async () => {
    let loaded = 0;
    const seen = new Set<string>();
    const load = (index: number) => {
      loaded++;
      return Promise.resolve(scenes[index]);
    };
    await evaluate(
      densityOf(gdnModel, referenceRunner),
      { images: 4, load },
      {
        patches: 40,
        onProgress: (done) => seen.add(`${Math.ceil(done / 10)} of ${loaded}`),
      },
    );
    expect([...seen]).toEqual(["1 of 2", "2 of 3", "3 of 4", "4 of 4"]);
  });

  test("propagates a failure to load", async () => {
    const load = (index: number) =>
      index === 0 ? Promise.resolve(scenes[0]) : Promise.reject(new Error("disk"));
    const density = densityOf(gdnModel, referenceRunner);
    const run = evaluate(density, { images: 3, load }, { patches: 9 });
    await expect(run).rejects.toThrow("disk");
  });
});

describe("the same bits", () => {
  const load = (index: number) => Promise.resolve(scenes[index]);
  const run = (runner: TaskRunner, choice: EvaluationOptions): Promise<Evaluation> =>
    evaluate(densityOf(gdnModel, runner), { images: 4, load }, choice);

  test.each([1, 7, 64])("in chunks of %i", async (patchesAtOnce) => {
    for (const choice of [{ grid: 1 }, { patches: 500, seed }]) {
      const whole = await run(simdRunner, choice);
      expect(await run(simdRunner, { ...choice, patchesAtOnce })).toEqual(whole);
    }
  });

  test.each([2, 3])("with %i workers", async (workers) => {
    const expected = await run(simdRunner, { patches: 500 });
    let tasks = 0;
    const start = () => startFakeWorker(jobs, () => tasks++);
    const pool = await WorkerPool.open(simdRunner.kernels, workers, start);
    expect(await run(pool, { patches: 500 })).toEqual(expected);
    expect(tasks).toBeGreaterThan(workers);
    await pool.close();
  });
});

describe("evaluate tells and stops", () => {
  test("progress in patches, up to all of them", async () => {
    const seen: number[] = [];
    await evaluated(gdnModel, scenes, {
      patches: 50,
      patchesAtOnce: 8,
      onProgress: (done) => seen.push(done),
    });
    expect(seen.at(-1)).toBe(50);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  test("when aborted, before and in between", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const run = evaluated(gdnModel, scenes, {
      patches: 100,
      patchesAtOnce: 4,
      signal,
      onProgress: () => {
        controller.abort();
      },
    });
    await expect(run).rejects.toMatchObject({ name: "AbortError" });
    await expect(evaluated(gdnModel, scenes, { signal })).rejects.toMatchObject({
      name: "AbortError",
    });
  });
});

describe("evaluate refuses", () => {
  const H = Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
  const fine = modelOf(linear({ dimension: n, H }));

  test.each([
    [{ patches: 0 }, refusal("patches", "be a positive integer", 0)],
    [{ patches: 1.5 }, refusal("patches", "be a positive integer", 1.5)],
    [{ grid: 0 }, refusal("grid", "be a positive integer", 0)],
    [{ grid: 2, patches: 3 }, "Expected patches to be undefined"],
    [{ patchesAtOnce: -1 }, "Expected patchesAtOnce to be a positive integer"],
    [{ stride: 2 }, "Expected the options to have only the fields"],
  ])("%j", async (choice, what) => {
    expect(await sentenceOf(evaluated(fine, scenes, choice as EvaluationOptions))).toContain(what);
  });

  test("no images, small images, and models of anything but square patches", async () => {
    expect(await sentenceOf(evaluated(fine, [], {}))).toContain("Expected images to be a positive");
    const small = { width: 2, height: 9, pixels: new Float32Array(18) };
    expect(await sentenceOf(evaluated(fine, [small], {}))).toBe(
      refusal("image 0", "be at least 3×3 pixels", "2×9"),
    );
    const bare = { transform: fine.transform, about: {} };
    expect(await sentenceOf(evaluated(bare, scenes, {}))).toBe(
      "Expected the model to say how its 9 dimensions form a square patch, but its file does not.",
    );
    const stages = modelOf(cascade([layer]), { stages: 2 });
    expect(await sentenceOf(evaluated(stages, scenes, {}))).toBe(
      refusal("about.preprocessing.stages", "be at most 1, all of the cascade", 2),
    );
  });
});
