import { describe, expect, test } from "vitest";
import { logProbOfImage } from "../../src/density/images/image-density.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { createRandom } from "../../src/random/random-stream.js";
import {
  type Convolution,
  convolution,
  startingConvolution,
} from "../../src/transforms/convolution.js";
import { convolved, convolvedField } from "../../src/density/images/convolution-products.js";
import { convolutionDeterminantGradient } from "../../src/transforms/convolutions/determinant.js";
import { imageToField } from "../../src/transforms/field.js";
import { type ImageCascade, imageCascade } from "../../src/transforms/image-cascade.js";
import { parametersOf } from "../../src/transforms/parameters.js";
import { startingCascade } from "../../src/training/fit-image-model.js";
import { cascadeObjective } from "../../src/training/cascade-objective.js";
import { cropGradient } from "../../src/training/crop-gradient.js";
import { fieldsOfCrops } from "../../src/training/crop-likelihood.js";
import { convolutionPerLocation, meanLogProbOfCrops } from "../../src/training/crop-likelihood.js";
import { expectClose, expectSameBits, largest } from "../support/expect-close.js";
import { refusal } from "../support/expect-error.js";
import { noiseImage, parameterGradients, smallCascade } from "../support/image-models.js";
import { referenceRunner as runner, simdRunner } from "../support/inline-runners.js";
import { expectRightOnAverage } from "../support/statistics.js";
import { seed } from "../support/seed.js";

/** Two convolutions of 3×3 taps leave two locations of six along either side. */
const shape = { stride: 2, side: 6, counted: 2 };
const grid = { width: 4, height: 6 };
const crops = createRandom(seed, "crops").normalFill(new Float64Array(3 * 12 * 12));

