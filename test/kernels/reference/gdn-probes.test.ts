import { describe, expect, test } from "vitest";
import { mixedBits, seedOfPart, signsOf } from "../../../src/kernels/probes.js";
import { referenceKernels } from "../../../src/kernels/reference/index.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { expectClose } from "../../support/expect-close.js";
import {
  type GdnCase,
  backpropagate,
  backpropagateWithProbes,
  groupsOf,
  randomCase,
} from "../../support/gdn-layers.js";
import { seed } from "../../support/seed.js";

/** Seeds whose first leaf has each of the 2ⁿ sign vectors for its only sample. */
function seedsOfAllSigns(n: number): number[] {
  const found = new Map<string, number>();
  for (let candidate = 0; found.size < 2 ** n; candidate++) {
    const key = signsOf(seedOfPart(candidate, 0), n, 0).join();
    if (!found.has(key)) found.set(key, candidate);
  }
  return [...found.values()];
}

/** Mean of the gradients over all sign vectors: their expectation, not an estimate of it. */
function expectedGradients(gdnCase: GdnCase) {
  const seeds = seedsOfAllSigns(gdnCase.parameters.dimension);
  const all = seeds.map((each) => backpropagateWithProbes(referenceKernels, gdnCase, each));
  const mean = (of: (result: (typeof all)[number]) => ArrayLike<number>): Float64Array =>
    Float64Array.from(of(all[0]), (_, k) =>
      all.reduce((sum, result) => sum + of(result)[k] / all.length, 0),
    );
  return {
    x: mean(({ xGradient }) => xGradient!),
    groups: groupsOf(gdnCase.parameters).map(([group]) => mean(({ sums }) => sums[group]!)),
  };
}

describe(`probe gradients of the specification, seed ${seed}`, () => {
  test.each([1, 2, 3, 5])("n = %d: their expectation is the exact gradient, to 1e-11", (n) => {
    const size = { form: "column", n, linear: true, count: 1 } as const;
    const gdnCase = randomCase(createRandom(seed, "expectation", n), size);
    const exact = backpropagate(referenceKernels, gdnCase, null);
    const { x, groups } = expectedGradients(gdnCase);
    expectClose(x, exact.xGradient!, { relative: 1e-11, absolute: 1e-11 });
    groupsOf(gdnCase.parameters).forEach(([group], k) => {
      expectClose(groups[k], exact.sums[group]!, { relative: 1e-9, absolute: 1e-9 });
    });
  });

  test("weak pools: any signs give the exact gradient up to third order", () => {
    const size = { form: "column", n: 6, linear: false, count: 3 } as const;
    const { parameters, ...rest } = randomCase(createRandom(seed, "weak"), size);
    const gamma = parameters.gamma.map((value, k) => (k % 7 === 0 ? value : 1e-4 * value));
    const weak = { ...rest, parameters: { ...parameters, gamma } };
    const exact = backpropagate(referenceKernels, weak, null);
    const estimate = backpropagateWithProbes(referenceKernels, weak, 5);
    for (const group of ["alpha", "beta", "epsilon"] as const) {
      expectClose(estimate.sums[group], exact.sums[group], { relative: 1e-9, absolute: 1e-9 });
    }
    // The derivative by γ has the order of K², one below.
    expectClose(estimate.sums.gamma, exact.sums.gamma, { relative: 1e-6, absolute: 1e-6 });
  });

  test("signs are balanced and independent between samples, leaves and seeds", () => {
    const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
    const n = 4096;
    const a = signsOf(seedOfPart(1, 0), n, 0);
    for (const other of [
      signsOf(seedOfPart(1, 0), n, 1),
      signsOf(seedOfPart(1, 1), n, 0),
      signsOf(seedOfPart(2, 0), n, 0),
    ]) {
      // Four standard deviations.
      expect(Math.abs(sum(other))).toBeLessThan(4 * Math.sqrt(n));
      expect(Math.abs(sum(other.map((sign, i) => sign * a[i])))).toBeLessThan(4 * Math.sqrt(n));
    }
    expect(new Set(Array.from({ length: 1000 }, (_, k) => mixedBits(k))).size).toBe(1000);
  });
});
