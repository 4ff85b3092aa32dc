import { describe, expect, test } from "vitest";
import { gaussianize } from "../../../src/density/induced-density.js";
import { synthesize } from "../../../src/density/synthesis.js";
import { certificateOf } from "../../../src/density/verification/certificate.js";
import { JacobianProbe } from "../../../src/density/verification/jacobian.js";
import { type RandomStream, createRandom } from "../../../src/random/random-stream.js";
import { spreadOverEntries } from "../../../src/transforms/gdn-structures.js";
import { startingGdn } from "../../../src/transforms/gdn-start.js";
import { type Gdn, gdn } from "../../../src/transforms/gdn.js";
import { expectClose } from "../../support/expect-close.js";
import { everyStructure } from "../../support/gdn-layers.js";
import { referenceRunner } from "../../support/inline-runners.js";
import { seed } from "../../support/seed.js";

const uniform = (random: RandomStream, n: number, low: number, high: number): Float64Array =>
  Float64Array.from({ length: n }, () => low + (high - low) * random.uniform());

/**
 * The exponents at which the paper's constraint ε_i ≤ 1/α_ii ends, with the margin that fits keep.
 */
function atThePapersBound(random: RandomStream, n: number): Gdn {
  const alpha = uniform(random, n, 1, 4);
  return gdn({
    structure: "column",
    dimension: n,
    alpha,
    beta: uniform(random, n, 0.1, 2),
    gamma: uniform(random, n * n, 0, 1),
    epsilon: alpha.map((value) => 0.95 / value),
  });
}

/** Any exponents, a third of the weights 0, and ε scaled so that μ is 0.9 at most. */
function justInvertible(random: RandomStream, n: number): Gdn {
  const alpha = uniform(random, n * n, 1, 6);
  for (let i = 0; i < n; i += 1) alpha[i * n + i] = 1;
  const make = (epsilon: Float64Array): Gdn =>
    gdn({ structure: "general", dimension: n, alpha, beta, gamma, epsilon });
  const beta = uniform(random, n, 0.1, 2);
  const gamma = uniform(random, n * n, -0.5, 1).map((value) => Math.max(0, value));
  // The ring of all components is always a cycle.
  for (let i = 0; i < n; i += 1) gamma[i * n + ((i + 1) % n)] = 0.5;
  const epsilon = uniform(random, n, 0.05, 1);
  const { mean } = certificateOf(make(epsilon)).critical;
  return make(epsilon.map((value) => Math.min(1, (0.9 * value) / mean)));
}

/** Two components that pool only each other. */
const pair = (products: readonly [number, number]): Gdn =>
  gdn({
    structure: "general",
    dimension: 2,
    alpha: [1, 4 * products[0], 4 * products[1], 1],
    beta: [1, 2],
    gamma: [0, 0.7, 0.4, 0],
    epsilon: [0.25, 0.25],
  });

