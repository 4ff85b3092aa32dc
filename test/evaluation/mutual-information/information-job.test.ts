import { describe, expect, test } from "vitest";
import { histogramInformation } from "../../../src/evaluation/mutual-information/histogram-information.js";
import { pairInformations } from "../../../src/evaluation/mutual-information/information-job.js";
import { nearestNeighbourInformation } from "../../../src/evaluation/mutual-information/nearest-neighbour-information.js";
import { simdRunner } from "../../support/inline-runners.js";
import { scaledPairs } from "../../support/pair-samples.js";

describe("pairInformations", () => {
  const sets = [0.2, 0.9].map((correlation) => scaledPairs("sets", 400, correlation));
  const groups = [150, 250];

  test("returns both estimates of each set, in the order of the sets", async () => {
    const done: [number, number][] = [];
    const found = await pairInformations(simdRunner, sets, {
      neighbours: 3,
      groups,
      onProgress: (...of) => done.push(of),
    });
    expect(found).toEqual(
      sets.map((pairs) => ({
        byNeighbours: nearestNeighbourInformation(pairs, { neighbours: 3, groups }),
        byHistogram: histogramInformation(pairs, { groups }),
      })),
    );
    expect(done).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  test("rejects invalid sets and unknown options", async () => {
    await expect(pairInformations(simdRunner, [new Float64Array(3)])).rejects.toThrow("pairs");
    await expect(pairInformations(simdRunner, sets, { group: [1] } as never)).rejects.toThrow(
      "group",
    );
  });
});
