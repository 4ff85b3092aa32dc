import { beforeAll, describe, expect, test } from "vitest";
import { openRunner } from "gaussianize/node";
import { logProbOfImage } from "../../src/density/images/image-density.js";
import {
  cascadeGeometry,
  cascadePresets,
  cropSideOf,
} from "../../src/training/cascade-geometry.js";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/training/checkpoint-file.js";
import { locationsOfStep } from "../../src/training/fit-defaults.js";
import { type ImageModelFitOptions, fitImageModel } from "../../src/training/fit-image-model.js";
import { problemText } from "../../src/training/fit-problem.js";
import { fitPhases } from "../../src/training/fit-layers.js";
import { fitTransform } from "../../src/training/fit-transform.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import type { ImageCascade } from "../../src/transforms/image-cascade.js";
import { parametersOf } from "../../src/transforms/parameters.js";
import { expectClose } from "../support/expect-close.js";
import { smallCascade } from "../support/image-models.js";
import { simdRunner as runner } from "../support/inline-runners.js";
import { texturedScenes } from "../support/scenes.js";
import { seed } from "../support/seed.js";

const scenes = texturedScenes("scenes of cascades", 4, { width: 32, height: 28 });
const options: ImageModelFitOptions = {
  geometry: { stride: 2, filterBlocks: 2, neighbourhood: 3, stages: 2 },
  images: scenes.length,
  load: (index) => Promise.resolve(scenes[index]),
  reading: { luminance: "grey", dequantize: true },
  preprocessing: "standardize",
  steps: 40,
  greedy: 0.6,
  batch: 96,
  learningRate: 0.03,
  seed,
};
const bytesOf = (transform: ImageCascade): readonly number[][] =>
  parametersOf(transform).flatMap((groups) =>
    Object.values(groups).map((values) => Array.from(values)),
  );