describe("q and μ", () => {
  test.each(everyStructure)("start of a fit: $structure", (size) => {
    const isFixed = size.structure === "classic" || size.structure === "weighted-l2";
    const { q, critical, verdict } = certificateOf(startingGdn(size));
    // The start is in Float32: two roundings.
    expectClose(q, isFixed ? 1 : 0.675, { relative: 2 ** -23 });
    expectClose(critical.mean, q, { relative: 2 ** -50 });
    expect(verdict).toBe(isFixed ? "not onto" : "invertible");
  });

  test("ignore components that are not pooled or not normalized", () => {
    const base = { structure: "general", dimension: 2, beta: [1, 1] } as const;
    const exponents = { alpha: [1, 9, 1, 1], epsilon: [0.5, 0.25] };
    expect(certificateOf(gdn({ ...base, ...exponents, gamma: [1, 0, 1, 1] })).q).toBe(0.5);
    expect(certificateOf(gdn({ ...base, ...exponents, gamma: [1, 1, 1, 1] })).q).toBe(4.5);
    const idle = certificateOf(
      gdn({ ...base, ...exponents, gamma: [1, 1, 1, 1], epsilon: [0, 0] }),
    );
    expect(idle).toMatchObject({ q: 0, critical: { mean: 0, cycle: [] }, verdict: "invertible" });
  });

  test("μ of a pair is the geometric mean of its products, whatever the larger one", () => {
    const { q, critical, verdict } = certificateOf(pair([4, 0.5]));
    expect(q).toBe(4);
    expectClose(critical.mean, Math.SQRT2, { relative: 1e-15 });
    expect([...critical.cycle].sort()).toEqual([0, 1]);
    expect(verdict).toBe("not invertible");
    expect(certificateOf(pair([4, 0.25])).verdict).toBe("not onto");
    expect(certificateOf(pair([1.9, 0.5])).verdict).toBe("invertible");
  });

  test("without a cycle every normalization is invertible", () => {
    const triangular = gdn({
      structure: "general",
      dimension: 2,
      alpha: [1, 30, 1, 1],
      beta: [1, 1],
      gamma: [0, 5, 0, 0],
      epsilon: [1, 1],
    });
    const { q, critical, verdict } = certificateOf(triangular);
    expect([q, critical.mean, verdict]).toEqual([30, 0, "invertible"]);
  });

  test.each([1 - 2 ** -24, 1, 1 + 2 ** -23])(
    "a product of %d counts as 1: Float32 cannot tell",
    (product) => {
      const layer = gdn({
        structure: "marginal",
        dimension: 3,
        alpha: [1.5, 1.5, 1.5],
        beta: [1, 1, 1],
        gamma: [0, 4, 1],
        epsilon: Float64Array.of(0.1, product / 1.5, 0.1),
      });
      const { verdict, bounded } = certificateOf(layer);
      expect(verdict).toBe("not onto");
      expect(bounded.map(({ component }) => component)).toEqual([1]);
      expectClose(bounded[0].bound, 4 ** (-1 / 1.5), { relative: 1e-6 });
    },
  );
});

describe(`what μ proves holds (seed ${seed})`, () => {
  test.each([
    { name: "column exponents at the paper's bound", make: atThePapersBound, mean: 0.95 },
    { name: "any exponents", make: justInvertible, mean: 0.9 },
  ])("μ < 1 < q, $name: pivots of at least 1 − μ, a z for every y", async ({ make, mean }) => {
    const random = createRandom(seed, "cycle mean", mean);
    const n = 5;
    let largestQ = 0;
    for (let k = 0; k < 10; k += 1) {
      const layer = make(random, n);
      const { q, critical } = certificateOf(layer);
      largestQ = Math.max(largestQ, q);
      expect(critical.mean).toBeLessThan(mean + 1e-14);
      const probe = new JacobianProbe(spreadOverEntries(layer));
      for (let s = 0; s < 200; s += 1) {
        const z = Float64Array.from(
          { length: n },
          () => random.normal() * 10 ** (-4 + random.integer(13)),
        );
        const { smallestPivot } = probe.look(z, new Float64Array(n))!;
        expect(smallestPivot).toBeGreaterThan((1 - critical.mean) * (1 - 1e-9));
      }
      const y = random.normalFill(new Float64Array(20 * n));
      const { x, converged } = await synthesize(referenceRunner, layer, y);
      expect([...converged]).toEqual(new Array(20).fill(1));
      const back = await gaussianize(referenceRunner, layer, x);
      expectClose(back.y, y, { relative: 1e-9 });
    }
    expect(largestQ).toBeGreaterThan(1);
  });

  test("μ > 1: a point far out has the same image as one near 0", async () => {
    const layer = pair([3, 2]);
    const far = Float64Array.of(1e4, 1e3);
    const image = new Float64Array(2);
    const probe = new JacobianProbe(spreadOverEntries(layer));
    expect(probe.look(far, image)!.smallestPivot).toBeLessThan(0);
    const { x, converged } = await synthesize(referenceRunner, layer, image);
    expect(converged[0]).toBe(1);
    expect(Math.hypot(...x)).toBeLessThan(1);
    const back = await gaussianize(referenceRunner, layer, x);
    expectClose(back.y, image, { relative: 1e-11 });
  });

  test("μ = 1 along a pair: one-to-one, but large y have no z", async () => {
    const layer = pair([4, 0.25]);
    const { converged } = await synthesize(
      referenceRunner,
      layer,
      Float64Array.of(0.1, 0.1, 10, 10),
    );
    expect([...converged]).toEqual([1, 0]);
  });
});
