/** Fits of mixtures over components, and over the eight poses of a patch. */
import { beforeAll, describe, expect, test } from "vitest";
import { openRunner } from "gaussianize/node";
import { densityOf } from "../../src/density/density-of.js";
import {
  type Mixture,
  type SymmetricMixture,
  mixture,
  symmetricMixture,
} from "../../src/density/mixtures/mixture.js";
import { mixtureLogProb } from "../../src/density/mixtures/mixture-passes.js";
import { decodeModel, encodeModel } from "../../src/density/model-files/model-file.js";
import { evaluate } from "../../src/evaluation/evaluate.js";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { errorOfMean, meanOf } from "../../src/numbers/means.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import type { Ranks } from "../../src/parallel/ranks.js";
import { createRandom } from "../../src/random/random-stream.js";
import { fitModel } from "../../src/training/fit-model.js";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/training/checkpoint-file.js";
import type { FitCheckpoint } from "../../src/training/fit-transform.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { mixtureMeasure, mixtureObjective } from "../../src/training/mixture-fit.js";
import { trusted } from "../../src/transforms/checks.js";
import type { Gdn } from "../../src/transforms/gdn.js";
import { parametersOf } from "../../src/transforms/parameters.js";
import {
  type FittedTransform,
  type SideBySide,
  componentsOf,
  sideBySide,
  weightsOf,
} from "../../src/transforms/side-by-side.js";
import type { Stage, Transform } from "../../src/transforms/transform.js";
import { parameterGradients } from "../support/differences.js";
import { expectClose } from "../support/expect-close.js";
import { referenceRunner } from "../support/inline-runners.js";
import { randomLayer } from "../support/models.js";
import { texturedScenes } from "../support/scenes.js";
import { seed } from "../support/seed.js";

/** Responsibilities, and so the objective, are exact unless the structure is "column". */
const cases = [
  { removeMean: false, components: 1, symmetric: true, structure: "low-rank" },
  { removeMean: true, components: 1, symmetric: true, structure: "general" },
  { removeMean: false, components: 3, symmetric: false, structure: "low-rank" },
  { removeMean: true, components: 2, symmetric: true, structure: "low-rank" },
] as const;

describe.each(cases)("the objective of %j", (mixed) => {
  const { removeMean, components, symmetric, structure } = mixed;
  const side = 2;
  const layout = { size: side, removeMean };
  const n = removeMean ? 3 : 4;
  const random = createRandom(seed, "mixture fit", n, components);
  const randomComponents = (): Transform | SideBySide => {
    const layers = Array.from({ length: components }, () => randomLayer(random, structure, { n }));
    const logWeights = random.normalFill(new Float32Array(components));
    return components === 1 ? layers[0] : sideBySide(layers, logWeights);
  };
  const fitted = randomComponents();
  const x = random.normalFill(new Float64Array(8 * n));
  const meanOfMixture = async (moved: Transform | SideBySide): Promise<number> => {
    const density = mixture({ components: componentsOf(moved), weights: weightsOf(moved) });
    const whole = symmetric ? symmetricMixture({ side, removeMean, density }) : density;
    return meanOf(await mixtureLogProb(referenceRunner, whole, x));
  };
  const objectiveWith = (steps: number, guide: Transform | SideBySide | null = null) =>
    mixtureObjective(
      { layout, symmetric, seed, probes: undefined },
      { firstStep: 0, steps, guide },
    );

  test("is the mean log p of the mixture, and so is the measure of validations", async () => {
    const expected = await meanOfMixture(fitted);
    const { value } = await objectiveWith(1)(referenceRunner, fitted, x, 0);
    expectClose(value, expected, { relative: 1e-14, scale: 10 });
    const measured = await mixtureMeasure(layout, symmetric)(referenceRunner, fitted, x);
    expectClose(measured, expected, { relative: 1e-14, scale: 10 });
  });

  test("has gradients whose mean is the gradient of the mixture, within 4.5 errors", async () => {
    const draws = 600;
    const objective = objectiveWith(draws + 1);
    const sums = parametersOf(fitted).map((groups) =>
      Object.entries(groups).map(([name, { length }]) => ({
        name,
        mean: new Float64Array(length),
        square: new Float64Array(length),
      })),
    );
    for (let step = 0; step < draws; step++) {
      const { gradient } = await objective(referenceRunner, fitted, x, step);
      expect(gradient.length).toBe(sums.length);
      for (const [stage, groups] of sums.entries()) {
        for (const { name, mean, square } of groups) {
          gradient[stage][name].forEach((value, k) => {
            mean[k] += value / draws;
            square[k] += value ** 2 / draws;
          });
        }
      }
    }
    const exact = await parameterGradients(fitted, async (moved) => -(await meanOfMixture(moved)));
    for (const [stage, groups] of sums.entries()) {
      for (const { name, mean, square } of groups) {
        exact[stage][name].forEach((value, k) => {
          const error = Math.sqrt(Math.max(0, square[k] - mean[k] ** 2) / draws);
          const where = `${name}[${k}] of stage ${stage}`;
          expect(Math.abs(mean[k] - value), where).toBeLessThan(4.5 * error + 1e-7);
        });
      }
    }
  });

  test("raises a bound of it while another density guides the draws, and then it", async () => {
    const guide = randomComponents();
    const expected = await meanOfMixture(fitted);
    // Of 500 steps, so many are guided.
    const draws = 460;
    const objective = objectiveWith(500, guide);
    const values = new Float64Array(draws);
    for (let step = 0; step < draws; step++) {
      values[step] = (await objective(referenceRunner, fitted, x, step)).value;
    }
    const error = errorOfMean(values);
    expect(meanOf(values)).toBeLessThan(expected - 4.5 * error);
    const last = await objective(referenceRunner, fitted, x, draws);
    expectClose(last.value, expected, { relative: 1e-14, scale: 10 });
    // The bound is tight if both densities are the same.
    const own = await objectiveWith(9, fitted)(referenceRunner, fitted, x, 0);
    expectClose(own.value, expected, { relative: 1e-12, scale: 10 });
  });

  test("needs no gradient at the end, and counts samples without a density", async () => {
    const lost = x.slice();
    lost[0] = NaN;
    const found = await objectiveWith(3)(referenceRunner, fitted, lost, 3);
    expect(found).toMatchObject({ gradient: [], failedSamples: 1 });
  });
});