describe("fitImageModel", () => {
  let whole: Awaited<ReturnType<typeof fitImageModel>>;
  const moved: { readonly step: number; readonly transform: ImageCascade }[] = [];
  beforeAll(async () => {
    whole = await fitImageModel(runner, {
      ...options,
      checkpointEvery: 1,
      onCheckpoint: ({ step, transform }) => {
        moved.push({ step, transform });
      },
    });
  });

  test("says that a result is worse than the start, and returns the start", async () => {
    const learningRate = 1000;
    const { problem, model, fit } = await fitImageModel(runner, {
      ...options,
      learningRate,
      steps: 12,
      load: (index) => Promise.resolve(index === 0 ? undefined : scenes[index]),
    });
    expect(problem).toMatchObject({ steps: 12, isHeldOut: true });
    expect(problemText(problem!)).toMatch(/^The fit failed: .*held-out images.*\.$/);
    expect(fit.validated?.step).toBe(0);
    expect(model.about.training).toMatchObject({ problem: problem!.kind });
    expect(whole.problem).toBeNull();
  });

  test("starts from a fit of single blocks", async () => {
    const phases: string[] = [];
    const blockSteps: number[] = [];
    let start: ImageCascade | undefined;
    await fitImageModel(runner, {
      ...options,
      steps: 6,
      onPhase: (phase) => void phases.push(phase),
      onBlockStep: (done, steps) => void blockSteps.push(done, steps),
      resume: (given) => {
        start = given;
        return null;
      },
    });
    expect(phases).toEqual(["images", "preprocessing", "whitening", "blocks", "fit"]);
    expect(blockSteps.slice(-2)).toEqual([6, 6]);
    const [{ weights }, { gamma }] = parametersOf(start as ImageCascade);
    // The middle tap is the only one that is not 0; Adam moves every weight of the GDN.
    expect(weights.filter((value) => value !== 0).length).toBe(16);
    const unfitted = startingGdn({ structure: "column", dimension: 4 }).gamma;
    expect(gamma.every((value, k) => value !== unfitted[k])).toBe(true);
  });

  test("returns a density of whole images that records how to read them", async () => {
    const { model, fit } = whole;
    expect(model.transform.stages.map(({ kind }) => kind)).toEqual([
      "affine",
      "convolution",
      "gdn",
      "affine",
      "convolution",
      "gdn",
    ]);
    expect(model.about).toMatchObject({
      name: "CICA–GDN–CICA–GDN, 4 filters of 4×4",
      patch: { width: 2, height: 2, luminance: "grey" },
      preprocessing: { stages: 1, curve: "standardize" },
      data: { trainingImages: 3, heldOutImages: 1 },
      training: { greedy: 0.6, steps: 40, batch: 96, geometry: { neighbourhood: 3 } },
    });
    expect(fit.steps).toBe(40);
    const { heldOutLogLikelihoodInNatsPerPixel: nats = NaN } = model.about.figures ?? {};
    const ofScenes = await Promise.all(
      scenes.map((scene) => logProbOfImage(runner, model.transform, scene)),
    );
    const perPixel = ofScenes.map((value) => value / (32 * 28));
    // One of four images was held out; joined edges cost a little, and crops are only a part.
    expect(nats).toBeGreaterThan(Math.min(...perPixel) - 0.3);
    expect(nats).toBeLessThan(Math.max(...perPixel) + 0.3);
    expect(model.about.figures?.smallestSingularValue).toBeGreaterThan(1e-3);
    expect(model.about.training?.frequencyGrid).toEqual({ width: 32, height: 32 });
  });

  test("trains one stage after the other, then all", () => {
    const phases = fitPhases(2, 40, { greedy: 0.6, startsNarrow: true });
    expect(phases.map(({ firstStep, steps }) => [firstStep, steps])).toEqual([
      [0, 12],
      [12, 18],
      [18, 24],
      [24, 40],
    ]);
    const at = (step: number) => {
      const found = moved.find((checkpoint) => checkpoint.step === step)?.transform;
      if (!found) throw new Error(`there is no checkpoint after ${step} steps`);
      return bytesOf(found);
    };
    expect(at(5)).toHaveLength(5);
    expect(at(5)[0]).not.toEqual(at(11)[0]);
    // Of the second convolution, 3×3 taps of 4×4 weights, only the middle tap is trained at first.
    const others = (step: number) => at(step)[7].filter((_, k) => k < 4 * 16 || k >= 5 * 16);
    expect(others(17).every((weight) => weight === 0)).toBe(true);
    expect(others(23).every((weight) => weight !== 0)).toBe(true);
    expect(at(14)).toHaveLength(12);
    expect(at(14).slice(0, 5)).toEqual(at(23).slice(0, 5));
    expect(at(14).slice(5)).not.toEqual(at(23).slice(5));
    at(26).forEach((group, k) => {
      expect(group).not.toEqual(at(36)[k]);
    });
  });

  test("raises the likelihood with the first stage, then with the second", async () => {
    const seen: number[] = [];
    const { fit } = await fitImageModel(runner, {
      ...options,
      steps: 150,
      greedy: 1,
      onValidation: ({ meanLogProb }) => seen.push(meanLogProb),
    });
    // After 25, 50, 75, 100 … steps: the second stage begins after 75.
    expect(seen[2]).toBeGreaterThan(seen[0]);
    expect(fit.validated?.meanLogProb).toBeGreaterThan(seen[2]);
    expect(fit.steps).toBe(150);
  });

  test.each([7, 12, 17, 18, 24, 33])(
    "goes on from the file of the checkpoint after %i steps, to the same bits",
    async (stop) => {
      const abort = new AbortController();
      let file: Uint8Array | undefined;
      const stopped = fitImageModel(runner, {
        ...options,
        signal: abort.signal,
        onStep: ({ step }) => {
          if (step === stop - 1) abort.abort(new Error("stopped"));
        },
        onCheckpoint: (checkpoint) => {
          file = encodeCheckpoint(checkpoint, "run");
        },
      });
      await expect(stopped).rejects.toThrow("stopped");
      const resumed = await fitImageModel(runner, {
        ...options,
        resume: (start) => decodeCheckpoint(file ?? new Uint8Array(), start, { run: "run" }),
      });
      expect(resumed.fit.transform).toEqual(whole.fit.transform);
      expect(resumed.fit.history).toEqual(whole.fit.history);
      expect(resumed.model.about).toEqual(whole.model.about);
    },
  );

  test.each([1, 2])("gives the same bits with %i workers as with none", async (workers) => {
    const pool = await openRunner({ workers, kernels: "simd" });
    const { fit } = await fitImageModel(pool, { ...options, steps: 12 });
    await pool.close();
    const alone = await fitImageModel(runner, { ...options, steps: 12 });
    expect(fit.transform).toEqual(alone.fit.transform);
    expect(fit.history).toEqual(alone.fit.history);
  });

  test("standardizes noisy images by default, as the command does", async () => {
    const reading = { ...options.reading, noiseLevel: 0.1 };
    const asked = { ...options, reading, preprocessing: undefined, steps: 1 };
    const { model } = await fitImageModel(runner, asked);
    expect(model.about.preprocessing?.curve).toBe("standardize");
  });

  test("has one stage if one is requested", async () => {
    const geometry = { ...options.geometry, stages: 1 } as const;
    const { model } = await fitImageModel(runner, { ...options, geometry, steps: 5 });
    expect(model.transform.stages.map(({ kind }) => kind)).toEqual([
      "affine",
      "convolution",
      "gdn",
    ]);
  });

  test("rejects invalid sizes", async () => {
    const refusals: readonly [Partial<ImageModelFitOptions>, string][] = [
      [
        { geometry: { stride: 2, filterBlocks: 2 } },
        "Expected neighbourhood to be given without a preset but received undefined",
      ],
      [{ geometry: {} }, "A cascade needs a preset (small, medium, paper) or a geometry."],
      [
        { geometry: { stride: 2, filterBlocks: 2, neighbourhood: 32 } },
        "Expected neighbourhood to be an integer from 1 to 31 but received 32",
      ],
      [{ certified: true } as object, "Expected the options to have only the fields"],
      [{ geometry: { ...options.geometry, stages: 3 as 2 } }, "Expected stages to be 1 or 2"],
      [{ greedy: 1.1 }, "Expected greedy to be a number from 0 to 1"],
      [{ preset: "large" as "small" }, "Expected the preset to be one of small, medium, paper"],
    ];
    for (const [changed, message] of refusals) {
      await expect(fitImageModel(runner, { ...options, ...changed })).rejects.toThrow(message);
    }
  });
});

