import { describe, expect, test } from "vitest";
import { dequantize } from "../../src/preprocessing/dequantize.js";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "../support/seed.js";

describe("dequantize", () => {
  const codes = Float32Array.from({ length: 256 * 40 }, (_, k) => k % 256);
  const pixels = codes.map((code) => code / 255);

  test("every value stays within the interval of its code", () => {
    const spread = dequantize(pixels, 256, createRandom(seed, "dequantize"));
    spread.forEach((value, k) => {
      // Float32 may round up to the next code.
      expect(value * 256).toBeGreaterThanOrEqual(codes[k] - 1e-4);
      expect(value * 256).toBeLessThanOrEqual(codes[k] + 1 + 1e-4);
    });
  });

  test("the noise is uniform: mean ½ and variance 1/12 of a code", () => {
    const spread = dequantize(pixels, 256, createRandom(seed, "dequantize"));
    const noise = spread.map((value, k) => value * 256 - codes[k]);
    const mean = noise.reduce((sum, u) => sum + u, 0) / noise.length;
    const variance = noise.reduce((sum, u) => sum + (u - mean) ** 2, 0) / noise.length;
    // Five standard errors of 10,240 values.
    expect(Math.abs(mean - 0.5)).toBeLessThan(5 * Math.sqrt(1 / 12 / noise.length));
    expect(Math.abs(variance - 1 / 12)).toBeLessThan(5 * Math.sqrt(1 / 180 / noise.length));
  });

  test("the same stream gives the same noise, and the picture is left alone", () => {
    const before = pixels.slice();
    const once = dequantize(pixels, 256, createRandom(1));
    expect(dequantize(pixels, 256, createRandom(1))).toEqual(once);
    expect(pixels).toEqual(before);
  });

  test.each([1, 0, 2.5, Infinity])("%d levels are refused", (levels) => {
    expect(() => dequantize(pixels, levels, createRandom(1))).toThrow(
      `Expected levels to be an integer of at least 2 but received ${levels}.`,
    );
  });
});
