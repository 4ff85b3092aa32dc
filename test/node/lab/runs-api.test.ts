import { appendFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { metricsPart } from "../../../node/lab/runs-api.js";
import { parseMetrics } from "../../../src/runs/run-metrics.js";
import { temporaryFolder } from "../../support/folders.js";

const line = (step: number, seconds = step / 7): string =>
  `${JSON.stringify({ step, meanLogProb: -step, negentropyDifferencePerDimension: 1 / (step + 1), seconds })}\n`;
const folder = await temporaryFolder("metrics");
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, k) => line(from + k)).join("");
const stepsIn = (text: string): number[] => parseMetrics(text).map(({ step }) => step);

describe("metricsPart", () => {
  test("returns new whole lines, each once", async () => {
    const path = join(folder, "grows.jsonl");
    await writeFile(path, lines(0, 3) + line(3).slice(0, 20));
    const first = await metricsPart(path, 0, "");
    expect(stepsIn(first.text)).toEqual([0, 1, 2]);
    const none = await metricsPart(path, first.to, first.mark);
    expect(none).toMatchObject({ from: first.to, to: first.to, text: "" });
    await appendFile(path, line(3).slice(20) + line(4));
    const second = await metricsPart(path, first.to, first.mark);
    expect(second.from).toBe(first.to);
    expect(stepsIn(second.text)).toEqual([3, 4]);
  });

  test("starts again after a run was resumed, even if its file is as long as before", async () => {
    const path = join(folder, "resumed.jsonl");
    await writeFile(path, lines(0, 9));
    const { to, mark } = await metricsPart(path, 0, "");
    await truncate(path, lines(0, 5).length);
    const shorter = await metricsPart(path, to, mark);
    expect([shorter.from, stepsIn(shorter.text)]).toEqual([0, [0, 1, 2, 3, 4]]);
    // The same steps at other times.
    for (let step = 5; step < 12; step++) await appendFile(path, line(step, step / 3));
    const longer = await metricsPart(path, to, mark);
    expect(longer.from).toBe(0);
    expect(stepsIn(longer.text)).toHaveLength(12);
  });

  test("returns long files in parts, and skips lines that are too long", async () => {
    const path = join(folder, "long.jsonl");
    await writeFile(path, `${"x".repeat(600_000)}\n${lines(0, 5000)}`);
    const steps: number[] = [];
    let [part, parts] = [await metricsPart(path, 0, ""), 1];
    for (; part.hasMore; parts++) {
      steps.push(...stepsIn(part.text));
      part = await metricsPart(path, part.to, part.mark);
    }
    steps.push(...stepsIn(part.text));
    expect(parts).toBeGreaterThan(3);
    expect(steps).toEqual(Array.from({ length: 5000 }, (_, k) => k));
  });

  test("returns no lines for a missing file", async () => {
    expect(await metricsPart(join(folder, "nothing"), 100, "a")).toMatchObject({ from: 0, to: 0 });
  });
});
