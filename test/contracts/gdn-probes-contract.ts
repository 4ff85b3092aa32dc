/** Gradients from random signs: what every fast kernel must do. */
import { describe, expect, test } from "vitest";
import type { Probes } from "../../src/kernels/kernels.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose, largest } from "../support/expect-close.js";
import {
  type GdnCase,
  backpropagate,
  backpropagateWithProbes,
  gradientResults,
  groupsOf,
  kernelFor,
  poolsOf,
  randomCase,
  testLeafSize,
} from "../support/gdn-layers.js";
import { inversionResults, settingsFor } from "../support/gdn-inversions.js";
import { seed } from "../support/seed.js";
import { type KernelsUnderTest, testSizes } from "./kernels-under-test.js";

const caseOf = (name: string, n: number, count: number, linear = true): GdnCase =>
  randomCase(createRandom(seed, name, n), { form: "column", n, linear, count });

/** Probes as of {@link backpropagateWithProbes} with seed 3. */
const probesOf = (count: number): Probes => ({
  seed: 3,
  firstLeaf: 0,
  tolerance: 1e-6,
  products: new Int32Array(count),
  residual: new Float64Array(count),
});

/** Each component pools only the next one: K is a cycle, and no short series sums its powers. */
function cycleCase(n: number, count: number, epsilon: number): GdnCase {
  const gdnCase = caseOf("cycle", n, count, false);
  return {
    ...gdnCase,
    x: gdnCase.x.map((_, k) => (k % 2 ? -1 : 1) * (1 + (k % 5) / 10)),
    parameters: {
      ...gdnCase.parameters,
      ...poolsOf("column", n, (i, j) => (j === (i + 1) % n ? 1 : 0)),
      alpha: new Float32Array(n).fill(2),
      beta: new Float32Array(n).fill(0.01),
      epsilon: new Float32Array(n).fill(epsilon),
    },
  };
}

/**
 * Two halves that pool only within themselves, with inputs `ratio` times larger in the first half:
 * so are the square roots of its pools.
 */
function halvesCase(n: number, count: number, ratio: number, epsilonOfFirst: number): GdnCase {
  const gdnCase = caseOf("halves", n, count, false);
  const isFirst = (i: number): boolean => i < n / 2;
  return {
    ...gdnCase,
    x: gdnCase.x.map((_, k) => (isFirst(k % n) ? ratio : 1) * (k % 2 ? -1 : 1) * (1 + (k % 3))),
    parameters: {
      ...gdnCase.parameters,
      ...poolsOf("column", n, (i, j) =>
        i !== j && isFirst(i) === isFirst(j) ? (1 + ((i + 2 * j) % 5)) / n : 0,
      ),
      alpha: new Float32Array(n).fill(2),
      beta: new Float32Array(n).fill(0.1),
      epsilon: new Float32Array(n).fill(0.45).fill(epsilonOfFirst, 0, n / 2),
    },
  };
}

/** One component is `ratio` times larger than the others, and nobody pools it. */
function outlierCase(n: number, count: number, ratio: number): GdnCase {
  const gdnCase = caseOf("outlier", n, count, false);
  return {
    ...gdnCase,
    x: gdnCase.x.map((_, k) => (k % n === n - 1 ? ratio : 1) * (k % 2 ? -1 : 1) * (1 + (k % 3))),
    parameters: {
      ...gdnCase.parameters,
      ...poolsOf("column", n, (i, j) => (i !== j && j < n - 1 ? (1 + ((i + 2 * j) % 5)) / n : 0)),
      alpha: new Float32Array(n).fill(2),
      beta: new Float32Array(n).fill(0.1),
      epsilon: new Float32Array(n).fill(0.45),
    },
  };
}