test("full pools give a bound that is nearly tight", async () => {
  const random = createRandom(seed, "approximate responsibilities");
  const layout = { size: 2, removeMean: false };
  const density = randomLayer(random, "column", { n: 4 });
  const x = random.normalFill(new Float64Array(256));
  const whole = symmetricMixture({ side: 2, removeMean: false, density });
  const expected = meanOf(await mixtureLogProb(referenceRunner, whole, x));
  const steps = 200;
  const terms = { layout, symmetric: true, seed, probes: undefined };
  const objective = mixtureObjective(terms, { firstStep: 0, steps });
  // Of 200 steps, so many have approximate responsibilities.
  const gaps = new Float64Array(184);
  for (let step = 0; step < gaps.length; step++) {
    gaps[step] = expected - (await objective(referenceRunner, density, x, step)).value;
  }
  // The mean gap is a divergence of responsibilities, so it is positive. Equal poses would be off
  // by more than 0.1 nats.
  expect(meanOf(gaps)).toBeGreaterThan(0);
  expect(meanOf(gaps)).toBeLessThan(0.02);
  for (const step of [gaps.length, steps - 1, steps]) {
    const { value } = await objective(referenceRunner, density, x, step);
    expectClose(value, expected, { relative: 1e-12, scale: 10 });
  }
  const guides = mixtureObjective(terms, { firstStep: 0, steps, isForGuide: true });
  const { value } = await guides(referenceRunner, density, x, steps - 1);
  expect(Math.abs(value - expected)).toBeGreaterThan(1e-6);
});

test("components without a sound sample leave the gradient to the others", async () => {
  const random = createRandom(seed, "components without samples");
  const layers = [0, 1].map(() => randomLayer(random, "low-rank", { n: 4 }));
  const layout = { size: 2, removeMean: false };
  const terms = { layout, symmetric: false, seed, probes: undefined };
  const objective = mixtureObjective(terms, { firstStep: 0, steps: 99 });
  const simd = new InlineRunner((await loadKernels()).kernels);
  const x = random.normalFill(new Float32Array(8));
  // Its density is evaluated in Float64 after all, but its gradient overflows.
  x[4] = 1e30;
  for (let step = 0; step < 20; step++) {
    const fitted = sideBySide(layers, Float64Array.of(0, 0));
    const { value, gradient, failedSamples } = await objective(simd, fitted, x, step);
    expect(failedSamples).toBe(1);
    expect(value).toBeLessThan(0);
    expect(value).toBeGreaterThan(-Infinity);
    for (const groups of gradient) {
      for (const values of Object.values(groups))
        expect([...values].every(Number.isFinite)).toBe(true);
    }
  }
});

