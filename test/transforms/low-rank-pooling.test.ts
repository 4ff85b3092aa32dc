import { describe, expect, test } from "vitest";
import { logProb } from "../../src/density/induced-density.js";
import { lowRankParts, writeOutLowRank } from "../../src/kernels/low-rank.js";
import { createRandom } from "../../src/random/random-stream.js";
import { fitTransform } from "../../src/training/fit-transform.js";
import { gdn } from "../../src/transforms/gdn.js";
import { lowRankPooling } from "../../src/transforms/low-rank-pooling.js";
import { expectClose, expectSameBits, largest } from "../support/expect-close.js";
import { refusal } from "../support/expect-error.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";
import { seed } from "../support/seed.js";

/** Returns diag(g) + U Vᵀ with random factors, a fifth of whose entries are 0. */
function ofLowRank(n: number, rank: number): Float64Array {
  const random = createRandom(seed, "γ of low rank", n, rank);
  const packed = Float64Array.from({ length: (2 * rank + 1) * n }, () =>
    random.integer(5) === 0 ? 0 : random.uniform(),
  );
  return writeOutLowRank(packed, n, rank);
}

const errorOf = (gamma: Float64Array, n: number, rank: number): number => {
  const near = writeOutLowRank(lowRankPooling(gamma, n, rank), n, rank);
  return Math.hypot(...near.map((value, k) => value - gamma[k])) / Math.hypot(...gamma);
};

/** Expects that no single entry of U or V reduces the error by more than the stopping tolerance. */
function expectSmallest(gamma: Float64Array, n: number, rank: number, packed: Float64Array): void {
  const squares = (values: Float64Array): number => {
    const near = writeOutLowRank(values, n, rank);
    return near.reduce((sum, value, k) => sum + (value - gamma[k]) ** 2, 0);
  };
  const error = squares(packed);
  const total = gamma.reduce((sum, value) => sum + value * value, 0);
  packed.forEach((value, k) => {
    for (const factor of [0.9, 0.99, 1.01, 1.1]) {
      const changed = packed.slice();
      changed[k] = factor * value;
      expect(squares(changed)).toBeGreaterThan(error - 1e-6 * total);
    }
  });
}

