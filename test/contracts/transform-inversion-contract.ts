/** Round trips. */
import { describe, expect, test } from "vitest";
import { gaussianize } from "../../src/density/induced-density.js";
import { synthesize } from "../../src/density/synthesis.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import type { Transform } from "../../src/transforms/transform.js";
import { expectClose, largest } from "../support/expect-close.js";
import { referenceRunner } from "../support/inline-runners.js";
import { type TransformCase, asFloat32 } from "../support/transform-cases.js";
import { precisions } from "./precisions.js";

const methods = ["newton", "fixed-point"] as const;
/** The fixed point may need thousands of steps if α_ii ε_i is nearly 1. */
const inverted = 16;

export function describeTransformInversion(cases: readonly TransformCase[]): void {
  describe.each(precisions)("$name", ({ runner, roundTrip }) => {
    describe.each(methods)("inverted by %s", (method) => {
      test.each(cases)(
        `$name: synthesize ∘ gaussianize = identity to ${roundTrip} of max |x|`,
        async ({ transform, x: all }) => {
          const n = transform.dimension;
          const x = all.subarray(0, inverted * n);
          const { y } = await gaussianize(runner, transform, x);
          const back = await synthesize(runner, transform, y, { method });
          expect([...back.converged]).toEqual(new Array(inverted).fill(1));
          expectSamplesClose(back.x, x, transform, roundTrip);
        },
      );

      test.each(cases)(
        `$name: gaussianize ∘ synthesize = identity to ${roundTrip} of max |y|`,
        async (given) => {
          const { transform } = given;
          const n = transform.dimension;
          const y = (await valuesWithPreimage(given)).subarray(0, inverted * n);
          const { x, converged } = await synthesize(runner, transform, y, { method });
          expect([...converged]).toEqual(new Array(inverted).fill(1));
          expectSamplesClose((await gaussianize(runner, transform, x)).y, y, transform, roundTrip);
        },
      );
    });

    test.each(cases)("$name: Newton's method and the fixed point find the same", async (given) => {
      const y = await valuesWithPreimage(given);
      const { transform } = given;
      const some = y.subarray(0, inverted * transform.dimension);
      const [newton, fixedPoint] = [
        await synthesize(runner, transform, some),
        await synthesize(runner, transform, some, { method: "fixed-point" }),
      ];
      expectSamplesClose(newton.x, fixedPoint.x, transform, roundTrip);
    });
  });
}

/** Returns Float32 values in the range of the transform. */
async function valuesWithPreimage({
  transform,
  moderate,
  y,
}: TransformCase): Promise<Float64Array> {
  return y ?? asFloat32((await gaussianize(referenceRunner, transform, moderate)).y);
}

/**
 * Scales of the error: the largest value of each sample, or 1, since a shift may have added as
 * much.
 */
function expectSamplesClose(
  actual: FloatArray,
  expected: FloatArray,
  transform: Transform,
  relative: number,
): void {
  const n = transform.dimension;
  const least = stagesOf(transform).every(({ kind }) => kind === "gdn" || kind === "linear")
    ? 0
    : 1;
  expect(actual.length).toBe(expected.length);
  for (let s = 0; s < expected.length / n; s += 1) {
    const [found, wanted] = [actual, expected].map((values) => values.subarray(s * n, (s + 1) * n));
    const scale = Math.max(least, largest(wanted));
    expectClose(found, wanted, { relative, scale }, `sample ${s}`);
  }
}
