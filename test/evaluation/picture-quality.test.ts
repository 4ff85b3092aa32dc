import { describe, expect, test } from "vitest";
import { psnrInDecibels } from "../../src/evaluation/picture-quality.js";
import { expectClose } from "../support/expect-close.js";

const image = (...pixels: number[]) => ({
  width: pixels.length,
  height: 1,
  pixels: Float32Array.from(pixels),
});

describe("psnrInDecibels", () => {
  test("is −20 log₁₀ of the root mean square, and infinite for equal images", () => {
    const value = psnrInDecibels(image(0.5, 0.125, 0.25), image(0.625, 0, 0.125));
    expectClose(value, 20 * Math.log10(8), { relative: 1e-15 });
    expect(psnrInDecibels(image(0.5), image(0.5))).toBe(Infinity);
  });

  test("rejects images of different sizes", () => {
    expect(() => psnrInDecibels(image(1, 2), image(1))).toThrow("1×1 pixels");
  });
});
