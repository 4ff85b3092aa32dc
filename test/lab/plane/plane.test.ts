/** Planes of normal vectors, and points on their way through a transform. */
import { describe, expect, test } from "vitest";
import { between } from "../../../lab/plane/morph.js";
import { factorAt, planeAt } from "../../../lab/plane/normal-plane.js";
import { movePoint } from "../../../lab/plane/plane-job.js";
import { logProb } from "../../../src/density/induced-density.js";
import { affine } from "../../../src/transforms/affine.js";
import { cascade } from "../../../src/transforms/cascade.js";
import { simdRunner } from "../../support/inline-runners.js";

const a = Float64Array.of(1, 0, 2);
const b = Float64Array.of(0, 3, 1);

describe("a plane of normal vectors", () => {
  test("has a at the right edge, b at the top, and 0 in the middle", () => {
    expect(planeAt(a, b, { x: 1, y: 0.5 })).toEqual(a);
    expect(planeAt(a, b, { x: 0.5, y: 0 })).toEqual(b);
    expect([...planeAt(a, b, { x: 0.5, y: 0.5 })].map(Math.abs)).toEqual([0, 0, 0]);
  });

  test("has weights whose squares add up to 1 away from the middle", () => {
    for (const place of [
      { x: 1, y: 1 },
      { x: 0.1, y: 0.4 },
      { x: 0.5, y: 0.9 },
    ]) {
      expect(factorAt(place)).toBe(1);
      const [first, second] = planeAt(Float64Array.of(1, 0), Float64Array.of(0, 1), place);
      expect(first ** 2 + second ** 2).toBeCloseTo(1, 12);
    }
  });
});

test("a cloud halfway is the mean of both ends", () => {
  const [from, to] = [Float32Array.of(0, 2), Float32Array.of(4, 4)];
  expect(between(from, to, 0)).toEqual(from);
  expect(between(from, to, 0.5)).toEqual(Float32Array.of(2, 3));
  expect(between(from, to, 1)).toBe(to);
});

test("both terms of a point add up to its log-density", async () => {
  const transform = cascade([affine({ dimension: 2, scale: [2, 0.5], shift: [1, -1] })]);
  const x = [0.5, 3] as const;
  const job = {
    runner: simdRunner,
    signal: new AbortController().signal,
    report: () => undefined,
    whileHeld: () => Promise.resolve(),
  };
  const moved = await movePoint({ transform, x }, job);
  expect(moved.y).toEqual([2, 0.5]);
  const [expected] = await logProb(simdRunner, transform, Float64Array.from(x));
  expect(moved.logNormal + moved.logDeterminant).toBeCloseTo(expected, 6);
});
