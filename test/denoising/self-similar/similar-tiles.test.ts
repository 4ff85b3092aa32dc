import { expect, test } from "vitest";
import {
  addTile,
  coveringSums,
  similarTiles,
} from "../../../src/denoising/self-similar/similar-tiles.js";
import { coveringCorners } from "../../../src/denoising/overlapping-patches.js";

test("tiles hold every reference patch once, with its whole window", () => {
  const image = { width: 150, height: 97 };
  const [size, reach] = [7, 17];
  const tiles = similarTiles(image, { size, reach }, 4);
  const corners = tiles.flatMap(({ left, top, width, references }) =>
    [...references].map((at) => (top + Math.floor(at / width)) * image.width + left + (at % width)),
  );
  const byNumber = (a: number, b: number): number => a - b;
  expect(corners.sort(byNumber)).toEqual([...coveringCorners(image, size, 4)].sort(byNumber));
  for (const { left, top, width, height, references } of tiles) {
    for (const at of references) {
      const [x, y] = [left + (at % width), top + Math.floor(at / width)];
      expect(left).toBeLessThanOrEqual(Math.max(0, x - reach));
      expect(top).toBeLessThanOrEqual(Math.max(0, y - reach));
      expect(left + width).toBeGreaterThanOrEqual(Math.min(image.width, x + reach + size));
      expect(top + height).toBeGreaterThanOrEqual(Math.min(image.height, y + reach + size));
    }
  }
});

test("values of corners count for all pixels of their patches", () => {
  const corners = new Float64Array(12);
  corners[0] = 1;
  corners[5] = 10;
  const sums = coveringSums(corners, { width: 4, height: 3 }, 2);
  expect([...sums]).toEqual([1, 1, 0, 0, 1, 11, 10, 0, 0, 10, 10, 0]);
});

test("a tile is added at its place", () => {
  const total = new Float64Array(6);
  const tile = { left: 1, top: 1, width: 2, height: 1, references: new Int32Array() };
  addTile(total, { width: 3, height: 2 }, [5, 6], tile);
  expect([...total]).toEqual([0, 0, 0, 0, 5, 6]);
});