describe(`the likelihood of crops (seed ${seed})`, () => {
  test("equals that of whole images per location, for convolutions within a block", async () => {
    const whitening = [1.2, 0.3, 0, 0, 0, 0.9, 0, -0.2, 0, 0, 1, 0, 0.1, 0, 0, 0.7];
    const geometry = { stride: 2, filterBlocks: 1, neighbourhood: 1, stages: 2 } as const;
    const cascade = startingCascade(geometry, whitening);
    const image = noiseImage(12, 12);
    const whole = { stride: 2, side: 6, counted: 6 };
    const found = await meanLogProbOfCrops(runner, cascade, image.pixels, whole);
    expectClose(found, (await logProbOfImage(runner, cascade, image)) / 36, { relative: 1e-12 });
  });

  test("equals the value of its gradient, and ignores pixels out of reach", async () => {
    const larger = noiseImage(16, 16).pixels;
    const wide = { ...shape, side: 8 };
    const isEdge = (k: number): boolean => [0, 1, 14, 15].includes(k % 16) || k < 32 || k >= 224;
    const measure = (pixels: Float64Array) =>
      meanLogProbOfCrops(runner, smallCascade, pixels, wide, grid);
    const found = await measure(larger);
    const gradient = await cropGradient(runner, smallCascade, larger, { shape: wide, grid });
    expectClose(gradient.meanLogProb, found, { relative: 1e-12 });
    expect(await measure(larger.map((v, k) => (isEdge(k) ? v + 1 : v)))).toBe(found);
    // The corner of the pixels within reach.
    expect(await measure(larger.map((v, k) => (k === 2 * 16 + 2 ? v + 1 : v)))).not.toBe(found);
  });

  test("convolves crops like whole fields, away from the edges", async () => {
    const [first] = smallCascade.stages;
    if (first.kind !== "convolution") throw new Error("the first stage is a convolution");
    const field = imageToField(noiseImage(12, 10), 2);
    const whole = await convolvedField(runner, first, field);
    const inside = await convolved(runner, first, { ...field, count: 1 }, "within");
    expect([inside.width, inside.height]).toEqual([4, 3]);
    for (let y = 0; y < 3; y++) {
      const from = ((y + 1) * 6 + 1) * 4;
      const row = inside.values.subarray(y * 16, (y + 1) * 16);
      expectSameBits(row, whole.values.subarray(from, from + 16));
    }
  });

  test("has the gradients of central differences, by all parameters", async () => {
    const options = { shape, grid };
    const found = await cropGradient(runner, smallCascade, crops, options);
    const loss = async (cascade: ImageCascade) =>
      -(await meanLogProbOfCrops(runner, cascade, crops, shape, grid));
    expectClose(found.meanLogProb, -(await loss(smallCascade)), { relative: 1e-12 });
    const wanted = await parameterGradients(smallCascade, loss);
    expect(wanted).toHaveLength(10);
    for (const { stage, name, values } of wanted) {
      // Differences of step 1e-5 have about nine digits.
      const tolerance = { relative: 1e-6, scale: largest(values) };
      expectClose(found.gradient[stage][name], values, tolerance, `${name} of stage ${stage}`);
    }
  });

  test("has the same gradients of later stages where the first ones are fixed, and none of these", async () => {
    const all = await cropGradient(runner, smallCascade, crops, { shape, grid });
    const some = await cropGradient(runner, smallCascade, crops, { shape, grid, fixedStages: 2 });
    for (const stage of [2, 3]) {
      for (const [name, values] of Object.entries(all.gradient[stage])) {
        const tolerance = { relative: 1e-11, scale: largest(values) };
        expectClose(some.gradient[stage][name], values, tolerance, name);
      }
    }
    for (const stage of [0, 1]) {
      expect(Object.keys(some.gradient[stage])).toEqual(
        Object.keys(parametersOf(smallCascade)[stage]),
      );
      for (const values of Object.values(some.gradient[stage])) {
        expect(values.every((value) => value === 0)).toBe(true);
      }
    }
    expect(some.smallestSingularValues).toEqual(all.smallestSingularValues.slice(1));
  });

  test("is right on average with some of the frequencies", async () => {
    const exact = await cropGradient(runner, smallCascade, crops, { shape, grid });
    const random = createRandom(seed, "some");
    const draw = async () => {
      const options = { shape, grid, frequencies: random };
      return (await cropGradient(runner, smallCascade, crops, options)).gradient[2].weights;
    };
    await expectRightOnAverage(200, draw, exact.gradient[2].weights);
  });

  test("is right on average with probes, by all parameters", async () => {
    const exact = await cropGradient(runner, smallCascade, crops, { shape, grid });
    const valuesOf = (gradient: typeof exact.gradient) =>
      gradient.flatMap((groups) => Object.values(groups).flatMap((values) => Array.from(values)));
    let probeSeed = 0;
    const draw = async () => {
      const probes = { seed: probeSeed++ };
      const found = await cropGradient(runner, smallCascade, crops, { shape, grid, probes });
      expect(found.estimate?.residual).toBeLessThan(0.01);
      return valuesOf(found.gradient);
    };
    await expectRightOnAverage(200, draw, valuesOf(exact.gradient));
  });

  test("is nearly the same in Float32", async () => {
    const exact = await cropGradient(runner, smallCascade, crops, { shape, grid });
    const single = await cropGradient(simdRunner, smallCascade, Float32Array.from(crops), {
      shape,
      grid,
    });
    exact.gradient.forEach((groups, stage) => {
      for (const [name, values] of Object.entries(groups)) {
        const tolerance = { relative: 1e-4, scale: largest(values) };
        expectClose(single.gradient[stage][name], values, tolerance, name);
      }
    });
  });

  test("rejects crops that are too small for the stages, and incomplete crops", () => {
    expect(() => fieldsOfCrops(crops, { ...shape, side: 5 }, smallCascade.stages)).toThrow(
      refusal("the batch", "hold crops of 10×10 pixels", 432),
    );
    expect(() => fieldsOfCrops(crops, { ...shape, counted: 3 }, smallCascade.stages)).toThrow(
      refusal("the crops", "be at least 7 blocks wide", 6),
    );
  });
});

