import { describe, expect, test } from "vitest";
import { sideBySide } from "../../src/figures/side-by-side.js";

const black = (width: number, height: number) => ({
  width,
  height,
  pixels: new Float32Array(width * height),
});

describe("sideBySide", () => {
  test("aligns tops, from left to right, on white", () => {
    const grey = { ...black(2, 1), pixels: Float32Array.of(0.25, 0.5) };
    const { width, height, pixels } = sideBySide([grey, black(1, 3)], 1);
    expect([width, height]).toEqual([4, 3]);
    expect([...pixels]).toEqual([0.25, 0.5, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0]);
  });

  test("leaves a gap of 8 pixels, and none at the ends", () => {
    expect(sideBySide([black(2, 1), black(3, 1), black(1, 1)]).width).toBe(2 + 8 + 3 + 8 + 1);
    expect(sideBySide([black(5, 2)])).toEqual(black(5, 2));
  });
});
