import { describe, expect, it } from "vitest";
import { jointRate } from "../../bench/mpi.js";

/** Ends of steps that each take so long. */
function stepsOf(start: number, ...durations: readonly number[]): { times: number[] } {
  const times = [start];
  for (const duration of durations) times.push(times[times.length - 1] + duration);
  return { times };
}

const steps = (count: number, seconds: number): number[] => new Array<number>(count).fill(seconds);

describe("jointRate", () => {
  it("is the number of steps of one process by second", () => {
    expect(jointRate([stepsOf(100, ...steps(8, 0.25))])).toBeCloseTo(4, 9);
  });

  it("adds the rates of processes while all of them are at work", () => {
    // Twice as fast before the other begins, and after it has ended.
    const one = stepsOf(0, ...steps(20, 0.1), ...steps(20, 0.2), ...steps(20, 0.1));
    const other = stepsOf(2, ...steps(20, 0.2));
    expect(jointRate([one, other])).toBeCloseTo(10, 9);
  });

  it("counts the part of a step that was done", () => {
    expect(jointRate([stepsOf(0, 0.5, 1, 0.5), stepsOf(1, 0.25, 0.25)])).toBeCloseTo(5, 9);
  });

  it("refuses processes that were never at work together", () => {
    const apart = [stepsOf(0, 1, 1), stepsOf(3, 1, 1)];
    expect(() => jointRate(apart)).toThrow("never at work together");
  });
});
