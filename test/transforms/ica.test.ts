import { describe, expect, test } from "vitest";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { createRandom } from "../../src/random/random-stream.js";
import {
  type IcaOptions,
  contrastMoments,
  independentComponents,
} from "../../src/transforms/ica.js";
import { differenceFromIdentity, product } from "../../src/transforms/nearest-orthogonal.js";
import { expectClose, expectSameBits } from "../support/expect-close.js";
import { expectError, refusal } from "../support/expect-error.js";
import { seed } from "../support/seed.js";

const { kernels: reference } = await loadKernels({ kernels: "reference" });
const { kernels: simd } = await loadKernels({ kernels: "simd" });

/** Quantile functions of distributions with mean 0 and variance 1. */
const laplacian = (p: number): number =>
  (Math.sign(p - 0.5) * -Math.log(1 - Math.abs(2 * p - 1))) / Math.SQRT2;
const uniform = (p: number): number => (2 * p - 1) * Math.sqrt(3);

type Quantile = (p: number) => number;

/** Returns samples of A s; the sources s cycle through the quantile functions. */
function mixture(name: string, n: number, count: number, sources: readonly Quantile[]) {
  const random = createRandom(seed, "ica", name, n);
  const A = random.stream("A").normalFill(new Float64Array(n * n));
  const s = random.stream("s").uniformFill(new Float64Array(n * count));
  s.forEach((p, k) => (s[k] = sources[(k % n) % sources.length](p)));
  const x = new Float64Array(n * count);
  for (let k = 0; k < x.length; k++) {
    for (let j = 0; j < n; j++) x[k] += A[(k % n) * n + j] * s[k - (k % n) + j];
  }
  return { x, A };
}

/**
 * Returns the distance of P = H A from a scaled permutation (Amari, Cichocki & Yang 1996): the mean
 * off-peak |P_ij|.
 */
function amariDistance(P: Float64Array, n: number): number {
  const excess = (line: Float64Array): number =>
    line.reduce((sum, value) => sum + Math.abs(value), 0) / Math.max(...line.map(Math.abs)) - 1;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    sum += excess(P.slice(i * n, (i + 1) * n));
    sum += excess(Float64Array.from({ length: n }, (_, j) => P[j * n + i]));
  }
  return sum / (2 * n * (n - 1));
}

/**
 * Returns the theoretical deviation of the entries of H A that should be 0 (root mean square over
 * pairs of sources), for many samples:
 *
 *   count · var (H A)_kl = (γ_k + γ_l + τ_l²) / (τ_k + τ_l)²,   γ = E g² − (E s g)²,
 *   τ = |E s g − E g′|
 *
 * Tichavský, Koldovský & Oja 2006, "Performance analysis of the FastICA algorithm", symmetric
 * version.
 */
function theoreticalDeviation(n: number, count: number, sources: readonly Quantile[]): number {
  const points = Array.from({ length: 10_000 }, (_, k) => (k + 0.5) / 10_000);
  const mean = (f: (p: number) => number): number =>
    points.reduce((sum, p) => sum + f(p), 0) / points.length;
  const moments = sources.map((source) => {
    const product = mean((p) => source(p) * Math.tanh(source(p)));
    const square = mean((p) => Math.tanh(source(p)) ** 2);
    return { gamma: square - product ** 2, tau: Math.abs(product - (1 - square)) };
  });
  let sum = 0;
  for (let k = 0; k < n; k++) {
    for (let l = 0; l < n; l++) {
      if (k === l) continue;
      const [a, b] = [moments[k % sources.length], moments[l % sources.length]];
      sum += (a.gamma + b.gamma + b.tau ** 2) / (a.tau + b.tau) ** 2;
    }
  }
  return Math.sqrt(sum / (n * (n - 1) * count));
}

/** E(x xᵀ) */
function covarianceOf(x: FloatArray, n: number): Float64Array {
  const sums = new Float64Array(n * n);
  reference.accumulateProduct(x, x, sums, { rows: n, inner: x.length / n, columns: n });
  return sums.map((sum) => (sum * n) / x.length);
}

function transposed(A: Float64Array, n: number): Float64Array {
  return A.map((_, k) => A[(k % n) * n + Math.floor(k / n)]);
}

/**
 * Expects H C Hᵀ = I up to roundings of C, which H amplifies: n additions each, times ‖H‖² tr C.
 */
function expectWhitening(H: Float64Array, x: FloatArray, n: number): void {
  const C = covarianceOf(x, n);
  const trace = C.reduce((sum, value, k) => sum + (k % (n + 1) === 0 ? value : 0), 0);
  const condition = H.reduce((sum, value) => sum + value * value, 0) * trace;
  const error = differenceFromIdentity(product(product(H, C, n), transposed(H, n), n), n);
  expect(error).toBeLessThan(4 * n * Number.EPSILON * condition);
}

