import { describe, expect, test } from "vitest";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { createRandom } from "../../src/random/random-stream.js";
import {
  neighbourBorder,
  neighbourPairCount,
  neighbourPairs,
  orientationNames,
} from "../../src/wavelets/neighbour-pairs.js";
import { steerableBands } from "../../src/wavelets/steerable-pyramid.js";
import { seed } from "../support/seed.js";

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

  test("a band that is too small has none", () => {
    expect(neighbourPairCount({ width: 36, height: 61 }, 4)).toBe(0);
    expect(neighbourPairCount({ width: 20, height: 20 }, 1)).toBe(0);
    expect(neighbourPairCount({ width: 38, height: 33 }, 4)).toBe(2);
  });
});
