/** Samples whose Jacobian is not positive definite, or which overflow. */
import { describe, expect, test } from "vitest";
import type { FloatArray, GdnForm, GdnParameters } from "../../src/kernels/kernels.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectSameBits } from "../support/expect-close.js";
import {
  type GdnCase,
  backpropagate,
  gaussianize,
  gdnForms,
  groupsOf,
  poolsOf,
} from "../support/gdn-layers.js";
import { seed } from "../support/seed.js";
import type { KernelsUnderTest } from "./kernels-under-test.js";

export function describeGdnFailures(subject: KernelsUnderTest): void {
  for (const form of gdnForms) {
    for (const linear of [false, true]) {
      describe(`GDN, ${form} form, ${linear ? "with" : "without"} H: failing samples`, () => {
        describeNamedPivot(subject, form, linear);
        describeNothingAdded(subject, unsoundParameters(form, 5, linear));
      });
    }
  }
  for (const linear of [false, true]) {
    describe(`GDN, pools of rank one, ${linear ? "with" : "without"} H: failing samples`, () => {
      describeNothingAdded(subject, unsoundRankOne(5, linear));
    });
  }
}

/** ε_i α_ii = 6, far above 1: a component fails unless |z_i| is small. */
function unsoundParameters(form: GdnForm, n: number, linear: boolean): GdnParameters {
  const random = createRandom(seed, "unsound", form, n);
  const dense = (diagonal: number, beside: number): Float32Array =>
    Float32Array.from({ length: n * n }, (_, k) =>
      k % (n + 1) === 0 ? diagonal : (beside * random.uniform()) / n,
    );
  const vector = (value: number): Float32Array => new Float32Array(n).fill(value);
  const weights = dense(1, 0.1);
  return {
    form,
    dimension: n,
    // A shear by 2: from 0.1, no |z_i| grows enough to fail.
    H: linear ? dense(1, 0.1) : null,
    alpha: form === "general" ? new Float32Array(n * n).fill(2) : vector(2),
    beta: vector(1),
    ...poolsOf(form, n, (i, j) => weights[i * n + j]),
    epsilon: vector(3),
  };
}

/** The same for γ = diag(g) + U Vᵀ: without g, only the common pool can fail. */
function unsoundRankOne(n: number, linear: boolean): GdnParameters {
  const own = Array.from({ length: n }, (_, i) => (i % 2) * 0.1);
  const left = Array.from({ length: n }, (_, i) => 1 + 0.1 * i);
  const right = Array.from({ length: n }, (_, i) => 1 - 0.1 * i);
  const gamma = Float32Array.from([...own, ...left, ...right]);
  return { ...unsoundParameters("low-rank", n, linear), gamma, rank: 1 };
}

const [count, badSample] = [7, 2];

/** Returns valid samples of size 0.1, and one sample whose component k is 10. */
function samplesWith(n: number, k: number, bad = 10): Float32Array {
  const random = createRandom(seed, "unsound samples", n);
  const x = Float32Array.from({ length: count * n }, () => 0.2 * random.uniform() - 0.1);
  x[badSample * n + k] = bad;
  return x;
}

function describeNamedPivot({ kernels }: KernelsUnderTest, form: GdnForm, linear: boolean): void {
  test("names the failed pivot, and keeps the bits of the other samples", () => {
    for (const [n, k] of [
      [1, 0],
      [3, 1],
      [17, 16],
      [40, 15],
      [40, 16],
      [40, 37],
    ]) {
      const parameters = unsoundParameters(form, n, linear);
      const sound = { parameters, x: samplesWith(n, k, 0.1), count };
      const unsound = { parameters, x: samplesWith(n, k), count };
      const [before, after] = [sound, unsound].map((batch) =>
        backpropagate(kernels(), batch, null),
      );
      const passed = gaussianize(kernels(), { ...unsound, upstream: unsound.x });
      const wanted = Array.from({ length: count }, (_, s) => (s === badSample ? k : -1));
      expect([...before.failedPivot]).toEqual(wanted.map(() => -1));
      for (const results of [after, passed]) {
        expect([...results.failedPivot], `n = ${n}`).toEqual(wanted);
        for (let s = 0; s < count; s += 1) {
          const row = (values: FloatArray | null): FloatArray =>
            (values as FloatArray).subarray(s * n, (s + 1) * n);
          if (s === badSample) {
            expect(results.logDeterminant[s]).toBeNaN();
            continue;
          }
          expectSameBits(row(results.y), row(before.y), "y");
          expect(results.logDeterminant[s]).toBe(before.logDeterminant[s]);
          if (results !== after) continue;
          expectSameBits(row(after.xGradient), row(before.xGradient), "∂L/∂x");
        }
      }
      const ofBad = after.xGradient?.subarray(badSample * n, (badSample + 1) * n);
      expect(ofBad?.every((value) => value === 0)).toBe(true);
    }
  });
}

function describeNothingAdded({ kernels }: KernelsUnderTest, parameters: GdnParameters): void {
  const n = parameters.dimension;
  const three = samplesWith(n, 0, 0.1).subarray(0, 3 * n);
  const batchOf = (x: Float32Array): GdnCase => ({
    parameters,
    x,
    count: x.length / n,
    upstream: x,
  });

  /** A fourth sample in the same leaf fails in both passes without changing the others. */
  const expectNothingAdded = (fourth: readonly number[]): void => {
    const [without, withFourth] = [
      batchOf(three),
      batchOf(Float32Array.from([...three, ...fourth])),
    ];
    const [before, after] = [without, withFourth].map((batch) =>
      backpropagate(kernels(), batch, null),
    );
    const wanted = groupsOf(before.sums);
    groupsOf(after.sums).forEach(([group, values], k) => {
      expectSameBits(values, wanted[k][1], `Σ ∂L/∂${group}`);
    });
    const ofThree = before.xGradient as FloatArray;
    expectSameBits(after.xGradient as FloatArray, [...ofThree, 0, 0, 0, 0, 0], "∂L/∂x");
    for (const results of [after, gaussianize(kernels(), withFourth)]) {
      expectSameBits(results.logDeterminant, [...before.logDeterminant, NaN], "log-determinant");
      const y = (results.y as FloatArray).subarray(0, 3 * n);
      expectSameBits(y, before.y as FloatArray, "y");
      expect(results.failedPivot[3], "the fourth sample fails").toBeGreaterThanOrEqual(0);
      expect(results.failedPivot[3], "at one of its components").toBeLessThan(n);
    }
  };

  test("skips a sample with a failed pivot in all sums", () => {
    expectNothingAdded([0.01, 0.02, 10, -0.03, 0.04]);
    expectNothingAdded([30, -20, 10, 0.5, 0.04]);
  });

  test("skips a sample that overflows in all sums", () => {
    expectNothingAdded([0.01, 0.02, 1e30, -0.03, 0.04]);
    expectNothingAdded([1e25, 1e30, -1e30, 1e38, 1e20]);
  });

  test.each([NaN, Infinity, -Infinity])("skips a sample that contains %d in all sums", (value) => {
    expectNothingAdded([0.01, 0.02, value, -0.03, 0.04]);
  });
}
