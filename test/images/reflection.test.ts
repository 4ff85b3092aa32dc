import { describe, expect, test } from "vitest";
import { extendByReflection } from "../../src/images/reflection.js";

describe("extendByReflection", () => {
  test("mirrors between pixels, on each side separately", () => {
    const image = { width: 3, height: 2, pixels: Float32Array.of(1, 2, 3, 4, 5, 6) };
    const extended = extendByReflection(image, { left: 1, top: 1, right: 2 });
    expect([extended.width, extended.height]).toEqual([6, 3]);
    const rows = [
      [1, 1, 2, 3, 3, 2],
      [1, 1, 2, 3, 3, 2],
      [4, 4, 5, 6, 6, 5],
    ];
    expect([...extended.pixels]).toEqual(rows.flat());
  });

  test("extends farther than the picture is wide", () => {
    const image = { width: 2, height: 1, pixels: Float64Array.of(1, 2) };
    const { pixels } = extendByReflection(image, { left: 3, right: 4 });
    expect([...pixels]).toEqual([2, 2, 1, 1, 2, 2, 1, 1, 2]);
  });
});
