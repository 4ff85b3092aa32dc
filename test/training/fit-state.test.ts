import { describe, expect, test } from "vitest";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import { createRandom } from "../../src/random/random-stream.js";
import { type FitState, StepTaker, arraysOf, copyOf } from "../../src/training/fit-state.js";
import { fitTransform } from "../../src/training/fit-transform.js";
import { negentropyGradient } from "../../src/training/negentropy-gradient.js";
import { startOptimiser } from "../../src/training/optimisers.js";
import { startingConvolution } from "../../src/transforms/convolution.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import type { Gdn } from "../../src/transforms/gdn.js";
import { type ImageCascade, imageCascade } from "../../src/transforms/image-cascade.js";
import { digestOf, parametersOf } from "../../src/transforms/parameters.js";
import { expectClose } from "../support/expect-close.js";

const n = 3;
const { kernels } = await loadKernels();
const H = Float32Array.of(1, 0.2, 0, -0.1, 0.9, 0.3, 0, 0.1, 1.1);
const layer = startingGdn({ structure: "column", dimension: n, H });
const start: FitState<Gdn> = {
  transform: layer,
  optimiser: startOptimiser("adam", arraysOf(parametersOf(layer))),
  gradientLength: 0,
};

const taker = (): StepTaker<Gdn> =>
  new StepTaker({
    kernels,
    bounds: {},
    whitened: { whitening: H, transposed: H },
    clipAt: 5,
    groupRates: {},
  });

/** A gradient that depends on the step. */
const gradientAt = (step: number) =>
  parametersOf(layer).map((groups) =>
    Object.fromEntries(
      Object.entries(groups).map(([name, { length }]) => {
        const random = createRandom(1, "fit-state", step, name);
        return [name, random.normalFill(new Float32Array(length))];
      }),
    ),
  );

describe("StepTaker", () => {
  test("takes the same steps with the arrays of discarded states as with new ones", () => {
    const [fresh, reusing] = [taker(), taker()];
    let [expected, state] = [start, start];
    for (let step = 0; step < 6; step++) {
      const before = state;
      expected = fresh.next(expected, gradientAt(step), 0.05);
      state = reusing.next(state, gradientAt(step), 0.05);
      expect(state).toEqual(expected);
      if (before !== start) reusing.discard(before);
    }
  });

  test("overwrites a discarded state only, and only once", () => {
    const steps = taker();
    const first = steps.next(start, gradientAt(0), 0.05);
    const second = steps.next(first, gradientAt(1), 0.05);
    const kept = structuredClone([start, second]);
    steps.discard(first);
    const third = steps.next(second, gradientAt(2), 0.05);
    expect(third.transform.gamma).toBe(first.transform.gamma);
    expect(third.optimiser.moments[0][0]).toBe(first.optimiser.moments[0][0]);
    const copy = structuredClone(third);
    steps.next(third, gradientAt(3), 0.05);
    expect([start, second]).toEqual(kept);
    expect(third).toEqual(copy);
  });
});

test("a step moves the middle tap at the rate, and all others at 1/taps of it", () => {
  const transform = imageCascade({
    stride: 1,
    stages: [startingConvolution({ maps: 1, width: 3, height: 2 })],
  });
  const state: FitState<ImageCascade> = {
    transform,
    optimiser: startOptimiser("adam", arraysOf(parametersOf(transform))),
    gradientLength: 0,
  };
  const gradient = [{ weights: Float32Array.of(1, -2, 3, -4, 5, 6) }];
  const rules = { kernels, bounds: {}, whitened: null, clipAt: 5, groupRates: {} };
  const next = new StepTaker<ImageCascade>(rules).next(state, gradient, 0.01).transform;
  // The first step of Adam has length 1 for every parameter.
  const other = 0.01 / 6;
  const [weights] = arraysOf(parametersOf(next));
  expectClose(weights, [-other, other, -other, other, 1 - 0.01, -other], { relative: 1e-6 });
  expect(arraysOf(parametersOf(transform))[0][4]).toBe(1);
});

test("copyOf writes to the arrays of another transform", () => {
  const other = copyOf(layer);
  other.gamma.fill(7);
  const copy = copyOf(layer, other);
  expect(copy.gamma).toBe(other.gamma);
  expect(parametersOf(copy)).toEqual(parametersOf(layer));
});

test.each(["adam", "sgd"] as const)(
  "%s rolls rejected steps back to unchanged states",
  async (optimiser) => {
    const batchAt = (step: number): Float32Array =>
      createRandom(1, "fit-state", step).normalFill(new Float32Array(32 * n));
    const seen: string[] = [];
    let calls = 0;
    const { rejectedSteps } = await fitTransform<Gdn>(new InlineRunner(kernels), layer, {
      steps: 20,
      optimiser,
      batchAt,
      objective: (runner, transform, batch) => {
        seen.push(digestOf(transform));
        const isRejected = ++calls % 4 === 0;
        return negentropyGradient(runner, transform, batch).then(({ gradient, meanLogProb }) => ({
          gradient,
          value: meanLogProb,
          failedSamples: isRejected ? 1 : 0,
        }));
      },
    });
    expect(rejectedSteps).toBeGreaterThan(4);
    // After a rejected call, the state of the call before it is tried again.
    for (let k = 3; k + 1 < seen.length; k += 4) expect(seen[k + 1]).toBe(seen[k - 1]);
  },
);

test("a fit changes neither its start, nor its checkpoints, nor its best transform", async () => {
  const x = createRandom(1, "fit-state").normalFill(new Float32Array(64 * n));
  const digests = new Map<Gdn, string>([[layer, digestOf(layer)]]);
  const note = (transform: Gdn): void => void digests.set(transform, digestOf(transform));
  // The first validation is the best: the fit may not overwrite its transform later.
  let validations = 0;
  const validation = { x, every: 2, measure: () => Promise.resolve(-validations++) };
  const { transform } = await fitTransform<Gdn>(new InlineRunner(kernels), layer, {
    steps: 12,
    batchAt: (step) => createRandom(1, "fit-state", step).normalFill(new Float32Array(64 * n)),
    validation,
    checkpointEvery: 3,
    onCheckpoint: (checkpoint) => {
      note(checkpoint.transform);
      if (checkpoint.best) note(checkpoint.best.transform);
    },
  });
  expect(digests.size).toBe(5);
  for (const [kept, digest] of digests) expect(digestOf(kept)).toBe(digest);
  expect([...digests.values()]).toContain(digestOf(transform));
});