describe("presets", () => {
  test("have the sizes of the paper, and crops that fit into small photographs", () => {
    expect(cascadePresets.paper).toEqual({
      stride: 16,
      filterBlocks: 3,
      neighbourhood: 9,
      stages: 2,
    });
    const sides = Object.values(cascadePresets).map((geometry) => cropSideOf(geometry));
    expect(sides).toEqual([28, 80, 288]);
    expect(cropSideOf(cascadeGeometry("paper", { stages: 1 }))).toBe(96);
    expect(
      cascadeGeometry(undefined, { stride: 2, filterBlocks: 1, neighbourhood: 3 }).stages,
    ).toBe(2);
  });

  test("use whole crops, at least one", () => {
    const { small, paper } = cascadePresets;
    expect([1, 20, 24, 512].map((batch) => locationsOfStep(small, batch))).toEqual([
      16, 16, 32, 512,
    ]);
    // Crops of wide neighbourhoods have 8×8 locations.
    expect(locationsOfStep(paper, 100)).toBe(128);
  });
});

describe("a fit of an image cascade", () => {
  test("rolls back steps to a nearly singular convolution", async () => {
    const gradient = parametersOf(smallCascade);
    let calls = 0;
    const fit = await fitTransform(runner, smallCascade, {
      steps: 6,
      batchAt: () => new Float32Array(1),
      // The third evaluation is at the result of the second step.
      objective: () =>
        Promise.resolve({ gradient, value: 1, failedSamples: 0, isNearlySingular: ++calls === 3 }),
    });
    expect(fit.rejectedSteps).toBe(1);
    expectClose(calls, 8, { absolute: 0 });
  });
});
