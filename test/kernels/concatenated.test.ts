import { expect, test } from "vitest";
import { concatenated } from "../../src/kernels/concatenated.js";

test("joins arrays of any lengths in order", () => {
  const parts = [Float32Array.of(1, -2), new Float32Array(0), Float32Array.of(3)];
  expect(concatenated(Float32Array, parts)).toEqual(Float32Array.of(1, -2, 3));
  expect(concatenated(Uint8Array, [[255], [1, 2]])).toEqual(Uint8Array.of(255, 1, 2));
  expect(concatenated(Int32Array, [])).toEqual(new Int32Array(0));
});
