import { describe, expect, test } from "vitest";
import { filterOrder, filterShapes } from "../../src/evaluation/filter-shapes.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose } from "../support/expect-close.js";
import { seed } from "../support/seed.js";

interface Gabor {
  readonly row: number;
  readonly column: number;
  /** Standard deviation of the envelope, in pixels. */
  readonly sigma: number;
  readonly frequency: number;
  /** Direction of the stripes. */
  readonly orientation: number;
  readonly phase: number;
}

function patchOf(size: number, value: (row: number, column: number) => number): Float64Array {
  return Float64Array.from({ length: size * size }, (_, k) =>
    value(Math.floor(k / size), k % size),
  );
}

function gabor(size: number, { row, column, sigma, frequency, orientation, phase }: Gabor) {
  // The normal of the stripes, upwards being negative rows.
  const [x, y] = [Math.sin(orientation), Math.cos(orientation)];
  return patchOf(size, (r, c) => {
    const [down, right] = [r - row, c - column];
    const envelope = Math.exp(-(down * down + right * right) / (2 * sigma * sigma));
    return envelope * Math.cos(2 * Math.PI * frequency * (x * right + y * down) + phase);
  });
}

/** Distance of orientations, which have period π. */
function angleBetween(a: number, b: number): number {
  const difference = Math.abs(a - b) % Math.PI;
  return Math.min(difference, Math.PI - difference);
}

/** The quarter turn anticlockwise: what was on the right is on top. */
const turned = (patch: Float64Array, size: number) =>
  patchOf(size, (r, c) => patch[c * size + size - 1 - r]);

const middle = { row: 8, column: 7, sigma: 1.7, phase: 0.6 };
const gabors: Gabor[] = [0, 0.3, Math.PI / 4, 1.2, Math.PI / 2, 2, 2.9].flatMap((orientation) => [
  { ...middle, frequency: 0.25, orientation },
  { ...middle, row: 7.3, column: 8.4, sigma: 2, frequency: 0.31, orientation, phase: 1.9 },
]);

describe("filterShapes of a Gabor", () => {
  // The envelope is above e^−7 at the border: what is cut off there is about a thousandth.
  test.each(gabors)("finds $frequency cycles per pixel at $orientation rad, $row, $column", (g) => {
    const [shape] = filterShapes(gabor(16, g), 16);
    expectClose([shape.row, shape.column], [g.row, g.column], { absolute: 0.02 });
    expect(shape.isDc).toBe(false);
    expectClose(shape.frequency, g.frequency, { relative: 3e-3 });
    expect(angleBetween(shape.orientation, g.orientation)).toBeLessThan(3e-3);
    // h² is an envelope of σ²/2 in each direction, times 1 + a cosine that averages out.
    expectClose(shape.radius, g.sigma, { relative: 0.02 });
  });

  test.each([1.5, 1.8, 2.2])("has the selectivity of its bandwidth, σ = %f", (sigma) => {
    const [frequency, orientation] = [0.25, 0.4];
    const [shape] = filterShapes(gabor(16, { ...middle, sigma, frequency, orientation }), 16);
    // P is a normal density of deviation s around f: the mean of e^(2iφ) is 1 − (1 − e^−κ)/κ, κ =
    // f²/(2 s²).
    const s = 1 / (2 * Math.SQRT2 * Math.PI * sigma);
    const kappa = frequency ** 2 / (2 * s * s);
    const selectivity = 1 - (1 - Math.exp(-kappa)) / kappa;
    expectClose(shape.selectivity, selectivity, { absolute: 0.005 });
    expectClose(shape.bandwidth, Math.sqrt(-Math.log(selectivity) / 2), { relative: 0.02 });
    // For narrow ones the deviation of the angle is s/f.
    expectClose(shape.bandwidth, s / frequency, { relative: 0.1 });
  });

  test("depends neither on its sign nor on its scale", () => {
    const patch = gabor(16, gabors[3]);
    const [shape] = filterShapes(patch, 16);
    for (const factor of [-1, 1e-12, -3e9]) {
      const [scaled] = filterShapes(
        patch.map((value) => factor * value),
        16,
      );
      const values = (of: typeof shape) => Object.values(of).map(Number);
      expectClose(values(scaled), values(shape), { relative: 1e-9 });
    }
  });

  test.each([4, 5, 8])("turns with the filter, size %i", (size) => {
    const half = (size - 1) / 2;
    const where = { row: half - 0.4, column: half + 0.6, sigma: size / 8, phase: 0.3 };
    const patch = gabor(size, { ...where, frequency: 0.3, orientation: 0.5 });
    const [before, after] = filterShapes([...patch, ...turned(patch, size)], size);
    expectClose(angleBetween(before.orientation, after.orientation), Math.PI / 2, {
      absolute: 1e-9,
    });
    expectClose([after.row, after.column], [size - 1 - before.column, before.row], {
      absolute: 1e-9,
    });
    expectClose(
      [after.frequency, after.selectivity, after.radius],
      [before.frequency, before.selectivity, before.radius],
      { relative: 1e-9 },
    );
  });
});

