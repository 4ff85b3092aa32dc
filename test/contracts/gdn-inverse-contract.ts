/** Inverse of the normalization: g(synthesize(y)) = y and synthesize(g(z)) = z. */
import { describe, expect, test } from "vitest";
import type { FloatArray, GdnForm, InversionResults } from "../../src/kernels/kernels.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose, expectSameBits, largest } from "../support/expect-close.js";
import { gdnForms, kernelFor, randomParameters, sampleResults } from "../support/gdn-layers.js";
import {
  heavyTailedParameters,
  imagesOf,
  inversionMethods,
  inversionResults,
  invertibleParameters,
  pointsToFind,
  residualsOf,
  settingsFor,
  synthesize,
} from "../support/gdn-inversions.js";
import { seed } from "../support/seed.js";
import { describeUnreachable } from "./gdn-inverse-failures-contract.js";
import type { KernelsUnderTest } from "./kernels-under-test.js";

const sizes = [1, 2, 3, 7, 8, 17, 33, 64] as const;

export function describeGdnInverse(subject: KernelsUnderTest): void {
  for (const form of gdnForms) {
    describe(`GDN, ${form} form: inverse`, () => {
      describeRoundTrips(subject, form);
      describeResiduals(subject, form);
      describeInverseOfBatches(subject, form);
      describeUnreachable(subject, form);
    });
  }
}

/** Expects every sample to be recovered to `relative` of its largest value. */
function expectFound(
  { converged, z }: InversionResults,
  expected: FloatArray,
  n: number,
  relative: number,
): void {
  expect([...converged]).toEqual(Array.from(converged, () => 1));
  for (let s = 0; s < converged.length; s += 1) {
    const row = (values: FloatArray): FloatArray => values.subarray(s * n, (s + 1) * n);
    expectClose(row(z), row(expected), { relative, scale: largest(row(expected)) }, `z of ${s}`);
  }
}

function describeRoundTrips({ kernels, epsilon }: KernelsUnderTest, form: GdnForm): void {
  const float64 = epsilon < 1e-10;
  // The residual and the rounding of y are amplified by up to 1/(1 − max α_ij ε_j) = 1000.
  const relative = float64 ? 1e-10 : 1e-4;

  test.each([...sizes, 256])(
    `n = %d: Newton's method recovers z to ${relative} of the largest |z_i|`,
    (n) => {
      const random = createRandom(seed, "round trip", form, n);
      const parameters = invertibleParameters(random, form, n);
      const z = pointsToFind(random, n, n < 256 ? 8 : 1);
      const found = synthesize(kernels(), parameters, imagesOf(kernels(), parameters, z));
      expectFound(found, z, n, relative);
      expect(largest(found.iterations)).toBeLessThanOrEqual(20);
    },
  );

  test.runIf(form === "column")(
    "n = 64: recovers small components beside a few that are a thousand times larger",
    () => {
      const random = createRandom(seed, "heavy tails");
      const count = float64 ? 10 : 3000;
      const parameters = heavyTailedParameters(random, 64);
      const y = random.normalFill(kernels().floats(64 * count));
      const found = synthesize(kernels(), parameters, y);
      expect(found.converged.filter((value) => value === 0)).toHaveLength(0);
      expect(largest(found.iterations)).toBeLessThanOrEqual(30);
    },
  );

  test("the fixed point finds the same z in more iterations", () => {
    for (const n of [1, 3, 8, 17]) {
      const random = createRandom(seed, "fixed point", form, n);
      const parameters = invertibleParameters(random, form, n);
      const z = pointsToFind(random, n, 6);
      const y = imagesOf(kernels(), parameters, z);
      const fixedPoint = synthesize(
        kernels(),
        parameters,
        y,
        settingsFor(kernels(), "fixed-point"),
      );
      // It stops at the tolerance; Newton's method ends far below.
      expectFound(fixedPoint, z, n, 10 * relative);
      const newton = synthesize(kernels(), parameters, y);
      if (n < 8) continue;
      expect(largest(fixedPoint.iterations)).toBeGreaterThan(largest(newton.iterations));
    }
  });

  test("keeps signs, 0 and −0", () => {
    const parameters = invertibleParameters(createRandom(seed, "signs", form), form, 5);
    const y = kernels().floats(10);
    y.set([0, -0, -0.5, 0.5, -1e-30, -0, 0, 0, 0, -0]);
    for (const method of inversionMethods) {
      const { z, residual } = synthesize(kernels(), parameters, y, settingsFor(kernels(), method));
      expect(Array.from(z, (value) => (Object.is(value, -0) ? -1 : Math.sign(value)))).toEqual([
        0, -1, -1, 1, -1, -1, 0, 0, 0, -1,
      ]);
      expectSameBits(z.subarray(5), y.subarray(5), "the sample of zeros");
      expect(residual[1]).toBe(0);
    }
  });

  test("does not invert H", () => {
    const random = createRandom(seed, "inverse with H", form);
    const parameters = invertibleParameters(random, form, 7, true);
    const y = imagesOf(kernels(), parameters, pointsToFind(random, 7, 5));
    const without = synthesize(kernels(), { ...parameters, H: null }, y);
    expectSameBits(synthesize(kernels(), parameters, y).z, without.z, "z");
  });
}

