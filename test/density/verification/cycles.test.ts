import { describe, expect, test } from "vitest";
import { largestCycleMean } from "../../../src/density/verification/cycles.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { expectClose } from "../../support/expect-close.js";
import { seed } from "../../support/seed.js";

/** The largest mean of any simple cycle, by trying all of them. */
function byTrying(weights: Float64Array, n: number): number {
  let best = 0;
  const extend = (path: readonly number[], product: number): void => {
    const last = path[path.length - 1];
    for (let next = path[0]; next < n; next += 1) {
      const weight = weights[last * n + next];
      if (weight === 0) continue;
      if (next === path[0]) best = Math.max(best, (product * weight) ** (1 / path.length));
      else if (!path.includes(next)) extend([...path, next], product * weight);
    }
  };
  for (let start = 0; start < n; start += 1) extend([start], 1);
  return best;
}

describe("the largest mean of a cycle", () => {
  test("is 0 for a graph without cycles", () => {
    const mean = largestCycleMean((u, v) => (u < v ? 3 : 0), 5);
    expect(mean).toEqual({ mean: 0, cycle: [] });
    expect(largestCycleMean(() => 0, 1)).toEqual({ mean: 0, cycle: [] });
  });

  test("is the mean of a ring, in its direction", () => {
    const { mean, cycle } = largestCycleMean((u, v) => (v === (u + 2) % 5 ? u + 1 : 0), 5);
    expectClose(mean, 120 ** (1 / 5), { relative: 1e-15 });
    const start = cycle.indexOf(0);
    expect([...cycle.slice(start), ...cycle.slice(0, start)]).toEqual([0, 2, 4, 1, 3]);
  });

  test(`agrees with trying all cycles of sparse graphs, and names one of them (seed ${seed})`, () => {
    const random = createRandom(seed, "cycles");
    for (let k = 0; k < 300; k += 1) {
      const n = 1 + random.integer(6);
      const density = random.uniform();
      const weights = Float64Array.from({ length: n * n }, () =>
        random.uniform() < density ? 0.1 + 3 * random.uniform() : 0,
      );
      const { mean, cycle } = largestCycleMean((u, v) => weights[u * n + v], n);
      // A logarithm and an exponential of each of up to 6 weights.
      expectClose(mean, byTrying(weights, n), { relative: 1e-14 });
      const product = cycle.reduce(
        (sofar, u, at) => sofar * weights[u * n + cycle[(at + 1) % cycle.length]],
        1,
      );
      if (cycle.length > 0) expectClose(product ** (1 / cycle.length), mean, { relative: 1e-14 });
    }
  });
});
