/** Results do not depend on how samples are passed. */
import { describe, expect, test } from "vitest";
import { backpropagate, gaussianize, logProb, score } from "../../src/density/induced-density.js";
import { type Synthesized, sample, synthesize } from "../../src/density/synthesis.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { negentropyGradient } from "../../src/training/negentropy-gradient.js";
import { mapParameters } from "../../src/transforms/parameters.js";
import { checkedTransform } from "../../src/transforms/checked-transform.js";
import type { Transform } from "../../src/transforms/transform.js";
import { expectSameBits } from "../support/expect-close.js";
import { type TransformCase, normals, randomOf } from "../support/transform-cases.js";
import { precisions } from "./precisions.js";

export function describeTransformBatches(cases: readonly TransformCase[]): void {
  describe.each(precisions)("$name", ({ name: precision, runner }) => {
    test.each(cases)(
      "$name: a batch gives the same bits as its samples one by one",
      async (given) => {
        const { transform, x } = given;
        const n = transform.dimension;
        const g = normals(randomOf("upstream", given.name), x.length);
        const batch = await everySample(runner, transform, x, g);
        for (const s of [0, 1, 2, 7, 8, x.length / n - 1]) {
          const row = (values: FloatArray): FloatArray => values.slice(s * n, (s + 1) * n);
          const single = await everySample(runner, transform, row(x), row(g));
          for (const [what, values] of Object.entries(single)) {
            const each = values.length;
            const part = batch[what].slice(s * each, (s + 1) * each);
            expectSameBits(part, values, `${what} of sample ${s}`);
          }
        }
      },
    );

    test.each(cases)("$name: 1, 2 and 3 tasks at a time give the same bits", async (given) => {
      const { transform, x } = given;
      const g = normals(randomOf("upstream", given.name), x.length);
      const whole = await everySample(runner, transform, x, g);
      const sums = await everySum(runner, transform, x, g);
      for (const size of [1, 2, 3]) {
        const cut = runnerOfSize(runner, size);
        const parts = await everySample(cut, transform, x, g);
        for (const [what, values] of Object.entries(whole)) {
          expectSameBits(parts[what], values, `${what}, ${size} tasks`);
        }
        expect(cut.mostTasks).toBeGreaterThanOrEqual(size);
        // The specification sums sample by sample within a task.
        if (precision === "Float32") expect(await everySum(cut, transform, x, g)).toEqual(sums);
      }
    });

    test.each(cases)("$name: does not reuse parameters of an earlier pass", async (given) => {
      const { transform, x } = given;
      const g = normals(randomOf("upstream", given.name), x.length);
      const changed = checkedTransform(
        mapParameters(transform, (values, group) =>
          factors[group] ? values.map((value) => factors[group] * value) : values,
        ),
      );
      const other = new InlineRunner(runner.kernels);
      const expected = await everySample(other, changed, x, g);
      for (const current of [transform, changed]) {
        const actual = await everySample(runner, current, x, g);
        if (current === changed) expect(actual).toEqual(expected);
        else expect(actual.y).not.toEqual(expected.y);
      }
    });

    test.each(cases)(
      "$name: a Float32Array gives the same results as its values in Float64",
      async (given) => {
        const { transform, x } = given;
        const g = normals(randomOf("upstream", given.name), x.length);
        const [wide, narrow] = [
          await everySample(runner, transform, x, g),
          await everySample(runner, transform, Float32Array.from(x), Float32Array.from(g)),
        ];
        expect(narrow).toEqual(wide);
      },
    );

    test.each(cases)("$name: an empty batch has empty results", async ({ transform }) => {
      const none = new Float32Array(0);
      const results = await everySample(runner, transform, none, none);
      for (const [what, values] of Object.entries(results)) expect(values, what).toHaveLength(0);
      expect(await sample(runner, transform, 0, 1)).toEqual(runner.kernels.floats(0));
      const { gradient } = await backpropagate(runner, transform, none, none);
      const sums = gradient.flatMap((groups) => Object.values(groups));
      expect(sums.every((group) => group.every((value) => value === 0))).toBe(true);
    });
  });
}

/** Changes parameters within their bounds, in every kind of transform. */
const factors: Readonly<Record<string, number>> = {
  H: 1.25,
  beta: 1.5,
  scale: 0.75,
  rate: 1.25,
  hiddenWeights: 1.5,
};

/** Returns all results of each sample, both ways. */
async function everySample(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  g: FloatArray,
): Promise<Record<string, ArrayLike<number> & { slice: FloatArray["slice"] }>> {
  const { y, logDeterminant } = await gaussianize(runner, transform, x);
  const scored = await score(runner, transform, x);
  const back = await backpropagate(runner, transform, x, g);
  const inverse: Synthesized = await synthesize(runner, transform, y);
  return {
    y,
    logDeterminant,
    logProb: await logProb(runner, transform, x),
    score: scored.score,
    "log p of the score": scored.logProb,
    "y of backpropagate": back.y,
    "log-determinant of backpropagate": back.logDeterminant,
    xGradient: back.xGradient,
    x: inverse.x,
    residual: inverse.residual,
    iterations: inverse.iterations as unknown as FloatArray,
    converged: inverse.converged as unknown as FloatArray,
  };
}

async function everySum(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  g: FloatArray,
): Promise<unknown> {
  const { gradient } = await backpropagate(runner, transform, x, g);
  return { gradient, negentropy: await negentropyGradient(runner, transform, x) };
}

/**
 * Returns a runner that claims to run `size` tasks at a time, and records the largest number of
 * tasks.
 */
function runnerOfSize(runner: TaskRunner, size: number): TaskRunner & { mostTasks: number } {
  const cutting: TaskRunner & { mostTasks: number } = {
    size,
    mostTasks: 0,
    kernels: runner.kernels,
    run(job, shared, inputs, options) {
      cutting.mostTasks = Math.max(cutting.mostTasks, inputs.length);
      return runner.run(job, shared, inputs, options);
    },
    close: () => Promise.resolve(),
  };
  return cutting;
}