test("a batch without a sound sample has no value, as in fits of a single density", async () => {
  const random = createRandom(seed, "no sound sample");
  const layers = [0, 1].map(() => randomLayer(random, "low-rank", { n: 4 }));
  const layout = { size: 2, removeMean: false };
  const terms = { layout, symmetric: false, seed, probes: undefined };
  const objective = mixtureObjective(terms, { firstStep: 0, steps: 99 });
  const simd = new InlineRunner((await loadKernels()).kernels);
  const fitted = sideBySide(layers, Float64Array.of(0, 0));
  const found = await objective(simd, fitted, new Float32Array(8).fill(3e38), 0);
  expect(found).toMatchObject({ failedSamples: 2, value: NaN });
});

test("a component whose H is singular makes the value NaN", async () => {
  const random = createRandom(seed, "singular component");
  const layers = [0, 1].map(() => randomLayer(random, "low-rank", { n: 4 }));
  const singular = trusted<Stage>({ ...layers[1], H: new Float64Array(16) } as Gdn);
  const layout = { size: 2, removeMean: false };
  const terms = { layout, symmetric: false, seed, probes: undefined };
  const objective = mixtureObjective(terms, { firstStep: 0, steps: 9 });
  const fitted = sideBySide([layers[0], singular], Float64Array.of(0, 0));
  const x = random.normalFill(new Float64Array(8));
  expect((await objective(referenceRunner, fitted, x, 0)).value).toBeNaN();
  expect((await objective(referenceRunner, fitted, x, 9)).value).toBeNaN();
  expect(await mixtureMeasure(layout, false)(referenceRunner, fitted, x)).toBeNaN();
});

test("a component that has no density for these samples does not", async () => {
  const random = createRandom(seed, "component without density");
  const sound = randomLayer(random, "low-rank", { n: 4 }) as Gdn;
  const lost = trusted<Stage>({ ...sound, epsilon: sound.epsilon.map(() => 1e3) } as Gdn);
  const layout = { size: 2, removeMean: false };
  const terms = { layout, symmetric: false, seed, probes: undefined };
  const objective = mixtureObjective(terms, { firstStep: 0, steps: 9 });
  const fitted = sideBySide([sound, lost], Float64Array.of(0, 0));
  const x = random.normalFill(new Float64Array(8));
  const { value, gradient } = await objective(referenceRunner, fitted, x, 8);
  expect(value).toBeGreaterThan(-Infinity);
  // All samples belong to the first component, so its weight should rise.
  expectClose(gradient[2].logWeights, [-0.5, 0.5], { relative: 1e-12, scale: 1 });
});

