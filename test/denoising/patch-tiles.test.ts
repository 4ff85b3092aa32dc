import { describe, expect, test } from "vitest";
import { coveringCorners } from "../../src/denoising/overlapping-patches.js";
import {
  addTile,
  coveringSums,
  patchTiles,
  pixelsOfTile,
} from "../../src/denoising/patch-tiles.js";

const image = { width: 150, height: 97 };
const [size, margin] = [7, 17];
const byNumber = (a: number, b: number): number => a - b;

/** Returns the corners of the tiles as indices of the pixels of the image. */
function cornersOf(tiles: ReturnType<typeof patchTiles>): number[] {
  const all = tiles.flatMap(({ left, top, width, corners }) =>
    [...corners()].map((at) => (top + Math.floor(at / width)) * image.width + left + (at % width)),
  );
  return all.sort(byNumber);
}

describe("tiles", () => {
  test("hold every patch once, with its margin", () => {
    const tiles = patchTiles(image, { size, stride: 4 }, { side: 64, margin });
    expect(tiles).toHaveLength(6);
    expect(cornersOf(tiles)).toEqual([...coveringCorners(image, size, 4)].sort(byNumber));
    for (const { left, top, width, height, count, corners } of tiles) {
      expect(corners()).toHaveLength(count);
      for (const at of corners()) {
        const [x, y] = [left + (at % width), top + Math.floor(at / width)];
        expect(left).toBeLessThanOrEqual(Math.max(0, x - margin));
        expect(top).toBeLessThanOrEqual(Math.max(0, y - margin));
        expect(left + width).toBeGreaterThanOrEqual(Math.min(image.width, x + margin + size));
        expect(top + height).toBeGreaterThanOrEqual(Math.min(image.height, y + margin + size));
      }
    }
  });

  test.each([2, 3, 4])("cover every pixel when their rows are moved, stride %i", (stride) => {
    const places = [0, 1].map((jitter) => {
      const tiles = patchTiles(image, { size, stride, jitter }, { side: 32, margin: 0 });
      const corners = cornersOf(tiles);
      expect(new Set(corners).size).toBe(corners.length);
      const marks = new Float32Array(image.width * image.height);
      for (const corner of corners) marks[corner] = 1;
      expect(Math.min(...coveringSums(marks, image, size))).toBeGreaterThanOrEqual(1);
      return corners;
    });
    expect(places[0]).not.toEqual(places[1]);
  });

  test("cut their pixels out of an image, scaled and shifted", () => {
    const pixels = Float32Array.from({ length: 12 }, (_, k) => k);
    const [, tile] = patchTiles(
      { width: 4, height: 3 },
      { size: 2, stride: 1 },
      { side: 2, margin: 0 },
    );
    const cut = pixelsOfTile({ width: 4, height: 3, pixels }, tile, { scale: 2, shift: 1 });
    expect([...cut]).toEqual([5, 7, 13, 15, 21, 23]);
  });
});

test("values of corners count for all pixels of their patches", () => {
  const corners = new Float32Array(12);
  corners[0] = 1;
  corners[5] = 10;
  const sums = coveringSums(corners, { width: 4, height: 3 }, 2);
  expect([...sums]).toEqual([1, 1, 0, 0, 1, 11, 10, 0, 0, 10, 10, 0]);
});

test("a tile is added at its place", () => {
  const total = new Float32Array(6);
  const tile = { left: 1, top: 1, width: 2, height: 1 };
  addTile(total, { width: 3, height: 2 }, [5, 6], tile);
  expect([...total]).toEqual([0, 0, 0, 0, 5, 6]);
});
