import { beforeAll, describe, expect, test } from "vitest";
import { gaussianize } from "../../src/density/induced-density.js";
import type { TransformShared, TransformTaskResult } from "../../src/density/transform-job.js";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { createRandom } from "../../src/random/random-stream.js";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/training/checkpoint-file.js";
import {
  type LayerFitOptions,
  fitLayers,
  fitPhases,
  startingLayers,
} from "../../src/training/fit-layers.js";
import { mostLayers } from "../../src/training/fit-options.js";
import type { FitCheckpoint } from "../../src/training/fit-transform.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { gdnStructures } from "../../src/transforms/gdn-structures.js";
import { largest } from "../support/expect-close.js";
import { expectError } from "../support/expect-error.js";
import { seed } from "../support/seed.js";

const n = 3;
let runner: InlineRunner;
beforeAll(async () => {
  runner = new InlineRunner((await loadKernels()).kernels);
});

/** A product of two scales, one of them shared by all components: one layer cannot undo it. */
function samples(step: number, count = 96): Float32Array {
  const random = createRandom(seed, "layers", step);
  const x = new Float32Array(n * count);
  for (let s = 0; s < count; s++) {
    const common = 0.2 + 2 * Math.abs(random.normal());
    const parts = [0, 1, 2].map(() => (0.3 + Math.abs(random.normal())) * random.normal());
    parts.forEach((part, i) => (x[s * n + i] = common * (part + 0.5 * parts[(i + 1) % n]) + 0.2));
  }
  return x;
}

const H = Float32Array.of(1, 0.1, 0, 0, 0.8, 0, 0.2, 0, 1);
const first = startingGdn({ structure: "column", dimension: n, H });
const options: LayerFitOptions = {
  steps: 50,
  greedy: 0.4,
  batchAt: (step) => samples(step),
  learningRate: 0.05,
  validation: { x: samples(-1, 500), every: 6, patience: 5 },
};

describe("the phases of a fit", () => {
  test.each([1, 2, 3, 6, mostLayers])("follow each other without a gap: %i layers", (layers) => {
    for (const steps of [1, 2, 7, 40, 10_000]) {
      const phases = fitPhases(layers, steps, { greedy: 0.4 });
      expect(phases[0].firstStep).toBe(0);
      phases.slice(1).forEach((phase, k) => {
        expect(phase.firstStep).toBe(phases[k].steps);
        expect(phase.layers).toBeGreaterThanOrEqual(phases[k].layers);
      });
      expect(phases.at(-1)).toMatchObject({ layers, isGreedy: false, steps });
    }
  });

  test("have a single phase without greedy steps", () => {
    expect(fitPhases(3, 30)).toEqual([{ layers: 3, isGreedy: false, firstStep: 0, steps: 30 }]);
  });

  test("have a single phase for one layer", () => {
    expect(fitPhases(1, 30, { greedy: 0.4 })).toEqual([
      { layers: 1, isGreedy: false, firstStep: 0, steps: 30 },
    ]);
  });

  test("train each layer in turn before all are trained together", () => {
    expect(
      fitPhases(3, 1000, { greedy: 0.4 }).map(({ layers, isGreedy }) => [layers, isGreedy]),
    ).toEqual([
      [1, true],
      [2, true],
      [3, true],
      [3, false],
    ]);
  });
});

describe("the phases of a cascade", () => {
  test("train the middle tap of a later layer alone before all of its taps", () => {
    const phases = fitPhases(2, 100, { greedy: 0.4, startsNarrow: true });
    expect(
      phases.map(({ firstStep, steps, isNarrow = false }) => [firstStep, steps, isNarrow]),
    ).toEqual([
      [0, 20, false],
      [20, 30, true],
      [30, 40, false],
      [40, 100, false],
    ]);
  });

  test.each([1, 2, 7, 40])("follow each other without a gap: %i steps", (steps) => {
    const phases = fitPhases(2, steps, { greedy: 1, startsNarrow: true });
    expect(phases[0].firstStep).toBe(0);
    phases.slice(1).forEach(({ firstStep }, k) => {
      expect(firstStep).toBe(phases[k].steps);
    });
    expect(phases.at(-1)?.steps).toBe(steps);
  });
});

