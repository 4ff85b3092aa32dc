import { describe, expect, it } from "vitest";
import { patchMosaic } from "../../src/figures/patch-mosaic.js";

describe("patchMosaic", () => {
  const patches = [1, -1, 0, 0.5, 4, 0, 0, -2, 0, 0, 0, 0];

  it("places 2×2 patches in columns with lines between", () => {
    const { width, height, pixels } = patchMosaic(patches, { size: 2, columns: 2 });
    expect([width, height]).toEqual([7, 7]);
    const rows = Array.from({ length: 7 }, (_, r) => [...pixels.subarray(7 * r, 7 * (r + 1))]);
    expect(rows[0]).toEqual(Array(7).fill(0.5));
    expect(rows[1]).toEqual([0.5, 1, 0, 0.5, 1, 0.5, 0.5]);
    expect(rows[2]).toEqual([0.5, 0.5, 0.75, 0.5, 0.5, 0.25, 0.5]);
    // A patch of zeros is mid grey, not a division by 0.
    expect(rows[4]).toEqual(Array(7).fill(0.5));
  });

  it("uses one range for all patches where asked to, and zooms", () => {
    const { width, pixels } = patchMosaic(patches, { size: 2, columns: 3, zoom: 2, scale: "all" });
    expect(width).toBe(16);
    expect([...pixels.subarray(17, 20)]).toEqual([0.625, 0.625, 0.375]);
  });
});
