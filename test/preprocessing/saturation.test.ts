import { describe, expect, test } from "vitest";
import { isSaturated } from "../../src/preprocessing/saturation.js";
import { expectError } from "../support/expect-error.js";

/** A ramp of 10,000 values from 0 to 0.9, and `white` pixels of 1. */
const ramp = (white: number): Float32Array =>
  Float32Array.from({ length: 10_000 }, (_, k) => (k < white ? 1 : (0.9 * k) / 10_000));

describe("isSaturated", () => {
  test("0.1 % of the pixels in the highest bin are not yet too many, one more is", () => {
    expect(isSaturated(ramp(10))).toBe(false);
    expect(isSaturated(ramp(11))).toBe(true);
  });

  test("does not depend on the scale or the offset of the intensities", () => {
    for (const [scale, offset] of [
      [65535, 0],
      [1e-3, -4],
    ]) {
      const scaled = (white: number) => ramp(white).map((value) => scale * value + offset);
      expect(isSaturated(scaled(5))).toBe(false);
      expect(isSaturated(scaled(60))).toBe(true);
    }
  });

  test("a constant picture is saturated; an empty one is rejected", () => {
    expect(isSaturated(new Float32Array(100).fill(0.3))).toBe(true);
    const wanted = { code: "invalid-argument", argument: "pixels" } as const;
    expectError(() => isSaturated(new Float32Array(0)), wanted);
  });
});
