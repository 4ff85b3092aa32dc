import { describe, expect, test } from "vitest";
import { filtered, progressOf, sorted } from "../../../lab/panels/runs/run-order.js";
import type { RunDescription, RunStatus } from "../../../src/runs/run-description.js";

function runOf(name: string, step: number, status: RunStatus = "done"): RunDescription {
  const figures = { meanLogProb: 1, negentropyDifferencePerDimension: -step / 1000 };
  const lastStep = { step, isHeldOut: false, seconds: step / 10, ...figures };
  const common = {
    config: { steps: 1000 },
    images: 4,
    lastHeldOut: null,
    modified: step,
    model: null,
  };
  return { name, status, lastStep: step > 0 ? lastStep : null, ...common };
}

const runs = [runOf("b10", 1000), runOf("a", 250, "running"), runOf("b9", 0, "interrupted")];
const names = (found: readonly RunDescription[]): string[] => found.map(({ name }) => name);

describe("progress", () => {
  test("a running fit takes as long for the steps left as for those done", () => {
    expect(progressOf(runs[1])).toEqual({ done: 250, of: 1000, secondsLeft: 75 });
  });

  test("other runs have no time left", () => {
    expect(progressOf(runs[0]).secondsLeft).toBeNull();
    expect(progressOf({ ...runs[1], lastStep: null }).secondsLeft).toBeNull();
    expect(progressOf({ ...runs[1], config: {} })).toEqual({
      done: 250,
      of: null,
      secondsLeft: null,
    });
  });
});

describe("the order of the table", () => {
  test.each([
    ["name", "up", ["a", "b9", "b10"]],
    ["name", "down", ["b10", "b9", "a"]],
    ["steps", "down", ["b10", "a", "b9"]],
    ["state", "up", ["b10", "b9", "a"]],
  ] as const)("by %s, %s", (key, direction, expected) => {
    expect(names(sorted(runs, key, direction))).toEqual(expected);
  });

  test.each(["up", "down"] as const)("runs without a value come last, %s", (direction) => {
    expect(names(sorted(runs, "difference", direction)).at(-1)).toBe("b9");
  });
});

test("a filter finds runs that contain all its words, in name or state", () => {
  expect(names(filtered(runs, "B done"))).toEqual(["b10"]);
  expect(names(filtered(runs, "  "))).toEqual(names(runs));
  expect(filtered(runs, "nothing")).toEqual([]);
});
