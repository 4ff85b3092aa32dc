import { describe, expect, test } from "vitest";
import {
  GuideCells,
  areRings,
  cellCount,
  cellPoses,
  cellsOf,
  ringMargin,
  withRings,
} from "../../../src/denoising/guided/guide-cells.js";
import { poseMaps } from "../../../src/denoising/guided/patch-classes.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { seed } from "../../support/seed.js";

const [width, height] = [17, 13];
const pixels = createRandom(seed, "guide cells").normalFill(new Float32Array(width * height));
const image = { width, height, pixels };
const cellsAt = (of: typeof image, x: number, y: number, size: number, rings: number) => {
  const cells = new GuideCells(withRings(of, rings), size, rings);
  return cells.at(Uint32Array.of(y * of.width + x));
};

describe("the cells of a guide", () => {
  test("are the patch, 20 blocks of 2×2 pixels and 16 of 4×4 around it", () => {
    const sides = cellsOf(8, 2).map(({ side }) => side);
    expect([1, 2, 4].map((side) => sides.filter((own) => own === side).length)).toEqual([
      64, 20, 16,
    ]);
    expect(cellCount(8, 2)).toBe(100);
    expect(ringMargin(2)).toBe(6);
  });

  test("cover every pixel of the window once", () => {
    const covered = new Map<string, number>();
    for (const { left, top, side } of cellsOf(4, 2)) {
      for (let y = top; y < top + side; y++) {
        for (let x = left; x < left + side; x++) {
          covered.set(`${x} ${y}`, (covered.get(`${x} ${y}`) ?? 0) + 1);
        }
      }
    }
    expect(covered.size).toBe(16 * 16);
    expect([...covered.values()].every((count) => count === 1)).toBe(true);
  });

  test("are means over the pixels of their blocks", () => {
    const found = cellsAt(image, 7, 6, 2, 1);
    cellsOf(2, 1).forEach(({ left, top, side }, k) => {
      let sum = 0;
      for (let y = 0; y < side; y++) {
        for (let x = 0; x < side; x++) sum += pixels[(6 + top + y) * width + 7 + left + x];
      }
      expect(found[k]).toBeCloseTo(sum / side ** 2, 5);
    });
  });

  test("see the reflection of the image beyond its edges", () => {
    // The block left of the first pixel holds it twice, and the one below it twice.
    const found = cellsAt(image, 0, 0, 2, 1);
    const k = cellsOf(2, 1).findIndex(({ left, top }) => left === -2 && top === 0);
    const mean = (pixels[0] + pixels[1] + pixels[width] + pixels[width + 1]) / 4;
    expect(found[k]).toBeCloseTo(mean, 5);
  });

  test.each([
    [8, 2],
    [4, 1],
    [3, 0],
  ])("have the poses of the patch: size %d, %d rings", (size, rings) => {
    const maps = poseMaps(size);
    cellPoses(size, rings).forEach((map, pose) => {
      expect(map.slice(0, size * size)).toEqual(maps[pose]);
      expect(new Set(map).size).toBe(cellCount(size, rings));
    });
  });

  test("of a mirrored image are those of the image in the mirrored pose", () => {
    const mirrored = pixels.map((_, k) => pixels[k - (k % width) + width - 1 - (k % width)]);
    const other = cellsAt({ ...image, pixels: mirrored }, width - 7 - 2, 6, 2, 1);
    const own = cellsAt(image, 7, 6, 2, 1);
    // Bit 1 mirrors columns.
    cellPoses(2, 1)[1].forEach((from, k) => {
      expect(other[k]).toBeCloseTo(own[from], 6);
    });
  });
});

test.each([
  [8, 2, true],
  [8, 3, false],
  [3, 0, true],
  [3, 1, false],
  [8, -1, false],
  [8, 1.5, false],
])("patches of %d pixels and %d rings: %s", (size, rings, isRight) => {
  expect(areRings(rings, size)).toBe(isRight);
});