describe("filterShapes", () => {
  test("calls horizontal stripes 0, rising ones π/4, vertical ones π/2", () => {
    const stripes = [
      patchOf(8, (r) => Math.sin((Math.PI * r) / 2)),
      patchOf(8, (r, c) => Math.sin((Math.PI * (r + c)) / 3)),
      patchOf(8, (_, c) => Math.sin((Math.PI * c) / 2)),
    ];
    const shapes = filterShapes(
      stripes.flatMap((patch) => [...patch]),
      8,
    );
    const angles = shapes.map(({ orientation }) => orientation);
    expect(angleBetween(angles[0], 0)).toBeLessThan(1e-9);
    expectClose(angles.slice(1), [Math.PI / 4, Math.PI / 2], { absolute: 1e-9 });
  });

  test("finds the finest gratings: ½ cycle along rows, √½ along the diagonal of a checkerboard", () => {
    const alternating = patchOf(8, (_, c) => (-1) ** c);
    const checkerboard = patchOf(8, (r, c) => (-1) ** (r + c));
    const [stripes, squares] = filterShapes([...alternating, ...checkerboard], 8);
    expectClose([stripes.frequency, squares.frequency], [0.5, Math.SQRT1_2], { absolute: 1e-9 });
    // ½ and −½ cycles are the same: a checkerboard has both diagonals.
    expect(squares.selectivity).toBeLessThan(1e-9);
    expectClose(stripes.orientation, Math.PI / 2, { absolute: 1e-9 });
  });

  test.each([
    ["a constant", patchOf(8, () => -3)],
    ["a blob", patchOf(8, (r, c) => Math.exp(-((r - 2) ** 2) - (c - 5) ** 2))],
    ["a pixel", patchOf(8, (r, c) => Number(r === 2 && c === 5))],
  ])("flags %s as DC, without orientation", (_, patch) => {
    const [shape] = filterShapes(patch, 8);
    expect(shape).toMatchObject({ isDc: true, frequency: 0, orientation: NaN, selectivity: 0 });
  });

  test("has the place and the radius of a pixel", () => {
    const [shape] = filterShapes(
      patchOf(8, (r, c) => Number(r === 2 && c === 5)),
      8,
    );
    expectClose([shape.row, shape.column, shape.radius], [2, 5, 0]);
  });

  test(`flags the one filter of a basis that sees the mean, however noisy (seed ${seed})`, () => {
    const random = createRandom(seed, "basis");
    const filters = random.normalFill(new Float64Array(16 * 16));
    for (let i = 0; i < 16; i++) {
      const row = filters.subarray(16 * i, 16 * (i + 1));
      const mean = row.reduce((sum, value) => sum + value / 16, 0);
      // Filter 5 has a mean that its noise hides.
      row.forEach((value, k) => (row[k] = value - mean + (i === 5 ? 0.1 : 0)));
    }
    const flagged = (rows: Float64Array) => filterShapes(rows, 4).map(({ isDc }) => isDc);
    expect(flagged(filters).indexOf(true)).toBe(5);
    expect(flagged(filters).lastIndexOf(true)).toBe(5);
    // Not of a basis: it is what it looks like.
    expect(flagged(filters.subarray(16))).not.toContain(true);
  });

  test.each([
    [new Float64Array(15), 4, "filters to hold a whole number of filters of 16 values"],
    [[], 4, "filters to hold a whole number"],
    [[1], 1, "size to be an integer of at least 2 but received 1"],
    [[1, 2, 3, 4, 0, 0, 0, 0], 2, "filter 1 to have finite weights that are not all 0"],
    [[1, 2, NaN, 4], 2, "filter 0 to have finite weights"],
  ])("rejects %j of size %j", (filters, size, what) => {
    expect(() => filterShapes(filters, size)).toThrow(what);
  });
});

describe("filterOrder", () => {
  test("orders by DC, octave, and orientation: horizontal, rising, vertical, falling", () => {
    const shape = filterShapes(gabor(16, gabors[0]), 16)[0];
    const given: [frequency: number, orientation: number][] = [
      [0.49, 3.1],
      [0.26, 2],
      [Math.SQRT1_2, 0.1],
      [0.24, 1],
      [0.5, Math.PI / 2],
      [0.12, 2.9],
    ];
    const shapes = given.map(([frequency, orientation]) => ({ ...shape, frequency, orientation }));
    const dc = { ...shape, isDc: true, frequency: 0, orientation: NaN };
    expect(filterOrder([...shapes, dc])).toEqual([6, 5, 3, 1, 0, 2, 4]);
  });
});
