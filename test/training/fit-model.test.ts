import { beforeAll, describe, expect, test } from "vitest";
import { openRunner } from "gaussianize/node";
import { decodeModel, encodeModel } from "../../src/density/model-files/model-file.js";
import { type PatchModel, requirePatchModel } from "../../src/density/model-files/model.js";
import { readingOf } from "../../src/density/model-files/model-reading.js";
import { densityOf } from "../../src/density/density-of.js";
import { evaluate } from "../../src/evaluation/evaluate.js";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import { createRandom } from "../../src/random/random-stream.js";
import { fitDefaults } from "../../src/training/fit-defaults.js";
import {
  type ModelCheckpoint,
  type ModelFitOptions,
  fitModel,
} from "../../src/training/fit-model.js";
import type { FitProgress } from "../../src/training/image-fit.js";
import { settledOptions } from "../../src/training/settle-options.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { modelNames } from "../../src/transforms/model-names.js";
import { refusal } from "../support/expect-error.js";
import { texturedScenes } from "../support/scenes.js";
import { seed } from "../support/seed.js";

const scenes = texturedScenes("scene", 6, { width: 48, height: 40 });
const reading = {
  luminance: "grey",
  dequantize: true,
  layout: { size: 4, removeMean: false },
} as const;
const options: ModelFitOptions = {
  model: "gdn",
  images: scenes.length,
  // With new noise each time, like an image set.
  load: (index, round) =>
    Promise.resolve({
      ...scenes[index],
      pixels: scenes[index].pixels.map((value, k) => value + 1e-3 * ((k * (round + 1)) % 7)),
    }),
  reading,
  steps: 60,
  batch: 64,
  seed,
};
/** Images in archives of different sizes. */
const many = {
  images: 40,
  load: (index: number, round: number) => options.load(index % scenes.length, round),
  runs: Uint32Array.of(0, 8, 9, 11, 19, 27, 30, 38),
};

let runner: InlineRunner;
beforeAll(async () => {
  runner = new InlineRunner((await loadKernels()).kernels);
});