describe("the objective of a cascade", () => {
  const phaseWith = (fixedStages: number) => ({ fixedStages, firstStep: 0, steps: 10 });

  test("estimates gradients in the first steps of a phase", async () => {
    const probes = { seed: 3, share: 0.5 };
    const given = { shape, seed, start: smallCascade };
    const phase = { fixedStages: 2, firstStep: 4, steps: 8 };
    const estimating = cascadeObjective({ ...given, probes })(phase);
    const exact = cascadeObjective(given)(phase);
    for (const step of [4, 5, 6, 7]) {
      const found = await estimating(runner, smallCascade, crops, step);
      const wanted = await exact(runner, smallCascade, crops, step);
      const isEstimated = step < 6;
      expect(found.estimate !== undefined).toBe(isEstimated);
      if (isEstimated) expect(found.gradient[3]).not.toEqual(wanted.gradient[3]);
      else expect(found).toEqual(wanted);
    }
  });

  test("gives the frequency 0 of the first convolution more weight, unless it is fixed", async () => {
    const objective = cascadeObjective({ shape, seed, start: smallCascade });
    const [first] = smallCascade.stages;
    if (first.kind !== "convolution") throw new Error("the first stage is a convolution");
    const ofMeans = convolutionDeterminantGradient(first, { width: 1, height: 1 }).gradient;
    for (const fixedStages of [0, 2]) {
      const frequencies = createRandom(seed, "frequencies", 0);
      const options = { shape, fixedStages, frequencies };
      const plain = await cropGradient(runner, smallCascade, crops, options);
      const found = await objective(phaseWith(fixedStages))(runner, smallCascade, crops, 0);
      found.gradient.forEach((groups, stage) => {
        for (const [name, values] of Object.entries(groups)) {
          const added = values.map((value, k) => value - plain.gradient[stage][name][k]);
          const isFirst = stage === 0 && fixedStages === 0;
          const wanted = isFirst ? ofMeans.map((value) => value / 32) : added.map(() => 0);
          expectClose(added, wanted, { absolute: 1e-9 }, `${name} of stage ${stage}`);
        }
      });
    }
  });

  test("of a narrow phase is that of a cascade with one tap, and leaves the others alone", async () => {
    const objective = cascadeObjective({ shape, seed, start: smallCascade });
    const narrow = objective({ ...phaseWith(2), isNarrow: true });
    const second = smallCascade.stages[2] as Convolution;
    const middle = second.weights.subarray(4 * 16, 5 * 16);
    const alone = startingConvolution({ maps: 4, width: 1, H: middle });
    const stages = smallCascade.stages.with(2, alone);
    const small = imageCascade({ stride: 2, stages });
    const found = await narrow(runner, smallCascade, crops, 0);
    const wanted = await objective(phaseWith(2))(runner, small, crops, 0);
    expectClose(found.value, wanted.value, { absolute: 1e-6 });
    const weights = found.gradient[2].weights;
    const expected = new Float64Array(weights.length);
    expected.set(wanted.gradient[2].weights, 4 * 16);
    expectClose(weights, expected, { absolute: 1e-6 });
    expectClose(found.gradient[3].gamma, wanted.gradient[3].gamma, { absolute: 1e-6 });
  });

  test("does not report a failed worker as a singular convolution", async () => {
    const broken: TaskRunner = {
      size: 1,
      kernels: runner.kernels,
      run: () => Promise.reject(new TypeError("worker died")),
      close: () => Promise.resolve(),
    };
    const [first] = smallCascade.stages;
    if (first.kind !== "convolution") throw new Error("the first stage is a convolution");
    await expect(convolutionPerLocation(broken, convolution(first))).rejects.toThrow(TypeError);
    const zero = convolution({ ...first, weights: first.weights.map(() => 0) });
    expect(await convolutionPerLocation(runner, zero)).toBe(-Infinity);
  });

  test("reports a nearly singular convolution in time", async () => {
    const geometry = { stride: 1, filterBlocks: 3, neighbourhood: 3, stages: 2 } as const;
    const start = startingCascade(geometry, [2]);
    const ofOne = { stride: 1, side: 6, counted: 2 };
    const objective = cascadeObjective({ shape: ofOne, seed, start });
    const batch = Float32Array.from(crops.subarray(0, 36));
    const withEdges = (value: number): ImageCascade => {
      const [first, ...others] = start.stages;
      if (first.kind !== "convolution") throw new Error("the first stage is a convolution");
      const weights = first.weights.slice().fill(value, 3, 4).fill(value, 5, 6);
      return imageCascade({ stride: 1, stages: [{ ...first, weights }, ...others] });
    };
    // F̂ = 2 + 2 a cos ω is 0.004 at least where a = −0.998; the floor is a thousandth of 2.
    const sound = await objective(phaseWith(0))(runner, withEdges(-0.998), batch, 0);
    expect(sound.isNearlySingular).toBe(false);
    expectClose(sound.smallestSingularValue ?? NaN, 0.004, { relative: 1e-4 });
    const lost = await objective(phaseWith(0))(runner, withEdges(-0.9995), batch, 0);
    expect(lost.isNearlySingular).toBe(true);
    expect(Number.isFinite(lost.value)).toBe(true);
    const gone = await objective(phaseWith(0))(runner, withEdges(-1), batch, 0);
    expect(gone.isNearlySingular).toBe(true);
    // A fixed convolution is not checked.
    const fixed = await objective(phaseWith(2))(runner, withEdges(-0.9995), batch, 0);
    expect(fixed.isNearlySingular).toBe(false);
    expectClose(fixed.value, lost.value, { absolute: 0.5 });
  });
});
