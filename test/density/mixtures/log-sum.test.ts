/** Sums of densities as logarithms. */
import { expect, test } from "vitest";
import { LogSum } from "../../../src/density/mixtures/log-sum.js";

test.each([
  ["before", [-1e4, 0]],
  ["after", [0, -1e4]],
])(
  "a vanishing term %s the others does not count, even if its gradient is infinite",
  (_, terms) => {
    const sums = new LogSum(1, 2, true);
    for (const term of terms) {
      const gradient = term === 0 ? Float64Array.of(3, -2) : Float64Array.of(Infinity, NaN);
      sums.add(Float64Array.of(term), gradient);
    }
    const score = new Float64Array(2);
    sums.writeScore(score);
    expect([...score]).toEqual([3, -2]);
    expect([...sums.logProb()]).toEqual([0]);
  },
);