describe("fitModel", () => {
  test.each(modelNames)(
    "%s: ends better than it began, on images it has not seen",
    async (model) => {
      const seen: FitProgress[] = [];
      const { fit } = await fitModel(runner, {
        ...options,
        model,
        onValidation: (progress) => seen.push(progress),
      });
      expect(seen.map(({ step }) => step)).toEqual([25, 50, 60]);
      expect(fit.validated?.meanLogProb).toBeGreaterThan(seen[0].meanLogProb);
    },
  );

  test.each([0.1, undefined])(
    "chooses the same preprocessing as the command for noise level %s",
    async (noiseLevel) => {
      const noisy = { ...reading, ...(noiseLevel !== undefined && { noiseLevel }) };
      const { model } = await fitModel(runner, { ...options, steps: 1, reading: noisy });
      const { preprocessing } = settledOptions({ noiseLevel });
      expect(model.about.preprocessing?.curve).toBe(preprocessing);
      expect(stagesOf(model.transform)[0].kind).toBe(noiseLevel ? "affine" : "pointwise");
    },
  );

  test("records how to read images and what it was fitted to", async () => {
    const { model, heldOutImages, trainingImages } = await fitModel(runner, options);
    expect([trainingImages, heldOutImages]).toEqual([5, 1]);
    const read = requirePatchModel(decodeModel(encodeModel(model)));
    expect(read).toEqual(model);
    expect(readingOf(read)).toEqual(reading);
  });

  test("has the requested number of layers, also in its name", async () => {
    const { model } = await fitModel(runner, { ...options, layers: 2, steps: 20 });
    expect(stagesOf(model.transform).map(({ kind }) => kind)).toEqual([
      "pointwise",
      "gdn",
      "affine",
      "gdn",
    ]);
    expect(model.about).toMatchObject({ name: "GDN, 2 layers", training: { layers: 2 } });
    expect(decodeModel(encodeModel(model))).toEqual(model);
  });

  test("puts two couplings between layers, which learn", async () => {
    const { model } = await fitModel(runner, { ...options, layers: 2, couplings: 5, steps: 20 });
    const stages = stagesOf(model.transform);
    const kinds = ["pointwise", "gdn", "affine", "coupling", "coupling", "gdn"];
    expect(stages.map(({ kind }) => kind)).toEqual(kinds);
    const couplings = stages.filter((stage) => stage.kind === "coupling");
    expect(couplings.map(({ given, hidden }) => [given, hidden])).toEqual([
      ["even", 5],
      ["odd", 5],
    ]);
    for (const { outputWeights } of couplings) {
      expect(outputWeights.every((weight) => weight !== 0)).toBe(true);
    }
    expect(model.about.training).toMatchObject({ layers: 2, couplings: 5 });
    expect(decodeModel(encodeModel(model))).toEqual(model);
  });

  test("rejects couplings without a second layer", async () => {
    await expect(fitModel(runner, { ...options, couplings: 5 })).rejects.toThrow(
      "Expected couplings to be 0 for one layer but received 5.",
    );
  });

  test("has the held-out figures that an evaluation of the same images confirms", async () => {
    const { model, fit } = await fitModel(runner, options);
    const { heldOutLogLikelihoodInNats: nats, negentropyDifferenceInNatsPerPixel: difference } =
      model.about.figures!;
    const order = createRandom(seed, "held out").permutation(scenes.length);
    const evaluation = await evaluate(
      densityOf(model, runner),
      { images: 1, load: () => Promise.resolve(scenes[order[0]]) },
      { patches: 4000 },
    );
    // 256 and 4,000 patches of one image: the smaller number has the larger error.
    const error = 4 * Math.sqrt(4000 / 256) * evaluation.standardErrors.meanLogLikelihood;
    expect(Math.abs(nats - evaluation.meanLogLikelihood)).toBeLessThan(error);
    expect(Math.abs(difference - evaluation.negentropyDifferencePerDimension)).toBeLessThan(
      error / 16,
    );
    expect(fit.validated!.step).toBe(60);
  });

  test("gives the same bits in this thread and in two workers", async () => {
    const pool = await openRunner({ workers: 2 });
    const inWorkers = await fitModel(pool, options).finally(() => pool.close());
    const inline = await fitModel(runner, options);
    expect(encodeModel(inWorkers.model)).toEqual(encodeModel(inline.model));
  });

  test.each([
    { what: "with a window that moves", more: { window: 2, steps: 150 } },
    { what: "with lanes", more: { ...many, window: 18, steps: 150 } },
    { what: "that ends early", more: { patience: 1, learningRate: 2 } },
    { what: "by SGD", more: { optimiser: "sgd", learningRate: 0.3 } as const },
    { what: "without validation", more: { heldOut: 0 } },
    { what: "of three layers", more: { layers: 3, greedy: 0.5 } },
  ])("resumes from any checkpoint with the same bits: a fit $what", async ({ more }) => {
    const checkpoints: ModelCheckpoint[] = [];
    const whole = await fitModel(runner, {
      ...options,
      ...more,
      checkpointEvery: 29,
      onCheckpoint: (checkpoint) => void checkpoints.push(checkpoint),
    });
    expect(checkpoints.length).toBeGreaterThan(0);
    for (const checkpoint of checkpoints) {
      const resumed = await fitModel(runner, { ...options, ...more, resume: () => checkpoint });
      expect(resumed.model).toEqual(whole.model);
    }
  });

  test("makes the model of a fit that ends at a checkpoint", async () => {
    const models = new Map<number, PatchModel>();
    const whole = await fitModel(runner, {
      ...options,
      checkpointEvery: 1,
      onCheckpoint: ({ step }, model) => void models.set(step, model()),
    });
    expect([...models.keys()]).toEqual(Array.from({ length: 59 }, (_, k) => k + 1));
    // Its validation is the one after 25 steps, until there is a better one.
    expect(models.get(40)!.about.training).toMatchObject({ steps: 40, bestStep: 25 });
    expect(models.get(40)!.transform).toEqual(models.get(25)!.transform);
    expect(models.get(24)!.about.training).not.toHaveProperty("bestStep");
    expect(decodeModel(encodeModel(models.get(24)!))).toEqual(models.get(24));
    expect(whole.model).toEqual((await fitModel(runner, options)).model);
  });

  test("records the origin of its images", async () => {
    const origin = { hash: "sha256:00", images: 8, protocol: "bsds64", removeSaturated: true };
    const { model } = await fitModel(runner, { ...options, steps: 5, origin });
    expect(model.about.data).toEqual({
      images: 6,
      trainingImages: 5,
      heldOutImages: 1,
      skippedImages: 2,
      hash: "sha256:00",
    });
    expect(model.about.preprocessing).toMatchObject({ protocol: "bsds64", removeSaturated: true });
  });

  test("skips unusable images in any position", async () => {
    const load = (index: number) => Promise.resolve(index === 2 ? undefined : scenes[index]);
    const { model } = await fitModel(runner, { ...options, load });
    expect(model.about.figures!.negentropyDifferenceInNatsPerPixel).toBeLessThan(0);
    const none = fitModel(runner, { ...options, load: () => Promise.resolve(undefined) });
    await expect(none).rejects.toThrow("images can be used");
  });

  test("flags a result worse than the start, and returns the better of both", async () => {
    const short = { ...options, steps: 12, preprocessing: "standardize" } as const;
    expect((await fitModel(runner, short)).problem).toBeNull();
    for (const heldOut of [0.2, 0]) {
      const failed = await fitModel(runner, { ...short, heldOut, learningRate: 1000 });
      expect(failed.problem).toMatchObject({ steps: 12, isHeldOut: heldOut > 0 });
      const [, layer] = stagesOf(failed.model.transform);
      // Steps of that rate change every parameter.
      expect(layer).toMatchObject({ beta: new Float32Array(16).fill(1) });
    }
  });

  test("patches without a mean have one dimension less and no curve", async () => {
    const layout = { size: 4, removeMean: true };
    const { model } = await fitModel(runner, { ...options, reading: { ...reading, layout } });
    expect(model.transform.dimension).toBe(15);
    expect(model.about.preprocessing).toMatchObject({ curve: "standardize", stages: 1 });
  });

  test.each([
    [{ model: "gnd" }, "Expected model to be one of gdn, gdn-general"],
    [{ images: 0 }, refusal("images", "be a positive integer", 0)],
    [{ layers: 13 }, refusal("layers", "be a whole number from 1 to 12", 13)],
    [{ greedy: 1 }, refusal("greedy", "be a number from 0 to 0.9", 1)],
    [{ heldOut: 1 }, refusal("heldOut", "be a number from 0 to 0.9", 1)],
    [{ batch: 0.5 }, refusal("batch", "be a whole number from 1 to 1000000", 0.5)],
    [{ preprocessing: "log" }, "Expected preprocessing to be one of logistic, standardize"],
    [{ model: "isa", subspace: 17 }, "Expected subspace to be a whole number from 1 to 16"],
    [{ poolRank: 65 }, refusal("poolRank", "be a whole number from 0 to 64", 65)],
    [{ poolRank: 17 }, refusal("poolRank", "be a whole number from 0 to 16", 17)],
    [{ poolRank: 1.5 }, refusal("poolRank", "be a whole number from 0 to 64", 1.5)],
    [{ model: "rg", poolRank: 4 }, 'Expected poolRank to be 0, unless the model is "gdn" but'],
    [{ stpes: 3 }, "stpes"],
  ])("rejects %o", async (wrong, message) => {
    const fit = fitModel(runner, { ...options, ...(wrong as Partial<ModelFitOptions>) });
    await expect(fit).rejects.toThrow(message);
  });

  test("has defaults that grow with what a step costs", () => {
    expect(fitDefaults("gdn", 64).batch).toBeGreaterThan(fitDefaults("gdn", 256).batch);
    expect(fitDefaults("ica-mg", 64).steps).toBeGreaterThan(fitDefaults("gdn", 64).steps);
    expect(fitDefaults("gdn", 256, 0, 1).learningRate).toBe(0.03);
    expect(fitDefaults("gdn", 256, 0, 3).learningRate).toBe(0.02);
    expect(fitDefaults("gdn", 256, 16).steps).toBeGreaterThan(fitDefaults("gdn", 256).steps);
  });
});