function describeResiduals({ kernels, epsilon }: KernelsUnderTest, form: GdnForm): void {
  // Roundings of z, D, D^−ε and y in the pass, and those of the pools' sums on both sides.
  const rounding = 40 * epsilon;

  test("the residual equals that of a pass of the result, whatever the exponents", () => {
    for (const n of sizes) {
      const random = createRandom(seed, "residual", form, n);
      const parameters = randomParameters(random, { form, n, linear: false });
      const z = random.normalFill(new Float32Array(6 * n));
      const y = imagesOf(kernels(), parameters, z);
      for (const method of inversionMethods) {
        const found = synthesize(kernels(), parameters, y, settingsFor(kernels(), method, 2000));
        const measured = residualsOf(kernels(), parameters, found.z, y);
        expectClose(found.residual, measured, { absolute: rounding }, `residual, ${method}`);
        if (method !== "newton") continue;
        expect([...found.converged], `n = ${n}`).toEqual(measured.map(() => 1));
      }
    }
  });

  test.each(inversionMethods)(
    "one iteration of %s is not enough, as the residual shows",
    (method) => {
      const random = createRandom(seed, "one iteration", form);
      const parameters = invertibleParameters(random, form, 6);
      const y = imagesOf(kernels(), parameters, random.normalFill(new Float32Array(24)));
      const found = synthesize(kernels(), parameters, y, settingsFor(kernels(), method, 1));
      expect([...found.converged]).toEqual([0, 0, 0, 0]);
      expect([...found.iterations]).toEqual([1, 1, 1, 1]);
      for (const residual of found.residual) expect(residual).toBeGreaterThan(kernels().tolerance);
      const measured = residualsOf(kernels(), parameters, found.z, y);
      expectClose(found.residual, measured, { absolute: rounding, relative: 1e-6 }, "residual");
    },
  );
}

function describeInverseOfBatches({ kernels }: KernelsUnderTest, form: GdnForm): void {
  test("a batch gives the same bits as its samples one by one, however it is cut", () => {
    for (const n of [3, 17]) {
      const random = createRandom(seed, "inverse of batches", form, n);
      const parameters = invertibleParameters(random, form, n);
      const y = imagesOf(kernels(), parameters, pointsToFind(random, n, 9));
      const together = synthesize(kernels(), parameters, y);
      const otherwise = synthesize(kernels(), parameters, y, settingsFor(kernels()), 7);
      expectSameBits(otherwise.z, together.z, "z in other leaves");
      for (let s = 0; s < 9; s += 1) {
        const alone = synthesize(kernels(), parameters, y.slice(s * n, (s + 1) * n));
        expectSameBits(together.z.subarray(s * n, (s + 1) * n), alone.z, `z of sample ${s}`);
        expectSameBits([together.residual[s]], alone.residual, "residual");
        expectSameBits([together.iterations[s]], alone.iterations, "iterations");
      }
    }
  });

  test("repeats an inversion with the same bits after other parameters and passes", () => {
    const n = 9;
    const random = createRandom(seed, "inverse again", form);
    const parameters = invertibleParameters(random, form, n);
    const y = imagesOf(kernels(), parameters, pointsToFind(random, n, 5));
    const kernel = kernelFor(kernels(), parameters, 5);
    const [first, again] = [0, 1].map(() => inversionResults(kernels(), n, 5));
    const [before, after] = [0, 1].map(() => sampleResults(kernels(), n, 5));
    kernel.gaussianize(y, 5, before);
    kernel.synthesize(y, 5, settingsFor(kernels()), first);
    kernel.load(invertibleParameters(random, form, n));
    kernel.synthesize(y, 4, settingsFor(kernels()), again);
    kernel.load(parameters);
    kernel.synthesize(y, 5, settingsFor(kernels()), again);
    expectSameBits(again.z, first.z, "z");
    expectSameBits(again.residual, first.residual, "residual");
    kernel.gaussianize(y, 5, after);
    expectSameBits(after.y as FloatArray, before.y as FloatArray, "y");
    expectSameBits(after.logDeterminant, before.logDeterminant, "log-determinant");
  });
}
