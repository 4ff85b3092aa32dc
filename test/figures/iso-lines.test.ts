import { describe, expect, test } from "vitest";
import { isoLines } from "../../src/figures/iso-lines.js";

/** f at the centres of width×height cells of [from, to]². */
function gridOf(
  f: (x: number, y: number) => number,
  { width = 60, height = 50, from = -3, to = 3 } = {},
) {
  const at = (k: number, cells: number): number => from + ((to - from) * (k + 0.5)) / cells;
  const values = Float64Array.from({ length: width * height }, (_, k) =>
    f(at(k % width, width), at(Math.floor(k / width), height)),
  );
  return { width, height, from, to, values };
}

describe("isoLines", () => {
  test("of a normal density are closed ellipses to 1e-3", () => {
    const grid = gridOf((x, y) => Math.exp(-0.5 * (x ** 2 + (y / 0.7) ** 2)));
    const lines = isoLines(grid, Math.exp(-0.5 * 1.5 ** 2));
    expect(lines).toHaveLength(1);
    const [line] = lines;
    expect(line[0]).toEqual(line[line.length - 1]);
    expect(line.length).toBeGreaterThan(80);
    // The logarithm is a parabola: between centres 0.12 apart a line errs by 0.12² / (8 · 0.7² ·
    // slope) at most.
    for (const [x, y] of line) expect(Math.abs(Math.hypot(x, y / 0.7) - 1.5)).toBeLessThan(3e-3);
  });

  test("interpolate exponentials exactly: lines of a Laplacian density are straight", () => {
    const grid = gridOf((x, y) => Math.exp(-2 * Math.abs(x) - Math.abs(y)), {
      width: 31,
      height: 31,
    });
    for (const [x, y] of isoLines(grid, Math.exp(-2)).flat()) {
      expect(2 * Math.abs(x) + Math.abs(y)).toBeCloseTo(2, 12);
    }
  });

  test("end at the border of the grid", () => {
    const lines = isoLines(
      gridOf((x, y) => 2 + x + 0.1 * y, { width: 30, height: 20 }),
      1.5,
    );
    expect(lines).toHaveLength(1);
    // Between the centres of the outermost rows.
    const ends = [lines[0][0], lines[0][lines[0].length - 1]].map(([, y]) => y);
    expect(ends.sort((a, b) => a - b)).toEqual([expect.closeTo(-2.85), expect.closeTo(2.85)]);
  });

  test("are several for several hills, and none if all values are below or above the level", () => {
    const hill = (x: number, y: number): number => Math.exp(-4 * (x * x + y * y));
    const grid = gridOf((x, y) => hill(x - 1.5, y) + hill(x + 1.5, y + 0.5));
    expect(isoLines(grid, 0.5)).toHaveLength(2);
    expect(isoLines(grid, 5)).toEqual([]);
    expect(isoLines(grid, 0)).toEqual([]);
  });

  test("are separated at a saddle by the mean", () => {
    const saddle = { width: 2, height: 2, from: 0, to: 2 };
    // Corners in the order (0, 0), (1, 0), (0, 1), (1, 1); centres are at ½ and 1½.
    const joined = isoLines({ ...saddle, values: [4, 0, 0, 4] }, 1);
    const parted = isoLines({ ...saddle, values: [4, 0, 0, 4] }, 3);
    expect([joined.length, parted.length]).toEqual([2, 2]);
    // Lines around the low corners, and around the high ones: the sum of x − y, or of x + y, is the
    // same along each.
    for (const [[a, b], [c, d]] of joined) expect(a - b).toBeCloseTo(c - d, 12);
    for (const [[a, b], [c, d]] of parted) expect(a + b).toBeCloseTo(c + d, 12);
  });

  test("pass between densities of 0 and larger ones", () => {
    const values = [0, 0, 0, 0, 4, 0, 0, 0, 0];
    const [line] = isoLines({ width: 3, height: 3, from: 0, to: 3, values }, 1);
    expect(line).toHaveLength(5);
    for (const [x, y] of line) expect(Math.abs(x - 1.5) + Math.abs(y - 1.5)).toBeCloseTo(0.75, 12);
  });
});
