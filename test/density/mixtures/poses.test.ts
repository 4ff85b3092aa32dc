import { describe, expect, test } from "vitest";
import {
  backFromPose,
  composed,
  inverseOf,
  poseCount,
  poseOf,
  posed,
} from "../../../src/density/mixtures/poses.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { expectClose } from "../../support/expect-close.js";
import { logAbsDeterminant } from "../../support/differences.js";

const random = createRandom(3, "poses");
const poses = (side: number, removeMean = false) =>
  Array.from({ length: poseCount }, (_, k) => poseOf(side, removeMean, k));
const layouts = [2, 3].flatMap((side) => [true, false].map((removeMean) => ({ side, removeMean })));

test("pose 1 is a quarter turn, and pose 4 a mirror image", () => {
  const x = Float64Array.of(1, 2, 3, 4);
  expect([...posed(x, poseOf(2, false, 1))]).toEqual([2, 4, 1, 3]);
  expect([...posed(x, poseOf(2, false, 4))]).toEqual([2, 1, 4, 3]);
});

test("the eight poses differ and are closed under composition", () => {
  const texts = poses(3).map(({ sources }) => sources.join());
  expect(new Set(texts).size).toBe(poseCount);
  for (const a of poses(3)) {
    for (const b of poses(3)) expect(texts).toContain(composed(a, b).sources.join());
  }
});

describe.each(layouts)("$side×$side pixels, mean removed: $removeMean", ({ side, removeMean }) => {
  const n = side * side - (removeMean ? 1 : 0);
  const x = Float64Array.from({ length: 3 * n }, () => random.normal());
  const basis = new Float64Array(n * n).map((_, k) => (k % (n + 1) === 0 ? 1 : 0));

  test("a pose permutes all pixels, the dropped one included", () => {
    const pixels = (row: Float64Array) =>
      [...row, ...(removeMean ? [-row.reduce((sum, value) => sum + value, 0)] : [])].sort();
    for (const pose of poses(side, removeMean)) {
      expectClose(pixels(posed(x.slice(0, n), pose)), pixels(x.slice(0, n)), { absolute: 1e-14 });
    }
  });

  test("the inverse undoes a pose, and a composition is one pose after the other", () => {
    for (const a of poses(side, removeMean)) {
      expectClose(posed(posed(x, a), inverseOf(a)), x, { absolute: 1e-14 });
      for (const b of poses(side, removeMean)) {
        expectClose(posed(x, composed(a, b)), posed(posed(x, a), b), { absolute: 1e-14 });
      }
    }
  });

  test("the gradient goes back by the transposed matrix, whose determinant is ±1", () => {
    for (const pose of poses(side, removeMean)) {
      const matrix = posed(basis, pose);
      const rows = Array.from({ length: n }, (_, k) => matrix.slice(k * n, (k + 1) * n));
      expectClose(logAbsDeterminant(rows), 0, { absolute: 1e-14 });
      const gradient = x.slice(0, n);
      const direct = rows.map((row) => row.reduce((sum, value, k) => sum + value * gradient[k], 0));
      expectClose(backFromPose(gradient, pose), direct, { absolute: 1e-14 });
    }
  });
});
