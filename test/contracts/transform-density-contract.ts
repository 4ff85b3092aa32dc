/** Log-determinants, and the agreement of all passes. */
import { describe, expect, test } from "vitest";
import { backpropagate, gaussianize, logProb, score } from "../../src/density/induced-density.js";
import { synthesize } from "../../src/density/synthesis.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { logAbsDeterminant, jacobians, smoothOf } from "../support/differences.js";
import { expectClose, expectSameBits, float32Epsilon, largest } from "../support/expect-close.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";
import type { TransformCase } from "../support/transform-cases.js";
import { precisions } from "./precisions.js";

const scaleOf = (values: ArrayLike<number>): number => Math.max(1, largest(values));

export function describeTransformDensity(cases: readonly TransformCase[]): void {
  test.each(cases)(
    "$name: log-determinant = log |det| of a central-difference Jacobian to 1e-9",
    async ({ transform, moderate }) => {
      const x = await smoothOf(transform, moderate, 8);
      const { logDeterminant } = await gaussianize(referenceRunner, transform, x);
      const byDifferences = (await jacobians(transform, x)).map(logAbsDeterminant);
      expectClose(logDeterminant, byDifferences, { relative: 1e-9, scale: 1 });
    },
  );

  test.each(cases)("$name: Float32 agrees with Float64 to 64 roundings", async (given) => {
    const { transform, x } = given;
    const [exact, simd] = [
      await gaussianize(referenceRunner, transform, x),
      await gaussianize(simdRunner, transform, x),
    ];
    const compare = (actual: FloatArray, expected: FloatArray, what: string): void => {
      // A few roundings of every sum, amplified by (I − M)⁻¹; measured: at most 6 over ten seeds.
      const tolerance = { relative: 64 * float32Epsilon, scale: scaleOf(expected) };
      expectClose(actual, expected, tolerance, what);
    };
    compare(simd.y, exact.y, "y");
    compare(simd.logDeterminant, exact.logDeterminant, "log-determinant");
    const [ofExact, ofSimd] = [
      await logProb(referenceRunner, transform, x),
      await logProb(simdRunner, transform, x),
    ];
    compare(ofSimd, ofExact, "log p");
  });

  describe.each(precisions)("$name", ({ runner, epsilon }) => {
    test.each(cases)("$name: log p = −½‖y‖² − (N/2) log 2π + log-determinant", async (given) => {
      const { transform, x } = given;
      const n = transform.dimension;
      const { y, logDeterminant } = await gaussianize(runner, transform, x);
      const fromParts = logDeterminant.map((value, s) => {
        const row = Float64Array.from(y.subarray(s * n, (s + 1) * n));
        const squares = row.reduce((sum, y_i) => sum + y_i * y_i, 0);
        return value - squares / 2 - (n / 2) * Math.log(2 * Math.PI);
      });
      // The terms of a sample may cancel; ½‖y‖² sums n squares.
      const relative = 4 * n * epsilon;
      expectClose(await logProb(runner, transform, x), fromParts, {
        relative,
        scale: scaleOf(fromParts),
      });
    });

    test.each(cases)(
      "$name: all passes give the same y, log-determinant and score",
      async (given) => {
        const { transform, x } = given;
        const normal = await gaussianize(runner, transform, x);
        const back = await backpropagate(runner, transform, x, normal.y);
        const scored = await score(runner, transform, x);
        const compare = (actual: FloatArray, expected: FloatArray, what: string): void => {
          expectClose(actual, expected, { relative: 64 * epsilon, scale: scaleOf(expected) }, what);
        };
        compare(back.y, normal.y, "y");
        compare(back.logDeterminant, normal.logDeterminant, "log-determinant");
        compare(scored.logProb, await logProb(runner, transform, x), "log p");
        // The loss ½‖y‖² has the derivative y: its gradient by x is −∇ log p.
        const negative = back.xGradient.map((value) => -value);
        compare(negative, scored.score, "score");
      },
    );

    const cascades = cases.filter(({ transform }) => stagesOf(transform).length > 1);
    if (cascades.length === 0) return;
    describe.each(cascades)("$name", ({ transform, x }) => {
      test("y composes the stages, and the log-determinants add up", async () => {
        const whole = await gaussianize(runner, transform, x);
        const sum = new Float64Array(whole.logDeterminant.length);
        const sizes = new Float64Array(sum.length);
        let values: FloatArray = x;
        for (const stage of stagesOf(transform)) {
          const { y, logDeterminant } = await gaussianize(runner, stage, values);
          logDeterminant.forEach((value, s) => {
            sum[s] += value;
            sizes[s] += Math.abs(value) + 1;
          });
          values = y;
        }
        expectSameBits(whole.y, values, "y");
        // Added in Float64, in another order.
        expectClose(whole.logDeterminant, sum, { relative: 16 * Number.EPSILON, scale: sizes });
      });

      test("its inverse applies the inverse stages in reverse", async () => {
        const { y } = await gaussianize(runner, transform, x);
        const whole = await synthesize(runner, transform, y);
        let values: FloatArray = y;
        const iterations = new Int32Array(whole.iterations.length);
        for (const stage of [...stagesOf(transform)].reverse()) {
          const part = await synthesize(runner, stage, values);
          part.iterations.forEach((count, s) => (iterations[s] += count));
          values = part.x;
        }
        expectSameBits(whole.x, values, "x");
        expect(whole.iterations).toEqual(iterations);
      });
    });
  });
}