describe(`lowRankPooling (seed ${seed})`, () => {
  test.each([
    { n: 6, rank: 1 },
    { n: 12, rank: 2 },
    { n: 30, rank: 3 },
  ])("recovers a γ of that form: N = $n, R = $rank", ({ n, rank }) => {
    expect(errorOf(ofLowRank(n, rank), n, rank)).toBeLessThan(0.003);
  });

  test.each([1, 2, 5])("recovers a γ of that form to the last digits: R = %i", (rank) => {
    // Away from the boundary, where convergence is fast.
    const n = 20;
    const packed = Float64Array.from({ length: (2 * rank + 1) * n }, (_, k) => {
      const [r, i] = [Math.floor(k / n), k % n];
      return 1 + (r > 0 && i % rank === (r - 1) % rank ? 5 : 0);
    });
    expect(errorOf(writeOutLowRank(packed, n, rank), n, rank)).toBeLessThan(1e-4);
  });

  test.each([1, 2, 4, 9])("stays near a diagonal of zeros: R = %i", (rank) => {
    // Each component pools only its neighbour.
    const n = 10;
    const gamma = Float64Array.from({ length: n * n }, (_, k) => {
      const [i, j] = [Math.floor(k / n), k % n];
      return j === (i + 1) % n ? 1 + 0.1 * i : 0;
    });
    const packed = lowRankPooling(gamma, n, rank);
    const near = writeOutLowRank(packed, n, rank);
    for (let i = 0; i < n; i++) expect(near[i * n + i]).toBeLessThan(1);
    // γ = 0 would be off by 1.
    expect(errorOf(gamma, n, rank)).toBeLessThan(1);
    expectSmallest(gamma, n, rank, packed);
  });

  test.each([1e3, 1e8])("is optimal if one column is %d times the others", (size) => {
    const [n, rank] = [8, 2];
    const random = createRandom(seed, "dominant column");
    const gamma = Float64Array.from({ length: n * n }, (_, k) =>
      k % n === 3 ? size * (1 + random.uniform()) : random.uniform(),
    );
    const packed = lowRankPooling(gamma, n, rank);
    expectSmallest(gamma, n, rank, packed);
    // Its rank is about one, and g holds the rest of the diagonal.
    expect(errorOf(gamma, n, rank)).toBeLessThan(Math.max(1 / size, 1e-5));
  });

  test("improves with every rank, and is never negative", () => {
    const n = 24;
    const random = createRandom(seed, "any γ");
    const gamma = Float64Array.from({ length: n * n }, (_, k) => {
      const [i, j] = [Math.floor(k / n), k % n];
      return Math.exp(-Math.abs(i - j - 1) / 4) * (0.5 + random.uniform()) + (i === j ? 3 : 0);
    });
    const errors = [1, 2, 4, 8, 16].map((rank) => errorOf(gamma, n, rank));
    errors.slice(1).forEach((error, k) => {
      expect(error).toBeLessThan(errors[k]);
    });
    expect(errors[4]).toBeLessThan(errors[0] / 3);
    for (const value of lowRankPooling(gamma, n, 4)) expect(value).toBeGreaterThanOrEqual(0);
  });

  test.each([0, 0.5])("hardly changes %d on the diagonal alone", (own) => {
    const n = 5;
    const gamma = Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? own : 0));
    const near = writeOutLowRank(lowRankPooling(gamma, n, 2), n, 2);
    near.forEach((value, k) => {
      expect(Math.abs(value - gamma[k])).toBeLessThan(0.001);
    });
    expect(lowRankPooling([0.5], 1, 1)[0]).toBeCloseTo(0.5, 3);
  });

  test("of a diagonal γ is a start from which columns diverge", async () => {
    const [n, rank] = [6, 2];
    const gamma = Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 0.5 : 0));
    const start = gdn({
      structure: "low-rank",
      dimension: n,
      rank,
      gamma: lowRankPooling(gamma, n, rank),
      alpha: new Float32Array(n).fill(1.5),
      beta: new Float32Array(n).fill(1),
      epsilon: new Float32Array(n).fill(0.45),
    });
    // Two groups of three, each with its own scale.
    const random = createRandom(seed, "groups");
    const x = new Float32Array(512 * n);
    for (let s = 0; s < x.length; s += 3) {
      const scale = Math.exp(random.normal());
      for (let i = 0; i < 3; i++) x[s + i] = scale * random.normal();
    }
    const fit = await fitTransform(simdRunner, start, { steps: 50, batchAt: () => x });
    const { U, V } = lowRankParts(fit.transform.gamma, n, rank);
    expect([...U[0]]).not.toEqual([...U[1]]);
    expect([...V[0]]).not.toEqual([...V[1]]);
  });

  test("has the same bits every time", () => {
    const gamma = ofLowRank(9, 4);
    expectSameBits(lowRankPooling(gamma, 9, 3), lowRankPooling(gamma.slice(), 9, 3));
  });

  test("makes a layer close to the full one", async () => {
    const [n, rank] = [10, 2];
    const gamma = ofLowRank(n, rank).map((value) => value / n);
    const common = {
      dimension: n,
      alpha: new Array<number>(n).fill(1.6),
      beta: new Array<number>(n).fill(1),
      epsilon: new Array<number>(n).fill(0.4),
    };
    const full = gdn({ structure: "column", ...common, gamma });
    const packed = lowRankPooling(gamma, n, rank);
    const low = gdn({ structure: "low-rank", ...common, rank, gamma: packed });
    const x = createRandom(seed, "samples").normalFill(new Float64Array(5 * n));
    const wanted = await logProb(referenceRunner, full, x);
    const tolerance = { relative: 0.003, scale: largest(wanted) };
    expectClose(await logProb(referenceRunner, low, x), wanted, tolerance);
  });

  test.each([
    [[1, 2, 3], 2, 1, refusal("gamma", "hold 4 values (2×2)", 3)],
    [[1, -2, 3, 4], 2, 1, refusal("gamma[0][1]", "be finite and at least 0", -2)],
    [[1, 2, NaN, 4], 2, 1, refusal("gamma[1][0]", "be finite and at least 0", NaN)],
    [[1], 1, 0, refusal("rank", "be an integer from 1 to 64", 0)],
    [[1], 0, 1, refusal("dimension", "be an integer from 1 to 4096", 0)],
  ] as const)("rejects %o", (gamma, n, rank, sentence) => {
    expect(() => lowRankPooling(gamma, n, rank)).toThrow(sentence);
  });
});