describe("the start of a stack", () => {
  test.each(gdnStructures.filter((structure) => structure !== "classic"))(
    "hardly changes what the first layer makes of the data: %s",
    async (structure) => {
      const partition = structure === "subspace" ? { partition: [0, 1, 0] } : {};
      const rank = structure === "low-rank" ? { rank: 2 } : {};
      const layer = startingGdn({ structure, dimension: n, H, ...partition, ...rank });
      const stack = startingLayers(layer, 3);
      expect(stagesOf(stack).filter(({ kind }) => kind === "gdn")).toHaveLength(3);
      const x = samples(0, 40);
      const [one, three] = await Promise.all(
        [layer, stack].map((transform) => gaussianize(runner, transform, x)),
      );
      const ratios = one.y.map((value, k) => three.y[k] / value - 1);
      // ε is fixed at ½ there: only γ is small.
      expect(largest(ratios)).toBeLessThan(structure === "weighted-l2" ? 0.3 : 0.05);
      expect(largest(ratios)).toBeGreaterThan(1e-4);
    },
  );

  test("is the layer itself for a single layer", () => {
    expect(startingLayers(first, 1)).toBe(first);
  });
});

describe("fitLayers", () => {
  test("does not change earlier layers until all are trained", async () => {
    const seen = new Map<number, Float32Array[]>();
    await fitLayers(runner, startingLayers(first, 3), null, {
      ...options,
      checkpointEvery: 1,
      onCheckpoint: ({ step, transform }) => {
        const layers = stagesOf(transform).filter((stage) => stage.kind === "gdn");
        seen.set(
          step,
          layers.map(({ gamma }) => Float32Array.from(gamma)),
        );
      },
    });
    const phases = fitPhases(3, options.steps, { greedy: 0.4 });
    expect(phases.map(({ firstStep }) => firstStep)).toEqual([0, 10, 15, 20]);
    const at = (step: number): Float32Array[] => seen.get(step) ?? [];
    expect([5, 12, 17, 30].map((step) => at(step).length)).toEqual([1, 2, 3, 3]);
    // Phases of the second layer, of the third, and of all.
    expect(at(13)[0]).toEqual(at(12)[0]);
    expect(at(13)[1]).not.toEqual(at(12)[1]);
    expect(at(18).slice(0, 2)).toEqual(at(17).slice(0, 2));
    expect(at(18)[2]).not.toEqual(at(17)[2]);
    at(31).forEach((gamma, k) => {
      expect(gamma).not.toEqual(at(30)[k]);
    });
  });

  test("keeps the best of the greedy phase when all layers are trained", async () => {
    const values: number[] = [];
    const { validated } = await fitLayers(runner, startingLayers(first, 2), null, {
      ...options,
      steps: 60,
      greedy: 0.8,
      // All layers are trained on other data, which spoils the greedy result.
      batchAt: (step) => samples(step).map((value) => (step < 48 ? value : 0.1 * value)),
      validation: {
        ...options.validation!,
        patience: Infinity,
        onValidation: (step, value) => {
          if (step > 24) values.push(value);
        },
      },
    });
    expect(fitPhases(2, 60, { greedy: 0.8 }).map(({ firstStep }) => firstStep)).toEqual([
      0, 24, 48,
    ]);
    expect(validated?.meanLogProb).toBe(Math.max(...values));
    expect(validated?.step).toBeLessThanOrEqual(48);
  });

  test("reaches its last step after a greedy phase, however patient it is", async () => {
    let validations = 0;
    const worse = {
      x: samples(-1, 10),
      every: 2,
      patience: 1,
      measure: () => Promise.resolve(-validations++),
    };
    const fits = [0.4, 0].map((greedy) =>
      fitLayers(runner, startingLayers(first, 2), null, {
        ...options,
        steps: 20,
        greedy,
        validation: worse,
      }),
    );
    const [phased, together] = await Promise.all(fits);
    expect(phased.steps).toBe(20);
    expect(together.steps).toBeLessThan(20);
  });

  test("two layers have a higher likelihood than one on data with two scales", async () => {
    const { validation, ...others } = options;
    const patient = { ...validation!, patience: Infinity };
    const longer = { ...others, steps: 500, learningRate: 0.1, validation: patient };
    const [one, two] = await Promise.all(
      [1, 2].map((layers) => fitLayers(runner, startingLayers(first, layers), null, longer)),
    );
    // 0.026 nats; a layer that does nothing would bring 0.
    expect(two.validated!.meanLogProb).toBeGreaterThan(one.validated!.meanLogProb + 0.01);
    expect(two.steps).toBe(500);
    expect(two.history[0].step).toBe(0);
    expect(two.history.every(({ step }, k, all) => k === 0 || step > all[k - 1].step)).toBe(true);
  });

  test.each([
    { what: "with validation", more: {} },
    { what: "without", more: { validation: undefined } },
    { what: "by SGD", more: { optimiser: "sgd", learningRate: 0.3 } as const },
  ])("goes on from the file of any checkpoint to the same bits: $what", async ({ more }) => {
    const { validation, ...others } = { ...options, ...more };
    const chosen: LayerFitOptions = { ...others, ...(validation && { validation }) };
    const start = startingLayers(first, 3);
    const files: Uint8Array[] = [];
    const whole = await fitLayers(runner, start, null, {
      ...chosen,
      checkpointEvery: 4,
      onCheckpoint: (checkpoint) => void files.push(encodeCheckpoint(checkpoint)),
    });
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) {
      const resumed = decodeCheckpoint(file, start);
      expect(await fitLayers(runner, start, resumed, chosen)).toEqual(whole);
    }
  });

  test.each([0, 2, 4])(
    "takes back a step that costs a sample its density in stage %i",
    async (stage) => {
      let batches = 0;
      const unlucky: TaskRunner = {
        size: 1,
        kernels: runner.kernels,
        close: () => Promise.resolve(),
        run: async (job, shared, inputs, chosen) => {
          const results = await runner.run(job, shared, inputs, chosen);
          const { stages } = shared as unknown as TransformShared;
          const [{ failedStage, sums }] = results as unknown as TransformTaskResult[];
          // Well within the phase that trains all layers.
          if (stages.length === 5 && sums && ++batches === 20) failedStage![3] = stage;
          return results;
        },
      };
      const numbers: number[] = [];
      const fit = await fitLayers(unlucky, startingLayers(first, 3), null, {
        ...options,
        onStep: (step) => numbers.push(step),
      });
      expect(fit.rejectedSteps).toBe(1);
      expect(fit.steps).toBe(options.steps);
      // A rejected step keeps its number.
      expect(numbers).toEqual(Array.from({ length: options.steps }, (_, step) => step));
      const undisturbed = await fitLayers(runner, startingLayers(first, 3), null, options);
      expect(fit.transform).not.toEqual(undisturbed.transform);
    },
  );

  test("resumes after an abort at the end of a phase", async () => {
    const start = startingLayers(first, 2);
    const whole = await fitLayers(runner, start, null, options);
    for (const { steps } of fitPhases(2, options.steps, { greedy: 0.4 })) {
      const stop = new AbortController();
      const kept: FitCheckpoint[] = [];
      const aborted = fitLayers(runner, start, null, {
        ...options,
        signal: stop.signal,
        onStep: (step) => {
          if (step === steps - 1) stop.abort();
        },
        onCheckpoint: (checkpoint) => void kept.push(checkpoint),
      });
      await expect(aborted).rejects.toThrow(/abort/i);
      expect(kept.map(({ step }) => step)).toEqual([steps]);
      const file = encodeCheckpoint(kept[0]);
      const resumed = decodeCheckpoint(file, start);
      expect(await fitLayers(runner, start, resumed, options)).toEqual(whole);
    }
  });

  test.each([1, 2])(
    "extended, gives the same bits from any checkpoint of before or after: %i layers",
    async (layers) => {
      const start = startingLayers(first, layers);
      const files: Uint8Array[] = [];
      const kept = (checkpoint: FitCheckpoint): void =>
        void files.push(encodeCheckpoint(checkpoint));
      const looks = { checkpointEvery: 15, onCheckpoint: kept };
      const short = await fitLayers(runner, start, null, { ...options, ...looks });
      const longer = { ...options, steps: 90, restarts: [options.steps] };
      const extended = await fitLayers(runner, start, null, { ...longer, ...looks });
      expect(extended.steps).toBe(90);
      expect(extended.history.slice(0, short.history.length)).toEqual(short.history);
      expect(extended.validated!.meanLogProb).toBeGreaterThan(short.validated!.meanLogProb);
      expect(extended).not.toEqual(await fitLayers(runner, start, null, { ...options, steps: 90 }));
      for (const file of files) {
        const resumed = decodeCheckpoint(file, start);
        expect(await fitLayers(runner, start, resumed, longer)).toEqual(extended);
      }
    },
  );

  test("rejects restarts that do not increase, or that come after the last step", async () => {
    for (const restarts of [[0], [50], [30, 20], [1.5]]) {
      const fit = fitLayers(runner, startingLayers(first, 1), null, { ...options, restarts });
      await expectError(fit, { code: "invalid-argument", argument: "restarts" });
    }
  });

  test("rejects the checkpoint of a fit with more steps or more layers", async () => {
    const start = startingLayers(first, 3);
    const kept: FitCheckpoint[] = [];
    await fitLayers(runner, start, null, {
      ...options,
      checkpointEvery: 40,
      onCheckpoint: (checkpoint) => void kept.push(checkpoint),
    });
    const shorter = fitLayers(runner, start, kept[0], { ...options, steps: 30 });
    await expectError(shorter, { code: "invalid-argument", argument: "steps" });
    expect(() => decodeCheckpoint(encodeCheckpoint(kept[0]), startingLayers(first, 2))).toThrow(
      /stages to be a whole number from 1 to 3.* received 5/,
    );
  });
});