const cases = [
  { what: "Laplacian", sources: [laplacian] },
  { what: "uniform", sources: [uniform] },
  { what: "Laplacian and uniform", sources: [laplacian, uniform] },
];

describe.each([reference, simd])(
  `independentComponents, kernels $name, seed ${seed}`,
  (kernels) => {
    describe.each(cases)("of mixed $what sources", ({ what, sources }) => {
      test.each([2, 5, 16])("recovers the %i sources as exactly as theory allows", async (n) => {
        const count = 5000;
        const sigma = theoreticalDeviation(n, count, sources);
        // |P_ij| has mean 0.8σ and deviation 0.6σ, and P_ij is nearly −P_ji: allows five deviations
        // of the mean.
        const bound = sigma * (0.8 + (5 * 0.6) / Math.sqrt((n * (n - 1)) / 2));
        for (const name of ["first", "second", "third"]) {
          const { x, A } = mixture(`${what} ${name}`, n, count, sources);
          const { H, converged, iterations } = await independentComponents(kernels, x, n, {
            seed: name,
          });
          expect(converged).toBe(true);
          expect(iterations).toBeLessThan(40);
          expect(amariDistance(product(H, A, n), n)).toBeLessThan(bound);
          expectWhitening(H, x, n);
        }
      });
    });

    test("is 1 divided by the deviation in one dimension", async () => {
      const x = Float64Array.of(1, -3, 2, 0);
      const found = await independentComponents(kernels, x, 1);
      expect(found).toMatchObject({ converged: true, iterations: 1 });
      expectClose(found.H, [1 / Math.sqrt(14 / 4)], { relative: 4 * Number.EPSILON });
    });

    test("gives the same bits for the same seed, and does not change the data", async () => {
      const { x } = mixture("bits", 5, 1000, [laplacian, uniform]);
      const before = x.slice();
      const [first, second] = [
        await independentComponents(kernels, x, 5, { seed: 3 }),
        await independentComponents(kernels, x, 5, { seed: "3" }),
      ];
      expectSameBits(second.H, first.H);
      expect(second.iterations).toBe(first.iterations);
      expectSameBits(x, before);
    });

    test("finds the same components in the same order and sign from every seed", async () => {
      const { x } = mixture("seeds", 5, 3000, [laplacian, uniform]);
      const options = { tolerance: 1e-6 };
      const first = await independentComponents(kernels, x, 5, { ...options, seed: 1 });
      for (const other of [2, 3, 4]) {
        const { H } = await independentComponents(kernels, x, 5, { ...options, seed: other });
        expectClose(H, first.H, { absolute: 1e-5 });
      }
    });

    test("sorts components by explained variance, with positive largest entries", async () => {
      const n = 5;
      const { x } = mixture("order", n, 2000, [laplacian]);
      const { H } = await independentComponents(kernels, x, n);
      // H C Hᵀ = I, so C Hᵀ is the inverse of H: column k is the contribution of component k to x.
      const mixing = product(covarianceOf(x, n), transposed(H, n), n);
      const share = (k: number): number =>
        Array.from({ length: n }, (_, i) => mixing[i * n + k] ** 2).reduce((a, b) => a + b);
      for (let k = 0; k < n; k++) {
        if (k > 0) expect(share(k)).toBeLessThan(share(k - 1));
        const row = H.subarray(k * n, (k + 1) * n);
        expect(Math.max(...row)).toBe(Math.max(...row.map(Math.abs)));
      }
    });

    test("scales with the data to the bit", async () => {
      const { x } = mixture("scale", 3, 500, [laplacian]);
      const { H } = await independentComponents(kernels, x, 3);
      for (const scale of [2 ** 60, 2 ** -60]) {
        const scaled = x.map((value) => value * scale);
        const found = await independentComponents(kernels, scaled, 3);
        expectSameBits(
          found.H,
          H.map((value) => value / scale),
        );
      }
    });

    test("does not converge on Gaussian data, but whitens", async () => {
      const n = 16;
      const x = createRandom(seed, "ica", "normal").normalFill(new Float64Array(n * 2000));
      const found = await independentComponents(kernels, x, n, { maximumIterations: 15 });
      expect(found).toMatchObject({ converged: false, iterations: 15 });
      expectWhitening(found.H, x, n);
    });
  },
);

