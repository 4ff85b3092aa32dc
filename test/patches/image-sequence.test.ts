import { describe, expect, test } from "vitest";
import { LaneSequence, type Occurrence, RunSequence } from "../../src/patches/image-sequence.js";
import { laneShapes } from "../../src/patches/reading-plan.js";
import { seed } from "../support/seed.js";

const uneven = { images: 29, runs: Uint32Array.of(0, 1, 9, 11, 12, 20, 21, 22) };
const single = { images: 29, runs: undefined };

function lanesOf(set: typeof uneven | typeof single, lanes: number, batch: number): LaneSequence[] {
  const runs = new RunSequence({ ...set, seed, isRepeated: false });
  return laneShapes(lanes, batch, 8 * lanes, lanes).map(
    ({ turns }) => new LaneSequence(runs, turns),
  );
}

describe.each([
  { what: "runs of one image", set: single },
  { what: "uneven runs", set: uneven },
])("lanes of $what", ({ set }) => {
  test.each([
    [1, 8],
    [4, 64],
    [8, 100],
    [2, 97],
  ])("%d, of a batch of %d, have every image once in each round", (lanes, batch) => {
    const rounds = 30;
    const seen = new Map<string, number>();
    for (const lane of lanesOf(set, lanes, batch)) {
      for (let place = 0; ; place += 1) {
        const { index, round } = lane.at(place);
        if (round >= rounds) break;
        const key = `${index} in ${round}`;
        seen.set(key, (seen.get(key) ?? 0) + 1);
      }
    }
    expect(seen.size).toBe(rounds * set.images);
    expect(new Set(seen.values())).toEqual(new Set([1]));
  });

  test("move at the same speed, whatever their rows", () => {
    // 56 and 44 rows, 7 and 6 leaves.
    const shapes = laneShapes(2, 100, 16, 2);
    const ends = lanesOf(set, 2, 100).map(
      (lane, k) => lane.at(Math.floor(1000 * shapes[k].stride)).round,
    );
    // 69 rounds; where lanes had as many runs each, one would be nine rounds ahead.
    for (const end of ends) expect(Math.abs(end - 2000 / set.images)).toBeLessThan(4);
  });

  test("are found at any place, in any order", () => {
    const [, lane] = lanesOf(set, 4, 64);
    const places = Array.from({ length: 500 }, (_, place) => place);
    const inOrder = places.map((place): Occurrence => lane.at(place));
    for (const place of [499, 3, 250, 249, 251, 0, 498]) {
      expect(lane.at(place)).toEqual(inOrder[place]);
      expect(lanesOf(set, 4, 64)[1].at(place)).toEqual(inOrder[place]);
    }
  });

  test("keep the images of a run in order", () => {
    const [lane] = lanesOf(set, 2, 64);
    for (let place = 0; place < 300; place += 1) {
      const { index, round, until } = lane.at(place);
      if (index + 1 < until) {
        expect(lane.at(place + 1)).toEqual({ index: index + 1, round, until });
      }
    }
  });
});

test("repeats the first round if all images stay in memory", () => {
  const runs = new RunSequence({ ...single, seed, isRepeated: true });
  const lane = new LaneSequence(runs, { first: 0, count: 1, period: 1 });
  for (const place of [0, 5, 28]) {
    expect(lane.at(place + 29)).toEqual(lane.at(place));
    expect(lane.at(place).round).toBe(0);
  }
});