describe("fitModel with symmetric", () => {
  const scenes = texturedScenes("symmetric", 4, { width: 40, height: 40 });
  const options = {
    model: "gdn",
    symmetric: true,
    images: scenes.length,
    load: (index: number) => Promise.resolve(scenes[index]),
    reading: { luminance: "grey", dequantize: true, layout: { size: 4, removeMean: true } },
    steps: 40,
    batch: 64,
    heldOut: 0.25,
    seed,
  } as const;
  let runner: InlineRunner;
  beforeAll(async () => {
    runner = new InlineRunner((await loadKernels()).kernels);
  });

  test("gives a mixture over poses, with the figures that an evaluation confirms", async () => {
    const { model } = await fitModel(runner, options);
    expect(model.transform).toMatchObject({ kind: "symmetric-mixture", side: 4, removeMean: true });
    expect(model.about.training).toMatchObject({ symmetric: true });
    expect(decodeModel(encodeModel(model))).toEqual(model);
    const order = createRandom(seed, "held out").permutation(scenes.length);
    const evaluation = await evaluate(
      densityOf(model, runner),
      { images: 1, load: () => Promise.resolve(scenes[order[0]]) },
      { patches: 4000 },
    );
    const { heldOutLogLikelihoodInNats: nats } = model.about.figures!;
    const error = 4 * Math.sqrt(2) * evaluation.standardErrors.meanLogLikelihood;
    expect(Math.abs(nats - evaluation.meanLogLikelihood)).toBeLessThan(error);
  });

  test("gives the same bits with two workers, and from a checkpoint", async () => {
    const whole = await fitModel(runner, options);
    const pool = await openRunner({ workers: 2 });
    expect((await fitModel(pool, options)).model).toEqual(whole.model);
    await pool.close();
    const kept: FitCheckpoint<FittedTransform>[] = [];
    const onCheckpoint = (checkpoint: FitCheckpoint<FittedTransform>): void =>
      void kept.push(checkpoint);
    await fitModel(runner, { ...options, checkpointEvery: 13, onCheckpoint });
    const resumed = await fitModel(runner, {
      ...options,
      resume: () => kept[1] as FitCheckpoint,
    });
    expect(resumed.model).toEqual(whole.model);
  });

  test("rejects several ranks", async () => {
    const ranks = { size: 2, rank: 0 } as Ranks;
    await expect(fitModel(runner, { ...options, ranks })).rejects.toThrow(
      'Expected ranks to be omitted for a symmetric fit but received "2 ranks".',
    );
  });

  test("fits the first layer alone, then a stack, and keeps the layer in checkpoints", async () => {
    const stack = { ...options, layers: 2, couplings: 3 };
    const kept: FitCheckpoint<FittedTransform>[] = [];
    const onCheckpoint = (checkpoint: FitCheckpoint<FittedTransform>): void =>
      void kept.push(checkpoint);
    const whole = await fitModel(runner, { ...stack, checkpointEvery: 1, onCheckpoint });
    expect(whole.model.about.name).toBe("GDN, 2 layers, with couplings, symmetric");
    expect(kept.map(({ transform }) => stagesOf(transform).length).lastIndexOf(1)).toBe(8);
    const last = kept[8].transform;
    for (const { step, firstLayer } of kept) {
      expect(firstLayer?.kind).toBe(step > 10 ? last.kind : undefined);
    }
    for (const checkpoint of [kept[4], kept[20], kept[35]]) {
      const resume = <T extends FittedTransform>(start: T): FitCheckpoint<T> =>
        decodeCheckpoint(encodeCheckpoint(checkpoint), start);
      expect((await fitModel(runner, { ...stack, resume })).model).toEqual(whole.model);
    }
    const longer = { ...stack, steps: 60, restarts: [40], finished: whole.model };
    expect((await fitModel(runner, longer)).model.transform.kind).toBe("symmetric-mixture");
  });

  /** Returns whether each step of a fit had approximate responsibilities, and the model. */
  async function recordedFit(settings: Parameters<typeof fitModel>[1]) {
    const ofSteps: boolean[][] = [[]];
    class RecordingRunner extends InlineRunner {
      override run: InlineRunner["run"] = (job, shared, inputs, settings) => {
        const first = inputs.at(0) as { readonly task: { readonly isApproximate?: boolean } };
        ofSteps[ofSteps.length - 1].push(first.task.isApproximate === true);
        return super.run(job, shared, inputs, settings);
      };
    }
    const { model } = await fitModel(new RecordingRunner(runner.kernels), {
      ...settings,
      heldOut: 0,
      onStep: () => void ofSteps.push([]),
    });
    const approximate = ofSteps.slice(0, -1).map((passes) => passes.some((is) => is));
    return { model, approximate };
  }

  test("ends phases of stacks with exact responsibilities, also in extensions", async () => {
    const stack = { ...options, layers: 2 };
    const { model: finished } = await fitModel(runner, stack);
    const { approximate } = await recordedFit({ ...stack, steps: 65, restarts: [40], finished });
    // The first layer alone until step 10, then the stack until 40, and the extension.
    expect(approximate.lastIndexOf(true, 39)).toBe(36);
    expect(approximate.indexOf(true, 40)).toBe(40);
    expect(approximate.lastIndexOf(true)).toBe(62);
  });

  test("estimates responsibilities in all steps that estimate their gradients", async () => {
    const estimated = { ...options, components: 2, steps: 20, gradient: "probes" } as const;
    const { model, approximate } = await recordedFit(estimated);
    expect(approximate.every((is) => is)).toBe(true);
    const pool = await openRunner({ workers: 2 });
    expect((await fitModel(pool, { ...estimated, heldOut: 0 })).model).toEqual(model);
    await pool.close();
    const exact = await fitModel(runner, { ...estimated, heldOut: 0, gradient: "exact" });
    expect(exact.model.transform).not.toEqual(model.transform);
  });

  test("fits several components with learned weights, the same bits on every path", async () => {
    const several = { ...options, components: 2, steps: 30 };
    const whole = await fitModel(runner, several);
    expect(whole.model.about.name).toBe("GDN, 2 components, symmetric");
    expect(whole.model.about.training).toMatchObject({ components: 2, symmetric: true });
    const { density } = whole.model.transform as SymmetricMixture;
    const { weights, components } = density as Mixture;
    expect(weights[0]).not.toBe(weights[1]);
    expect(components[0]).not.toEqual(components[1]);
    const pool = await openRunner({ workers: 2 });
    expect((await fitModel(pool, several)).model).toEqual(whole.model);
    await pool.close();
    expect(decodeModel(encodeModel(whole.model))).toEqual(whole.model);
    expect((await fitModel(runner, { ...several, seed: 9 })).model).not.toEqual(whole.model);
  });

  test("fits stacks of components, which resume and can be extended", async () => {
    const stacks = { ...options, symmetric: false, components: 2, layers: 2, couplings: 3 };
    const kept: FitCheckpoint<FittedTransform>[] = [];
    const onCheckpoint = (checkpoint: FitCheckpoint<FittedTransform>): void =>
      void kept.push(checkpoint);
    const whole = await fitModel(runner, { ...stacks, checkpointEvery: 1, onCheckpoint });
    expect(whole.model.about.name).toBe("GDN, 2 layers, with couplings, 2 components");
    expect(whole.model.transform.kind).toBe("mixture");
    // The first layers alone take 10 steps. Their weights are those with which the stacks begin.
    const weightsAt = (step: number): readonly number[] => {
      const { transform } = kept.find(
        (checkpoint) => checkpoint.step === step,
      ) as FitCheckpoint<SideBySide>;
      return [...transform.logWeights];
    };
    expect(Math.abs(weightsAt(9)[0])).toBeGreaterThan(1e-3);
    expect(Math.abs(weightsAt(11)[0] - weightsAt(9)[0])).toBeLessThan(0.01);
    for (const checkpoint of [kept[4], kept[20], kept[35]]) {
      const resume = <T extends FittedTransform>(start: T): FitCheckpoint<T> =>
        decodeCheckpoint(encodeCheckpoint(checkpoint), start);
      expect((await fitModel(runner, { ...stacks, resume })).model).toEqual(whole.model);
    }
    const longer = { ...stacks, steps: 60, restarts: [40], finished: whole.model };
    const extended: FitCheckpoint<FittedTransform>[] = [];
    const { model } = await fitModel(runner, {
      ...longer,
      checkpointEvery: 1,
      onCheckpoint: (checkpoint: FitCheckpoint<FittedTransform>) => void extended.push(checkpoint),
    });
    expect(model.transform.kind).toBe("mixture");
    const first = extended.find(({ step }) => step === 41)?.transform as SideBySide;
    const { weights } = whole.model.transform as Mixture;
    expectClose(weightsOf(first), weights, { relative: 0.02, scale: 1 });
  });

  test("rejects a finished model of another kind, and ranks", async () => {
    const several = { ...options, symmetric: false, components: 2 };
    const { model: finished } = await fitModel(runner, { ...options, steps: 2 });
    const longer = { ...several, restarts: [2], finished };
    await expect(fitModel(runner, longer)).rejects.toThrow(
      'Expected finished to be a mixture of 2 components but received "a symmetric mixture of 1 component".',
    );
    const ranks = { size: 2, rank: 0 } as Ranks;
    await expect(fitModel(runner, { ...several, ranks })).rejects.toThrow(
      'Expected ranks to be omitted for a fit of several components but received "2 ranks".',
    );
  });

  test("rejects a greedy start", async () => {
    await expect(fitModel(runner, { ...options, layers: 2, greedy: 0.5 })).rejects.toThrow(
      "Expected greedy to be 0 for a symmetric fit but received 0.5.",
    );
  });
});
