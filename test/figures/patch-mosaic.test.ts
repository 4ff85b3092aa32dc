import { describe, expect, it } from "vitest";
import { patchMosaic } from "../../src/figures/patch-mosaic.js";

describe("patchMosaic", () => {
  const patches = [1, -1, 0, 0.5, 4, 0, 0, -2, 0, 0, 0, 0];

  it("places 2×2 patches in columns with white lines around them", () => {
    const { width, height, pixels } = patchMosaic(patches, { size: 2, columns: 2 });
    expect([width, height]).toEqual([7, 7]);
    const rows = Array.from({ length: 7 }, (_, r) => [...pixels.subarray(7 * r, 7 * (r + 1))]);
    const line = Array(7).fill(1);
    expect(rows[0]).toEqual(line);
    expect(rows[1]).toEqual([1, 1, 0, 1, 1, 0.5, 1]);
    expect(rows[2]).toEqual([1, 0.5, 0.75, 1, 0.5, 0.25, 1]);
    expect(rows[3]).toEqual(line);
    // A patch of zeros is mid grey, not a division by 0; where no patch is left, there is nothing but white.
    expect(rows[4]).toEqual([1, 0.5, 0.5, 1, 1, 1, 1]);
    expect(rows[6]).toEqual(line);
  });

  it("has lines of another grey where asked to", () => {
    const { pixels } = patchMosaic([1, 1], { size: 1, columns: 2, black: 0, white: 1, lines: 0.5 });
    expect([...pixels.subarray(5, 10)]).toEqual([0.5, 1, 0.5, 1, 0.5]);
  });

  it("uses one range for all patches where asked to, and zooms", () => {
    const { width, pixels } = patchMosaic(patches, { size: 2, columns: 3, zoom: 2, scale: "all" });
    expect(width).toBe(16);
    expect([...pixels.subarray(17, 20)]).toEqual([0.625, 0.625, 0.375]);
  });

  it("shows the given values as black and white, whatever the scale", () => {
    for (const scale of ["each", "all"] as const) {
      const options = { size: 2, columns: 3, scale, black: 0, white: 2 };
      const { width, pixels } = patchMosaic(patches, options);
      expect([...pixels.subarray(width + 1, width + 6)]).toEqual([0.5, -0.5, 1, 2, 0]);
    }
    const negative = patchMosaic([0, 1], { size: 1, columns: 2, black: 1, white: 0 });
    expect([negative.pixels[6], negative.pixels[8]]).toEqual([1, -0]);
  });

  it("does not half obey: black without white changes nothing", () => {
    const plain = patchMosaic(patches, { size: 2, columns: 3 });
    expect(patchMosaic(patches, { size: 2, columns: 3, black: 0 })).toEqual(plain);
  });

  it.each([
    [[1, 2, 3], { size: 2, columns: 1 }, "patches to hold a whole number of patches of 4 values"],
    [[], { size: 2, columns: 1 }, "patches"],
    [patches, { size: 0, columns: 1 }, "size to be a positive integer but received 0"],
    [patches, { size: 2, columns: 1.5 }, "columns to be a positive integer but received 1.5"],
    [patches, { size: 2, columns: 1, zoom: NaN }, "zoom to be a positive integer but received NaN"],
  ])("%j with %j is refused", (values, options, what) => {
    expect(() => patchMosaic(values, options)).toThrow(what);
  });
});
