import { describe, expect, test } from "vitest";
import {
  laneOfLeaf,
  laneShapes,
  lanesFor,
  leavesOf,
  runsAmong,
  runsOf,
} from "../../src/patches/reading-plan.js";

describe("the number of lanes", () => {
  test("is 1 if all images fit in", () => {
    expect(lanesFor(1000, { window: 1000 }, 512)).toBe(1);
  });

  test("is a power of two, limited by the leaves of a batch, by windows of eight images and by the longest run", () => {
    expect(lanesFor(1000, { window: 999 }, 512)).toBe(32);
    expect(lanesFor(1000, { window: 999 }, 64)).toBe(8);
    expect(lanesFor(1000, { window: 100 }, 512)).toBe(8);
    expect(lanesFor(1000, { window: 7 }, 512)).toBe(1);
    const runs = Uint32Array.of(0, 30, 62, 70);
    // The last one has 930 images.
    expect(lanesFor(1000, { window: 999, runs }, 512)).toBe(1);
    expect(lanesFor(90, { window: 80, runs }, 512)).toBe(2);
  });
});

describe("shares of lanes", () => {
  test.each([
    [8, 64],
    [8, 100],
    [4, 100],
    [32, 512],
    [16, 1000],
  ])("%d of a batch of %d: rows in order, windows and strides in proportion", (lanes, batch) => {
    const shapes = laneShapes(lanes, batch, 400, 25);
    let row = 0;
    for (const { firstRow, rows, window, stride } of shapes) {
      expect(firstRow).toBe(row);
      expect(stride).toBeCloseTo((25 * rows) / batch, 12);
      expect(window).toBe(Math.floor((400 * rows) / batch));
      row += rows;
    }
    expect(row).toBe(batch);
    const leafSize = Math.ceil(batch / leavesOf(batch));
    for (let leaf = 0; leaf < leavesOf(batch); leaf += 1) {
      const { firstRow, rows } = shapes[laneOfLeaf(leaf, lanes, batch)];
      expect(leaf * leafSize).toBeGreaterThanOrEqual(firstRow);
      expect(leaf * leafSize).toBeLessThan(firstRow + rows);
    }
  });

  test("have windows that skip no image", () => {
    for (const { window, stride } of laneShapes(4, 100, 6, 6)) {
      expect(window).toBeGreaterThanOrEqual(stride);
    }
  });
});

describe("runs of the chosen images", () => {
  test("begin at the same images, without empty runs", () => {
    const runs = Uint32Array.of(0, 4, 6, 9);
    expect(runsAmong(Uint32Array.of(0, 1, 3, 6, 8, 9, 11), runs)).toEqual(Uint32Array.of(0, 3, 5));
    expect(runsAmong(Uint32Array.of(5, 7), runs)).toEqual(Uint32Array.of(0, 1));
    expect(runsAmong(Uint32Array.of(5, 7), undefined)).toBeUndefined();
  });
});

describe("runs of archives", () => {
  const inArchive = (archive: string, count: number, bytes = 100) =>
    Array.from({ length: count }, () => ({ archive, bytes }));

  test("are undefined without archives", () => {
    expect(runsOf([{}, {}, { bytes: 5e6 }], 100)).toBeUndefined();
  });

  test("are equal pieces of each archive, and single files", () => {
    const images = [{}, ...inArchive("a", 70), ...inArchive("b", 3), {}, ...inArchive("c", 1)];
    expect(runsOf(images, 2000)).toEqual(Uint32Array.of(0, 1, 24, 47, 71, 74, 75));
  });

  test("are short enough for the window", () => {
    const images = inArchive("a", 64);
    expect(runsOf(images, 2000)).toHaveLength(2);
    expect(runsOf(images, 20 * 32)).toHaveLength(4);
    expect(runsOf(images, 100)).toHaveLength(8);
    expect(runsOf(images, 2)).toHaveLength(32);
    expect(runsOf(images, 1)).toBeUndefined();
  });

  test("have at most a megabyte, unless one image is larger", () => {
    expect(runsOf(inArchive("a", 64, 2 ** 18), 2000)).toHaveLength(16);
    expect(runsOf(inArchive("a", 64, 2 ** 25), 2000)).toBeUndefined();
  });
});
