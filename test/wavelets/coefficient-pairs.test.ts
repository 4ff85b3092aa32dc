import { describe, expect, test } from "vitest";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { createRandom } from "../../src/random/random-stream.js";
import {
  coefficientPairs,
  neighbourBorder,
  neighbourPairCount,
  neighbourPairs,
  orientationNames,
} from "../../src/wavelets/coefficient-pairs.js";
import { steerableBands } from "../../src/wavelets/steerable-pyramid.js";
import { expectSameBits } from "../support/expect-close.js";
import { expectError } from "../support/expect-error.js";
import { seed } from "../support/seed.js";

const [width, height] = [13, 9];
/** A band whose values tell their places: 100 y + x. */
const places = {
  width,
  height,
  values: Float64Array.from({ length: width * height }, (_, k) => {
    return 100 * Math.floor(k / width) + (k % width);
  }),
};

const offsets = [
  [1, 0],
  [0, 1],
  [-3, 2],
  [4, -5],
  [-12, -8],
  [0, 0],
];

const random = (...name: string[]) => createRandom(seed, "pairs", ...name);

function placesIn(pairs: Float64Array): { x: number; y: number; step: number }[] {
  return Array.from({ length: pairs.length / 2 }, (_, k) => {
    const first = pairs[2 * k];
    return { x: first % 100, y: Math.floor(first / 100), step: pairs[2 * k + 1] - first };
  });
}

describe.each(offsets)(`pairs at (%i, %i), seed ${seed}`, (dx, dy) => {
  test("have that distance at random places within the band", () => {
    const all = (width - Math.abs(dx)) * (height - Math.abs(dy));
    const count = Math.ceil(all / 3);
    const pairs = coefficientPairs(places, { dx, dy, count, random: random() });
    expect(pairs).toHaveLength(2 * count);
    expect(new Set(pairs.filter((_, k) => k % 2 === 0)).size).toBe(count);
    for (const { x, y, step } of placesIn(pairs)) {
      expect(step).toBe(100 * dy + dx);
      expect([x + dx >= 0, x + dx < width, y + dy >= 0, y + dy < height]).not.toContain(false);
    }
  });

  test("occur once each, row by row, if all are taken", () => {
    const pairs = coefficientPairs(places, { dx, dy });
    const wanted: number[] = [];
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        if (x + dx < 0 || x + dx >= width || y + dy < 0 || y + dy >= height) continue;
        wanted.push(100 * y + x, 100 * (y + dy) + x + dx);
      }
    }
    expect(Array.from(pairs)).toEqual(wanted);
  });
});

test("skips the border on all sides", () => {
  const pairs = coefficientPairs(places, { dx: -2, dy: 1, border: 3 });
  const inside = placesIn(pairs);
  expect(inside).toHaveLength((13 - 6 - 2) * (9 - 6 - 1));
  expect(Math.min(...inside.map(({ x }) => x - 2))).toBe(3);
  expect(Math.max(...inside.map(({ x }) => x))).toBe(9);
  expect([...new Set(inside.map(({ y }) => y))]).toEqual([3, 4]);
});

test(`draws all places with the same probability (seed ${seed})`, () => {
  const [draws, each] = [3000, 20];
  const counts = new Map<number, number>();
  for (let draw = 0; draw < draws; draw++) {
    const how = { dx: 3, dy: -4, count: each, random: random("uniform", String(draw)) };
    for (const { x, y } of placesIn(coefficientPairs(places, how))) {
      counts.set(100 * y + x, (counts.get(100 * y + x) ?? 0) + 1);
    }
  }
  const count = draws * each;
  const possible = 10 * 5;
  expect(counts.size).toBe(possible);
  // χ² of 49 degrees of freedom has mean 49 and standard deviation 9.9; without replacement it is
  // less. Five of them are hardly chance.
  const wanted = count / possible;
  const chiSquared = [...counts.values()].reduce((sum, n) => sum + (n - wanted) ** 2 / wanted, 0);
  expect(chiSquared).toBeLessThan(49 + 5 * 9.9);
});

test("gives the same pairs for the same random stream, and others for another", () => {
  const pairs = (name: string): Float64Array =>
    coefficientPairs(places, { dx: 1, dy: 1, count: 50, random: random(name) });
  expectSameBits(pairs("a"), pairs("a"));
  expect(pairs("a")).not.toEqual(pairs("b"));
});

test.each([
  [{ dx: 13 }, "the offset (dx, dy)", /13×9.*13, 0/],
  [{ dy: -9 }, "the offset (dx, dy)", "13×9"],
  [{ border: 4, dy: 1 }, "the offset (dx, dy)", "5×1"],
  [{ border: 5 }, "border", "13×9"],
  [{ dx: 0.5 }, "dx", "0.5"],
  [{ boarder: 2 }, "the options", "boarder"],
  [{ border: -1 }, "border", "-1"],
  [{ count: 0, random: random() }, "count", "positive"],
  [{ count: 109, random: random() }, "count", /108.*109/],
  [{ count: 5 }, "random", "undefined"],
])("rejects the options %o", (options: object, argument, phrase) => {
  const pairs = () => coefficientPairs(places, { dx: 1, dy: 0, ...options });
  expectError(pairs, { code: "invalid-argument", argument, phrase });
});

test("takes as many pairs as there are, and rejects a band with missing values", () => {
  const options = { dx: 1, dy: 0, count: 108, random: random() };
  expect(coefficientPairs(places, options)).toHaveLength(216);
  expectError(() => coefficientPairs({ ...places, width: 12 }, { dx: 1, dy: 0 }), {
    code: "invalid-argument",
    argument: "the band",
    phrase: "12×9",
  });
});

const size = { width: 90, height: 61 };
const scene = deadLeaves(createRandom(seed, "scene"), size);
const bands = steerableBands(scene, { orientations: orientationNames.length });

describe("neighbourPairs", () => {
  test("are neighbours in the band, over its standard deviation, away from the edges", () => {
    const separation = 5;
    const count = neighbourPairCount(size, separation);
    expect(count).toBe((90 - 2 * neighbourBorder - 5) * (61 - 2 * neighbourBorder));
    const { values, width } = bands[1];
    const random = createRandom(seed, "pairs");
    const pairs = neighbourPairs(bands[1], { separation, count, random });
    const deviation = Math.sqrt(
      values.reduce((sum, value) => sum + value * value, 0) / values.length,
    );
    const scaled = (at: number): number => Math.fround((1 / deviation) * values[at]);
    const expected: string[] = [];
    for (let y = neighbourBorder; y < 61 - neighbourBorder; y++) {
      for (let x = neighbourBorder; x < 90 - neighbourBorder - separation; x++) {
        expected.push(`${scaled(y * width + x)} ${scaled(y * width + x + separation)}`);
      }
    }
    const found = Array.from({ length: count }, (_, k) => `${pairs[2 * k]} ${pairs[2 * k + 1]}`);
    expect(found.sort()).toEqual(expected.sort());
  });

  test("are zero for a band that is too small", () => {
    expect(neighbourPairCount({ width: 36, height: 61 }, 4)).toBe(0);
    expect(neighbourPairCount({ width: 20, height: 20 }, 1)).toBe(0);
    expect(neighbourPairCount({ width: 38, height: 33 }, 4)).toBe(2);
  });
});
