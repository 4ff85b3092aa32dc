import { describe, expect, test } from "vitest";
import type { FilterShape } from "../../src/evaluation/filter-shapes.js";
import { poolingFalloff, strongestPools } from "../../src/evaluation/pooling-falloff.js";
import { expectClose } from "../support/expect-close.js";

const oriented: FilterShape = {
  row: 0,
  column: 0,
  radius: 1,
  isDc: false,
  frequency: 0.25,
  orientation: 0,
  selectivity: 0.9,
  bandwidth: 0.2,
};

/**
 * w_ij by a law for i ≠ j, and on the diagonal what makes every row sum to `total`, so that the
 * shares are the law by it.
 */
function lawfulWeights(n: number, total: number, law: (i: number, j: number) => number) {
  const weights = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    let others = 0;
    for (let j = 0; j < n; j++) {
      if (j !== i) others += weights[i * n + j] = law(i, j);
    }
    weights[i * n + i] = total - others;
  }
  return weights;
}

const angleBetween = (a: number, b: number): number => {
  const difference = Math.abs(a - b);
  return Math.min(difference, Math.PI - difference);
};

describe("poolingFalloff", () => {
  test("finds e^(−d/2) over the distance", () => {
    const shapes = Array.from({ length: 10 }, (_, i) => ({ ...oriented, row: 0.6 * i, column: i }));
    const distance = (i: number, j: number): number => Math.hypot(0.6, 1) * Math.abs(i - j);
    const weights = lawfulWeights(10, 8, (i, j) => Math.exp(-distance(i, j) / 2));
    const { x, mean, lowerQuartile, median, upperQuartile, pairs } = poolingFalloff(
      weights,
      shapes,
    ).distance;
    const steps = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((k) => distance(0, k));
    expectClose(x, steps, { relative: 1e-14 });
    const shares = steps.map((d) => Math.exp(-d / 2) / 8);
    for (const values of [mean, lowerQuartile, median, upperQuartile]) {
      expectClose(values, shares, { relative: 1e-14 });
    }
    expectClose(pairs, [18, 16, 14, 12, 10, 8, 6, 4, 2]);
  });

  test("finds 1 + cos 2Δθ over the angle, with right angles in the last bin", () => {
    const shapes = Array.from({ length: 12 }, (_, i) => ({
      ...oriented,
      orientation: (Math.PI * i) / 12,
    }));
    const angle = (i: number, j: number) =>
      angleBetween(shapes[i].orientation, shapes[j].orientation);
    const law = (i: number, j: number): number => 1.01 + Math.cos(2 * angle(i, j));
    const curve = poolingFalloff(lawfulWeights(12, 40, law), shapes, {
      orientationBins: 5,
    }).orientation;
    // Steps of 15° in bins of 18°, so that none is on an edge between bins; half as many pairs have
    // 90°.
    expectClose(curve.pairs, [24, 24, 24, 24, 36]);
    const degree = Math.PI / 180;
    expectClose(
      curve.x,
      [15, 30, 45, 60, 80].map((value) => value * degree),
      { relative: 1e-13 },
    );
    const at = (degrees: number): number => (1.01 + Math.cos(2 * degree * degrees)) / 40;
    const wanted = [at(15), at(30), at(45), at(60), (2 * at(75) + at(90)) / 3];
    expectClose(curve.mean, wanted, { relative: 1e-12 });
  });

  test("distinguishes finer from coarser: positive octaves mean a finer pooled filter", () => {
    const shapes = [0.5, 0.25, 0.125].map((frequency) => ({ ...oriented, frequency }));
    // Finer filters pool coarser ones, twice as much as the other way round.
    const weights = lawfulWeights(3, 10, (i, j) => (i < j ? 2 : 1) / Math.abs(i - j));
    const { x, mean, pairs } = poolingFalloff(weights, shapes).scale;
    expectClose(x, [-2, -1, 1, 2]);
    expectClose(mean, [0.1, 0.2, 0.1, 0.05], { relative: 1e-14 });
    expectClose(pairs, [1, 2, 2, 1]);
  });

  test("separates the effects of distance and angle", () => {
    const shapes = Array.from({ length: 8 }, (_, i) => ({
      ...oriented,
      column: i >> 1,
      orientation: i % 2 === 0 ? 0.1 : 0.1 + Math.PI / 2,
    }));
    const law = (i: number, j: number): number =>
      Math.exp(-Math.abs((i >> 1) - (j >> 1))) * (i % 2 === j % 2 ? 1 : 0.2);
    const [parallel, crossed, ...rest] = poolingFalloff(
      lawfulWeights(8, 5, law),
      shapes,
    ).distanceByOrientation;
    expect(rest).toEqual([]);
    expectClose(
      [parallel.from, parallel.to, crossed.from, crossed.to].map((angle) => (12 * angle) / Math.PI),
      [0, 1, 5, 6],
      { absolute: 1e-14 },
    );
    expectClose(parallel.curve.x, [1, 2, 3]);
    expectClose(crossed.curve.x, [0, 1, 2, 3]);
    const decay = [0, 1, 2, 3].map((d) => Math.exp(-d) / 5);
    expectClose(parallel.curve.mean, decay.slice(1), { relative: 1e-14 });
    expectClose(
      crossed.curve.mean,
      decay.map((share) => 0.2 * share),
      { relative: 1e-14 },
    );
  });

  test("gives quartiles of the pairs in a bin", () => {
    const shapes = [0, 0, 0].map(() => oriented);
    // All at distance 0; shares of the six pairs 0, 1, 2, 3, 4, 5 tenths.
    const weights = [5, 0, 5, 1, 7, 2, 3, 4, 3];
    const { mean, lowerQuartile, median, upperQuartile } = poolingFalloff(weights, shapes).distance;
    const found = [mean, lowerQuartile, median, upperQuartile].map(([value]) => value);
    expectClose(found, [0.25, 0.1, 0.25, 0.4], { relative: 1e-14 });
  });

  test("skips DC and unselective filters, and rows of zeros", () => {
    const dc = { ...oriented, isDc: true, frequency: 0, orientation: NaN, selectivity: 0 };
    const round = { ...oriented, selectivity: 0.2 };
    const weights = new Float64Array(16).fill(1).fill(0, 12);
    const shapes = [dc, round, oriented, oriented];
    const { distance, orientation, scale } = poolingFalloff(weights, shapes);
    // Row 3 is zeros: 3·3 pairs, of which 2·2 without DC, of which one with two orientations.
    expectClose([distance.pairs[0], scale.pairs[0], orientation.pairs[0]], [9, 4, 1]);
    expectClose(poolingFalloff(weights, shapes, { leastSelectivity: 0.1 }).orientation.pairs, [4]);
  });

  test.each([
    [[1, 2, 3], {}, "weights to hold 4 values (2×2) but received 3"],
    [[1, 2, -3, 4], {}, "weights[1][0] to be finite and at least 0 but received -3"],
    [[1, NaN, 3, 4], {}, "weights[0][1] to be finite"],
    [[1, 2, 3, 4], { distanceBin: 0 }, "distanceBin to be a positive number but received 0"],
    [[1, 2, 3, 4], { orientationBins: 1.5 }, "orientationBins to be an integer but received 1.5"],
  ])("rejects %j with %j", (weights, options, what) => {
    expect(() => poolingFalloff(weights, [oriented, oriented], options)).toThrow(what);
  });
});

describe("strongestPools", () => {
  const weights = [9, 1, 3, 0, 5, 9, 5, 6, 0, 0, 9, 0, 1, 2, 3, 4];

  test("lists the strongest filters of a pool in order, without the filter itself", () => {
    expect(strongestPools(weights, 4, 1, 3)).toEqual([3, 0, 2]);
    expect(strongestPools(weights, 4, 1, 1)).toEqual([3]);
  });

  test("skips filters without weight", () => {
    expect(strongestPools(weights, 4, 0, 3)).toEqual([2, 1]);
    expect(strongestPools(weights, 4, 2, 3)).toEqual([]);
  });

  test("rejects an index out of range", () => {
    expect(() => strongestPools(weights, 4, 4, 1)).toThrow("i to be an integer from 0 to 3");
    expect(() => strongestPools(weights, 3, 0, 1)).toThrow("weights to hold 9 values (3×3)");
  });
});
