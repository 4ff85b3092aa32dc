import { describe, expect, test } from "vitest";
import { centralCrop, requirePixels } from "../../src/images/grey-image.js";
import { expectError } from "../support/expect-error.js";

describe("requirePixels", () => {
  test("names the wrong side or the wrong number of pixels", () => {
    const pixels = new Float32Array(6);
    const check = (width: number, height: number) => () => {
      requirePixels({ width, height, pixels }, "the scene");
    };
    expect(check(3, 2)).not.toThrow();
    expectError(check(3, 0), { code: "invalid-argument", argument: "the height of the scene" });
    expectError(check(4, 2), {
      code: "invalid-argument",
      argument: "the scene",
      phrase: /8 pixels \(4×2\).*6/,
    });
  });
});

const image = { width: 5, height: 4, pixels: Float32Array.from({ length: 20 }, (_, k) => k) };

describe("centralCrop", () => {
  test("cuts as much on the left as on the right, or one pixel less", () => {
    expect(centralCrop(image, { width: 2, height: 2 })).toEqual({
      width: 2,
      height: 2,
      pixels: Float32Array.of(6, 7, 11, 12),
    });
  });

  test("takes the whole side if more is asked for", () => {
    const { width, height, pixels } = centralCrop(image, { width: 9, height: 1 });
    expect([width, height]).toEqual([5, 1]);
    expect([...pixels]).toEqual([5, 6, 7, 8, 9]);
  });
});