export function describeGdnProbes({ kernels, epsilon }: KernelsUnderTest): void {
  describe("GDN, column form, probe gradients", () => {
    test.each(testSizes)("n = %d: agree with the specification for the same signs", (n) => {
      const gdnCase = caseOf("probes", n, n < 100 ? 6 : 2);
      for (const upstream of [null, gdnCase.upstream]) {
        const expected = backpropagateWithProbes(referenceKernels, gdnCase, 7, { upstream });
        const actual = backpropagateWithProbes(kernels(), gdnCase, 7, { upstream });
        expect([...actual.failedPivot]).toEqual([...expected.failedPivot]);
        // Roundings of 16 products with sums of n terms, most of which are to 13 bits of the
        // largest value, and what the iteration leaves.
        const scale = 64 * Math.sqrt(n) * epsilon + 2 ** -12 + 2 * largest(actual.residual);
        const close = (found: ArrayLike<number>, wanted: ArrayLike<number>, what: string): void => {
          expectClose(found, wanted, { absolute: scale * Math.max(1, largest(wanted)) }, what);
        };
        close(actual.xGradient!, expected.xGradient!, "∂L/∂x");
        for (const [group, values] of groupsOf(expected.sums)) {
          close(actual.sums[group]!, values, group);
        }
      }
    });

    test("a component that nobody pools spoils no other, however large it is", () => {
      for (const ratio of [30, 1000]) {
        const gdnCase = outlierCase(16, 8, ratio);
        const expected = backpropagateWithProbes(referenceKernels, gdnCase, 7);
        const actual = backpropagateWithProbes(kernels(), gdnCase, 7);
        const scale = 64 * 4 * epsilon + 2 ** -12 + 2 * largest(actual.residual);
        for (const group of ["alpha", "beta", "epsilon"] as const) {
          const [found, wanted] = [actual, expected].map(({ sums }) => sums[group].slice(0, 15));
          expectClose(found, wanted, { absolute: scale * Math.max(1, largest(wanted)) }, group);
        }
      }
    });

    test("their mean over 600 seeds is the exact gradient, within its standard error", () => {
      const gdnCase = caseOf("mean", 17, 4);
      const exact = backpropagate(kernels(), gdnCase, null);
      const rounds = Array.from({ length: 600 }, (_, k) =>
        backpropagateWithProbes(kernels(), gdnCase, 1000 + k),
      );
      const score = (of: (round: (typeof rounds)[number]) => ArrayLike<number>, k: number) => {
        const values = rounds.map((round) => of(round)[k]);
        const mean = values.reduce((sum, value) => sum + value / values.length, 0);
        const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
        return { mean, error: Math.sqrt(variance) / values.length };
      };
      for (const [group, values] of groupsOf(exact.sums)) {
        let squares = 0;
        values.forEach((value, k) => {
          const { mean, error } = score(({ sums }) => sums[group]!, k);
          squares += ((mean - value) / (error + 1e-4 * Math.max(1, Math.abs(value)))) ** 2;
        });
        // The mean square of standard scores is near 1; a bias of one standard error doubles it.
        expect(squares / values.length, group).toBeLessThan(1.6);
      }
      gdnCase.x.subarray(0, 4).forEach((_, s) => {
        const { mean, error } = score(({ logDeterminant }) => logDeterminant, s);
        const difference = Math.abs(mean - exact.logDeterminant[s]);
        expect(difference).toBeLessThan(5 * error + 1e-3);
      });
    });

    test("the signs of a sample depend on its leaf in the batch, not on how the batch is cut", () => {
      const gdnCase = caseOf("leaves", 24, 3 * testLeafSize);
      const whole = backpropagateWithProbes(kernels(), gdnCase, 3);
      const first = testLeafSize * 24;
      const part = { ...gdnCase, count: 2 * testLeafSize, x: gdnCase.x.slice(first) };
      const rest = backpropagateWithProbes(kernels(), part, 3, { firstLeaf: 1 });
      expect(rest.xGradient).toEqual(whole.xGradient!.slice(first));
      expect(rest.logDeterminant).toEqual(whole.logDeterminant.slice(testLeafSize));
    });

    test("a looser tolerance takes fewer products and leaves a larger residual", () => {
      const gdnCase = caseOf("tolerance", 64, 8);
      const [loose, tight] = [0.1, 1e-6].map((tolerance) =>
        backpropagateWithProbes(kernels(), gdnCase, 3, { tolerance }),
      );
      expect(loose.products[0]).toBeLessThan(tight.products[0]);
      expect(largest(loose.residual)).toBeGreaterThan(largest(tight.residual));
      expect(largest(tight.residual)).toBeLessThan(1e-5);
    });

    const inexact = [
      { why: "whose iteration does not converge", gdnCase: cycleCase(48, 5, 0.499) },
      { why: "whose pools are too unlike for 16 bits", gdnCase: halvesCase(48, 5, 1000, 0.45) },
    ];
    test.each(inexact)("samples $why have the exact gradient", ({ gdnCase }) => {
      const exact = backpropagate(kernels(), gdnCase, null);
      const estimate = backpropagateWithProbes(kernels(), gdnCase, 3);
      expect([...estimate.failedPivot]).toEqual([-1, -1, -1, -1, -1]);
      expect([...estimate.products]).toEqual([48, 48, 48, 48, 48]);
      expect([...estimate.residual]).toEqual([0, 0, 0, 0, 0]);
      expect(estimate.logDeterminant).toEqual(exact.logDeterminant);
      for (const [group, values] of groupsOf(exact.sums)) {
        expectClose(estimate.sums[group]!, values, {
          absolute: 16 * epsilon * largest(values),
        });
      }
    });

    // ε α > 1 without pools of one's own: the largest eigenvalue of K is above 1.
    const withoutDensity = [
      { pools: "of the neighbour alone", gdnCase: cycleCase(48, 5, 0.6) },
      { pools: "of all others", gdnCase: halvesCase(48, 5, 1, 0.6) },
      { pools: "of different sizes", gdnCase: halvesCase(48, 5, 1000, 0.6) },
    ];
    test.each(withoutDensity)("samples without a density fail: pools $pools", ({ gdnCase }) => {
      const exact = backpropagate(kernels(), gdnCase, null);
      const estimate = backpropagateWithProbes(kernels(), gdnCase, 3);
      expect([...exact.failedPivot].every((pivot) => pivot >= 0)).toBe(true);
      expect([...estimate.failedPivot]).toEqual([...exact.failedPivot]);
      for (const [, values] of groupsOf(estimate.sums)) expect(largest(values)).toBe(0);
    });

    test("a sample that overflows leaves the others of its leaf as they are", () => {
      const gdnCase = caseOf("overflow", 17, testLeafSize);
      const first = { ...gdnCase, count: testLeafSize - 1 };
      const x = gdnCase.x.slice().fill(1e30, 17 * first.count);
      const tolerance = 0;
      const wanted = backpropagateWithProbes(kernels(), first, 3, { tolerance });
      const found = backpropagateWithProbes(kernels(), { ...gdnCase, x }, 3, { tolerance });
      expect([...found.failedPivot].map((pivot) => pivot >= 0)).toEqual([
        false,
        false,
        false,
        true,
      ]);
      expect(found.sums).toEqual(wanted.sums);
      expect(found.xGradient!.slice(0, 17 * first.count)).toEqual(
        wanted.xGradient!.slice(0, 17 * first.count),
      );
    });

    test("without sums, ∂L/∂x has the same bits", () => {
      const gdnCase = caseOf("no sums", 17, 6);
      const wanted = backpropagateWithProbes(kernels(), gdnCase, 3);
      const results = gradientResults(kernels(), gdnCase.parameters, 6);
      kernelFor(kernels(), gdnCase.parameters, 6).backpropagate(
        gdnCase.x,
        null,
        6,
        { ...results, sums: null },
        probesOf(6),
      );
      expect(results.xGradient).toEqual(wanted.xGradient);
    });

    test("a kernel keeps nothing of earlier passes and parameters", () => {
      const gdnCase = caseOf("again", 17, 6);
      const other = caseOf("others", 17, 6);
      const kernel = kernelFor(kernels(), other.parameters, 6);
      const pass = ({ parameters, x }: GdnCase, count: number, probes?: Probes) => {
        const results = gradientResults(kernels(), parameters, count);
        kernel.load(parameters);
        kernel.backpropagate(x, null, count, results, probes);
        return results;
      };
      const huge = { ...other, x: other.x.map((value) => 1e30 * value) };
      pass(huge, 6, probesOf(6));
      pass(other, 6, probesOf(6));
      const unsummed = { ...gradientResults(kernels(), other.parameters, 6), sums: null };
      kernel.backpropagate(huge.x, null, 6, unsummed, probesOf(6));
      const estimate = pass(gdnCase, 5, probesOf(5));
      expect(estimate).toEqual(pass(gdnCase, 5, probesOf(5)));
      const fresh = backpropagateWithProbes(kernels(), { ...gdnCase, count: 5 }, 3);
      expect(estimate.sums).toEqual(fresh.sums);
      expect(estimate.logDeterminant).toEqual(fresh.logDeterminant);
      const exact = backpropagate(kernels(), gdnCase, null);
      expect(pass(gdnCase, 6).sums).toEqual(exact.sums);
    });

    test("an inversion between two estimates changes neither, and is not changed", () => {
      const { parameters, x } = caseOf("mixed", 40, 6, false);
      const kernel = kernelFor(kernels(), parameters, 6);
      const estimate = () => {
        const results = gradientResults(kernels(), parameters, 6);
        kernel.backpropagate(x, null, 6, results, probesOf(6));
        return results;
      };
      const invert = () => {
        const results = inversionResults(kernels(), 40, 6);
        kernel.synthesize(x, 6, settingsFor(kernels()), results);
        return results;
      };
      const [inverse, first] = [invert(), estimate()];
      expect(invert()).toEqual(inverse);
      expect(estimate()).toEqual(first);
    });
  });
}
