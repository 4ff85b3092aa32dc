import { describe, expect, test } from "vitest";
import { linearToSrgb, luminanceOf, srgbToLinear } from "../../src/images/luminance.js";

describe("luminanceOf", () => {
  test("grey is the luma of Rec. 601", () => {
    expect(luminanceOf("grey", 1, 0, 0)).toBe(0.299);
    expect(luminanceOf("grey", 0, 1, 0)).toBe(0.587);
    expect(luminanceOf("grey", 0, 0, 1)).toBe(0.114);
    expect(luminanceOf("grey", 0.2, 0.4, 0.6)).toBeCloseTo(0.0598 + 0.2348 + 0.0684, 15);
  });

  test("linear is the luminance of Rec. 709 in linear light", () => {
    expect(luminanceOf("linear", 1, 0, 0)).toBe(0.2126);
    expect(luminanceOf("linear", 0, 1, 0)).toBe(0.7152);
    expect(luminanceOf("linear", 0, 0, 1)).toBe(0.0722);
    // Not a function of the grey value: the curve comes before the sum.
    expect(luminanceOf("linear", 0.5, 0, 0)).toBeCloseTo(0.2126 * 0.21404114, 8);
  });

  test.each(["grey", "linear"] as const)("%s keeps black and white", (kind) => {
    expect(luminanceOf(kind, 0, 0, 0)).toBe(0);
    expect(luminanceOf(kind, 1, 1, 1)).toBeCloseTo(1, 15);
  });
});

describe("the curve of sRGB", () => {
  // IEC 61966-2-1: the straight part ends at 0.04045; the middle grey 0.5 is 0.214 of the light.
  test.each([
    [0, 0],
    [0.04045, 0.04045 / 12.92],
    [0.5, 0.21404114048223255],
    [1, 1],
  ])("%d is %d of the light", (encoded, light) => {
    expect(srgbToLinear(encoded)).toBeCloseTo(light, 14);
  });

  test("has no step where its two parts meet", () => {
    // The published constants are rounded: they meet to 3e-8.
    expect(srgbToLinear(0.04045 + 1e-12) - srgbToLinear(0.04045)).toBeLessThan(3e-8);
    expect(Math.abs(linearToSrgb(0.0031308 + 1e-12) - linearToSrgb(0.0031308))).toBeLessThan(1e-7);
  });

  test("is undone by its inverse for every 8-bit value, and rises", () => {
    let before = -1;
    for (let k = 0; k <= 255; k++) {
      const light = srgbToLinear(k / 255);
      expect(light).toBeGreaterThan(before);
      expect(linearToSrgb(light)).toBeCloseTo(k / 255, 12);
      before = light;
    }
  });
});
