import { describe, expect, test } from "vitest";
import { mostPoints, thinned } from "../../lab/components/thinned.js";
import { checkFile } from "../../lab/compute/check-file-job.js";
import type { MetricsRecord } from "../../src/runs/run-metrics.js";

/** Every tenth record is a validation. */
function recordsOf(count: number): MetricsRecord[] {
  return Array.from({ length: count }, (_, step) => ({
    step,
    isHeldOut: step % 10 === 9,
    meanLogProb: Math.sqrt(step),
    negentropyDifferencePerDimension: -Math.sqrt(step) / 64,
  }));
}

describe("thinned records", () => {
  test("are all records of a usual fit", () => {
    const records = recordsOf(mostPoints);
    expect(thinned(records)).toBe(records);
  });

  test("of a long file are few, in order, with both ends", () => {
    const records = recordsOf(200_003);
    const few = thinned(records);
    for (const isHeldOut of [false, true]) {
      const [all, kept] = [records, few].map((list) =>
        list.filter((record) => record.isHeldOut === isHeldOut),
      );
      expect(kept.length).toBeLessThanOrEqual(mostPoints);
      expect(kept.length).toBeGreaterThan(mostPoints / 4);
      expect([kept[0], kept.at(-1)]).toEqual([all[0], all.at(-1)]);
    }
    const steps = few.map(({ step }) => step);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    expect(new Set(steps).size).toBe(steps.length);
  });

  test("keep the peaks of both figures", () => {
    const records = recordsOf(50_000);
    records[12_340] = { ...records[12_340], meanLogProb: -99 };
    records[34_561] = { ...records[34_561], negentropyDifferencePerDimension: 7 };
    const few = thinned(records);
    expect(few).toContain(records[12_340]);
    expect(few).toContain(records[34_561]);
  });

  test("are sent to the page for a dropped file", async () => {
    const line = (step: number): string =>
      `{"step":${step},"meanLogProb":1,"negentropyDifferencePerDimension":-${step % 7}}\n`;
    const lines = Array.from({ length: 5000 }, (_, k) => line(k));
    const file = new File(lines, "long.jsonl");
    // Metrics need no context.
    const input = { key: "", file, accepts: ["metrics"] } as const;
    const facts = await checkFile(input, undefined as never);
    const records = facts.kind === "metrics" ? facts.records : [];
    expect(records).not.toEqual([]);
    expect(records.length).toBeLessThanOrEqual(mostPoints);
    expect(records.at(-1)?.step).toBe(4999);
  });
});
