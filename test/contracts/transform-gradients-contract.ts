/** Gradients of every parameter and of x. */
import { describe, expect, test } from "vitest";
import { backpropagate, gaussianize, logProb, score } from "../../src/density/induced-density.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { negentropyGradient } from "../../src/training/negentropy-gradient.js";
import { parametersOf } from "../../src/transforms/parameters.js";
import type { ParameterGroups, Transform } from "../../src/transforms/transform.js";
import { type Tolerance, expectClose, float32Epsilon, largest } from "../support/expect-close.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";
import { type TransformCase, normals, randomOf } from "../support/transform-cases.js";
import { derivatives, parameterGradients, shifted, smoothOf } from "../support/differences.js";
import { precisions } from "./precisions.js";

/**
 * Error of the differences: 1e-12 of the function's size, some hundreds for all samples together.
 */
const byDifferences = 1e-8;
const samples = 6;

export function describeTransformGradients(cases: readonly TransformCase[]): void {
  describe.each(cases)("$name", ({ name, transform, moderate, x: hard }) => {
    const n = transform.dimension;
    const upstreamOf = (length: number): Float64Array =>
      normals(randomOf("upstream", name), length);

    test("∂L/∂θ = central differences to 1e-8, L = Σ g·y − log-determinant with a random g", async () => {
      const x = await smoothOf(transform, moderate, samples);
      const g = upstreamOf(x.length);
      const { gradient } = await backpropagate(referenceRunner, transform, x, g);
      const expected = await parameterGradients(transform, async (moved) =>
        sum(await losses(moved, x, g)),
      );
      expectGradients(gradient, expected, { relative: byDifferences });
    });

    test("∂L/∂x = central differences to 1e-8, for this loss and for log p", async () => {
      const x = await smoothOf(transform, moderate, samples);
      const g = upstreamOf(x.length);
      const { xGradient } = await backpropagate(referenceRunner, transform, x, g);
      const scored = await score(referenceRunner, transform, x);
      for (let j = 0; j < n; j += 1) {
        const component = (values: FloatArray): FloatArray => values.filter((_, k) => k % n === j);
        const moved = (t: number): Float64Array => shifted(x, n, j, t);
        const ofLoss = await derivatives((t) => losses(transform, moved(t), g));
        const ofLogProb = await derivatives((t) => logProb(referenceRunner, transform, moved(t)));
        const within = (values: FloatArray): Tolerance => ({
          relative: byDifferences,
          scale: Math.max(1, largest(values)),
        });
        expectClose(component(xGradient), ofLoss, within(xGradient), `∂L/∂x_${j}`);
        expectClose(component(scored.score), ofLogProb, within(scored.score), `score ${j}`);
      }
    });

    test("negentropyGradient = −mean gradient of log p, by central differences to 1e-8", async () => {
      const x = await smoothOf(transform, moderate, samples);
      const { gradient, meanLogProb, failedSamples } = await negentropyGradient(
        referenceRunner,
        transform,
        x,
      );
      const mean = async (moved: Transform): Promise<number> =>
        sum(await logProb(referenceRunner, moved, x)) / samples;
      const expected = await parameterGradients(transform, async (moved) => -(await mean(moved)));
      expectGradients(gradient, expected, { relative: byDifferences });
      expectClose(meanLogProb, await mean(transform), { relative: 1e-14, scale: 100 });
      expect(failedSamples).toBe(0);
    });

    test.each(precisions)(
      "$name: negentropyGradient is the mean of backpropagate with upstream y",
      async ({ runner, epsilon }) => {
        const { y } = await gaussianize(runner, transform, hard);
        const { gradient } = await backpropagate(runner, transform, hard, y);
        const count = hard.length / n;
        const mean = gradient.map((groups) =>
          Object.fromEntries(
            Object.entries(groups).map(([group, values]) => [
              group,
              values.map((value) => value / count),
            ]),
          ),
        );
        const negentropy = await negentropyGradient(runner, transform, hard);
        expectGradients(negentropy.gradient, mean, { relative: 64 * epsilon });
      },
    );

    test("Float32 gradients agree with Float64 to 256 roundings of the largest in a group", async () => {
      const g = upstreamOf(hard.length);
      const exact = await backpropagate(referenceRunner, transform, hard, g);
      const simd = await backpropagate(simdRunner, transform, hard, g);
      // Includes the roundings of (I − M)⁻¹, in sums over 45 samples; measured: at most 35 over ten
      // seeds.
      const relative = 256 * float32Epsilon;
      expectGradients(simd.gradient, exact.gradient, { relative });
      const scale = Math.max(1, largest(exact.xGradient));
      expectClose(simd.xGradient, exact.xGradient, { relative, scale }, "∂L/∂x");
    });

    test("gradients have the names and lengths of the parameters", async () => {
      const lengths = (all: readonly ParameterGroups[]): Record<string, number>[] =>
        all.map((groups) =>
          Object.fromEntries(Object.entries(groups).map(([name, { length }]) => [name, length])),
        );
      for (const { runner } of precisions) {
        const { gradient } = await backpropagate(runner, transform, hard, hard);
        expect(lengths(gradient)).toEqual(lengths(parametersOf(transform)));
      }
    });
  });
}

/** Returns g·y − log-determinant of each sample. */
async function losses(
  transform: Transform,
  x: Float64Array,
  g: Float64Array,
): Promise<Float64Array> {
  const n = transform.dimension;
  const { y, logDeterminant } = await gaussianize(referenceRunner, transform, x);
  return logDeterminant.map((value, s) => {
    let loss = -value;
    for (let i = s * n; i < (s + 1) * n; i += 1) loss += g[i] * y[i];
    return loss;
  });
}

const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);

function expectGradients(
  actual: readonly ParameterGroups[],
  expected: readonly ParameterGroups[],
  { relative = 0 }: Tolerance,
): void {
  expect(actual.length).toBe(expected.length);
  expected.forEach((groups, stage) => {
    expect(Object.keys(actual[stage])).toEqual(Object.keys(groups));
    for (const [group, values] of Object.entries(groups)) {
      const tolerance = { relative, scale: Math.max(1, largest(values)) };
      expectClose(actual[stage][group], values, tolerance, `∂L/∂${group} of stage ${stage}`);
    }
  });
}