describe.each([reference, simd])("contrastMoments, kernels $name", (kernels) => {
  const [n, count] = [3, 1000];
  const { x } = mixture("moments", n, count, [laplacian, uniform]);
  const H = createRandom(seed, "ica", "H").normalFill(new Float64Array(n * n));
  const y = new Float64Array(n * count);
  reference.multiply(x, transposed(H, n), y, { rows: count, inner: n, columns: n });
  const expected = new Float64Array(n * n);
  /** Returns the same with all terms positive. */
  const scale = new Float64Array(n * n);
  for (let k = 0; k < y.length; k++) {
    const [i, tanh] = [k % n, Math.tanh(y[k])];
    for (let j = 0; j < n; j++) {
      const term = (tanh * y[k - i + j]) / count;
      expected[i * n + j] += term;
      scale[i * n + j] += Math.abs(term);
    }
    expected[i * n + i] -= (1 - tanh * tanh) / count;
    scale[i * n + i] += (1 - tanh * tanh) / count;
  }
  const epsilon = kernels === reference ? Number.EPSILON : 2 ** -23;

  test.each([1, 7, 256, 999, 1000, 4096])(
    "equals its definition in blocks of %i samples",
    (size) => {
      const M = contrastMoments(kernels, x, n, H, size);
      // Each of count additions rounds the sum; the errors add up like √count.
      expectClose(M, expected, { relative: Math.sqrt(count) * epsilon, scale }, "M");
    },
  );

  test("handles components far beyond the range of e^2y", () => {
    const far = Float64Array.of(500, -500, 0, 1e4);
    const M = contrastMoments(kernels, far, 1, Float64Array.of(1));
    expectClose(M, [(500 + 500 + 1e4 - 1) / 4], { relative: 4 * epsilon });
  });
});

describe("the caller of independentComponents", () => {
  const { x } = mixture("caller", 2, 200, [laplacian]);
  const run = (options: IcaOptions) => independentComponents(simd, x, 2, options);

  test("receives every iteration", async () => {
    const heard: [number, number][] = [];
    const { iterations } = await run({
      tolerance: 1e-3,
      onIteration: (...report) => heard.push(report),
    });
    expect(heard.map(([iteration]) => iteration)).toEqual(heard.map((_, k) => k + 1));
    expect(heard).toHaveLength(iterations);
    expect(heard.map(([, turn]) => turn <= 1e-3).indexOf(true)).toBe(iterations - 1);
  });

  test("can cancel before and between iterations", async () => {
    await expect(run({ signal: AbortSignal.abort() })).rejects.toThrow("aborted");
    const controller = new AbortController();
    let iterations = 0;
    const onIteration = (): void => {
      iterations++;
      // From outside, while the iteration pauses.
      setTimeout(() => {
        controller.abort(new Error("enough"));
      });
    };
    const endless = { tolerance: 1e-300, maximumIterations: 1_000_000 };
    const { signal } = controller;
    await expect(run({ ...endless, signal, onIteration })).rejects.toThrow("enough");
    expect(iterations).toBeLessThan(5);
  });

  test("gets no convergence if no rotation is better", async () => {
    // Kernels for which every component is exactly Gaussian: M = 0.
    const blind = {
      ...reference,
      exp: (_: FloatArray, out: FloatArray) => void out.fill(Infinity),
      accumulateProduct: () => undefined,
    };
    const found = await independentComponents(blind, x, 2);
    expect(found).toMatchObject({ converged: false, iterations: 0 });
    expectWhitening(found.H, x, 2);
  });

  test.each([0, -1, 2.5, NaN, Infinity])("must not request %d iterations", async (value) => {
    await expectError(run({ maximumIterations: value }), {
      code: "invalid-argument",
      argument: "maximumIterations",
    });
  });

  test.each([0, -1, NaN, Infinity])("must not request a tolerance of %d", async (tolerance) => {
    await expect(run({ tolerance })).rejects.toThrow(
      refusal("tolerance", "be a positive number", tolerance),
    );
  });

  test("must not misspell an option", async () => {
    await expect(run({ iterations: 5 } as IcaOptions)).rejects.toThrow(
      refusal(
        "the options of independentComponents",
        "have only the fields seed, maximumIterations, tolerance, signal, onIteration",
        "iterations",
      ),
    );
  });

  test("must pass samples that can be whitened", async () => {
    const of = (values: FloatArray, n: number) => independentComponents(simd, values, n);
    await expectError(of(x.subarray(0, 6), 4), { code: "invalid-argument", argument: "x" });
    await expectError(of(x.subarray(0, 8), 4), { code: "invalid-argument", argument: "x" });
    const flat = x.map((value, k) => (k % 2 === 0 ? value : 0));
    await expectError(of(flat, 2), { code: "degenerate-data" });
    const holed = x.map((value, k) => (k === 5 ? NaN : value));
    await expect(of(holed, 2)).rejects.toThrow(refusal("x[2][1]", "be finite", NaN));
    await expectError(of(x, 0), { code: "invalid-argument", argument: "dimension" });
  });

  test("is told if data are too small for the precision of the kernels", async () => {
    const tiny = x.map((value) => value * 1e-42);
    await expect(independentComponents(simd, tiny, 2)).rejects.toThrow(
      refusal(
        "the moments of the components of x",
        'be finite in the precision of the kernels "simd" (scale x up)',
        NaN,
      ),
    );
    const { converged } = await independentComponents(reference, tiny, 2);
    expect(converged).toBe(true);
  });
});
