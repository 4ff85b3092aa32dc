import { describe, expect, test } from "vitest";
import { neighbourDistances } from "../../../src/evaluation/mutual-information/neighbour-distances.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { expectSameBits } from "../../support/expect-close.js";
import { seed } from "../../support/seed.js";

/** By comparing all with all. */
function compared(x: Float64Array, y: Float64Array, k: number): Float64Array {
  return x.map((_, i) => {
    const distances = x.map((_, j) => Math.max(Math.abs(x[j] - x[i]), Math.abs(y[j] - y[i])));
    distances[i] = Infinity;
    return distances.sort()[k - 1];
  });
}

const random = createRandom(seed, "neighbours");
const normals = (count: number): Float64Array => random.normalFill(new Float64Array(count));
const clouds = [
  { what: "normal", x: normals(700), y: normals(700) },
  { what: "along a line", x: normals(500), y: (x: Float64Array) => x.map((v) => 2 * v + 1e-6 * random.normal()) }, // prettier-ignore
  { what: "on a lattice, with duplicates", x: normals(600).map(Math.round), y: normals(600).map(Math.round) }, // prettier-ignore
  { what: "all at one place", x: new Float64Array(90), y: new Float64Array(90) },
  { what: "with outliers", x: normals(300).map((v) => v ** 9), y: normals(300).map((v) => v ** 7) },
  { what: "few", x: normals(9), y: normals(9) },
];

describe(`neighbourDistances, seed ${seed}`, () => {
  test.each(clouds)("equal a comparison of all pairs of points: $what", ({ x, y }) => {
    const second = typeof y === "function" ? y(x) : y;
    for (const k of [1, 4, 8]) {
      expectSameBits(neighbourDistances(x, second, k), compared(x, second, k));
    }
  });

  test("do not change the points", () => {
    const [x, y] = [normals(50), normals(50)];
    const before = [x.slice(), y.slice()];
    neighbourDistances(x, y, 3);
    expect([x, y]).toEqual(before);
  });
});
