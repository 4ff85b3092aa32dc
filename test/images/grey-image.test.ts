import { describe, expect, it } from "vitest";
import { meanGrey, requirePixels } from "../../src/images/grey-image.js";

describe("meanGrey", () => {
  it("is added up in double precision: a small pixel among large ones counts", () => {
    // In single precision, 2²⁴ + 1 is 2²⁴.
    const pixels = Float32Array.of(2 ** 24, 1, 1);
    expect(meanGrey({ width: 3, height: 1, pixels })).toBe((2 ** 24 + 2) / 3);
  });
});

describe("requirePixels", () => {
  it("tells which side, or how many pixels, are wrong", () => {
    const pixels = new Float32Array(6);
    const check = (width: number, height: number) => () => {
      requirePixels({ width, height, pixels }, "the scene");
    };
    expect(check(3, 2)).not.toThrow();
    expect(check(3, 0)).toThrow("Expected the height of the scene to be a positive integer");
    expect(check(4, 2)).toThrow("Expected the scene to hold 8 pixels (4×2) but received 6.");
  });
});
