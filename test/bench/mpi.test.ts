import { describe, expect, it } from "vitest";
import { bestStepRate } from "../../bench/mpi.js";

/** Ends of steps that each take so long. */
function stepsOf(start: number, ...durations: readonly number[]): number[] {
  const times = [start];
  for (const duration of durations) times.push(times[times.length - 1] + duration);
  return times;
}

const steps = (count: number, seconds: number): number[] => new Array<number>(count).fill(seconds);

describe("bestStepRate", () => {
  it("is the rate of one process in its best second", () => {
    const times = stepsOf(100, ...steps(5, 0.5), ...steps(8, 0.25), ...steps(5, 0.5));
    expect(bestStepRate([times])).toBeCloseTo(4, 9);
  });

  it("adds the rates of processes while all of them are at work", () => {
    // Twice as fast before the other begins, and after it has ended.
    const one = stepsOf(0, ...steps(20, 0.1), ...steps(20, 0.2), ...steps(20, 0.1));
    const other = stepsOf(2, ...steps(20, 0.2));
    expect(bestStepRate([one, other])).toBeCloseTo(10, 9);
  });

  it("takes what there is where they meet for less than a second", () => {
    expect(bestStepRate([stepsOf(0, 0.5, 0.5), stepsOf(0.5, 0.25, 0.25)])).toBeCloseTo(6, 9);
  });

  it("refuses processes that were never at work together", () => {
    const apart = [stepsOf(0, 1, 1), stepsOf(3, 1, 1)];
    expect(() => bestStepRate(apart)).toThrow("never at work together");
  });
});
