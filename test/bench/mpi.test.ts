import { describe, expect, test } from "vitest";
import { jointRate, rateInStep } from "../../bench/mpi.js";

/** Ends of steps that each take so long. */
function stepsOf(start: number, ...durations: readonly number[]): { times: number[] } {
  const times = [start];
  for (const duration of durations) times.push(times[times.length - 1] + duration);
  return { times };
}

const steps = (count: number, seconds: number): number[] => new Array<number>(count).fill(seconds);

describe("jointRate", () => {
  test("is the number of steps per second for one process", () => {
    expect(jointRate([stepsOf(100, ...steps(8, 0.25))])).toBeCloseTo(4, 9);
  });

  test("adds the rates of processes while all of them run", () => {
    // Twice as fast before the other begins, and after it has ended.
    const one = stepsOf(0, ...steps(20, 0.1), ...steps(20, 0.2), ...steps(20, 0.1));
    const other = stepsOf(2, ...steps(20, 0.2));
    expect(jointRate([one, other])).toBeCloseTo(10, 9);
  });

  test("counts fractions of steps", () => {
    expect(jointRate([stepsOf(0, 0.5, 1, 0.5), stepsOf(1, 0.25, 0.25)])).toBeCloseTo(5, 9);
  });

  test("rejects processes that never ran at the same time", () => {
    const apart = [stepsOf(0, 1, 1), stepsOf(3, 1, 1)];
    expect(() => jointRate(apart)).toThrow("never at work together");
  });
});

describe("rateInStep", () => {
  test("takes the time of the slowest process for each step", () => {
    const processes = [stepsOf(5, 0.25, 0.5, 0.25), stepsOf(7, 0.5, 0.25, 0.25)];
    expect(rateInStep(processes)).toBeCloseTo(3 / 1.25, 9);
    expect(rateInStep(processes.slice(0, 1))).toBeCloseTo(3, 9);
  });
});
