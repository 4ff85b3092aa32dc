import { describe, expect, test } from "vitest";
import { type FitProblem, judgeFit, problemText } from "../../src/training/fit-problem.js";
import { affine } from "../../src/transforms/affine.js";

const transformOf = (scale: number) =>
  affine({ dimension: 1, scale: Float32Array.of(scale), shift: Float32Array.of(0) });
const [start, result] = [transformOf(1), transformOf(2)];
const fit = { transform: result, rejectedSteps: 0, history: [], steps: 9, validated: null };

const judged = (before: number, after: number, isLost = false) =>
  judgeFit(fit, {
    start,
    dimension: 1,
    isHeldOut: false,
    isLost,
    parts: [(transform) => Promise.resolve([transform === start ? before : after])],
  });

/** Judges a result that gains `first` and `rest` nats on two parts; returns the parts measured. */
async function measuredParts(first: number[], rest: number[], rejectedSteps = 0) {
  const measured: number[] = [];
  const { problem } = await judgeFit(
    { ...fit, rejectedSteps },
    {
      start,
      dimension: 1,
      isHeldOut: false,
      parts: [first, rest].map((gains, part) => (transform) => {
        if (transform === result) measured.push(part);
        return Promise.resolve(gains.map((gain, s) => (transform === result ? gain : 0) - s));
      }),
    },
  );
  return { measured, problem: problem?.kind };
}

describe("the result of a fit", () => {
  test("is usable if it has a density and the start has none", async () => {
    for (const before of [NaN, -Infinity]) {
      expect(await judged(before, -3)).toEqual({ fit, problem: null });
    }
  });

  test("fails if it is worse or has no density, and returns the start", async () => {
    for (const after of [-3, NaN]) {
      const { fit: kept, problem } = await judged(-2, after);
      expect([kept.transform, problem?.kind]).toEqual([start, "worse than the start"]);
    }
  });

  test("is compared on the first samples alone if it is clearly better there", async () => {
    expect(await measuredParts([3, 3.1, 2.9, 3], [NaN])).toEqual({ measured: [0] });
  });

  test("is compared on all samples if the first ones leave doubt", async () => {
    const worse = { measured: [0, 1], problem: "worse than the start" };
    expect(await measuredParts([3, -2, 4, -3], [-9])).toEqual(worse);
    expect(await measuredParts([3, NaN, 3, 3], [3])).toEqual(worse);
    expect(await measuredParts([0, 0, 0, 0], [0])).toEqual({ measured: [0, 1] });
  });

  test("is compared on all samples if most steps were rejected", async () => {
    const { measured, problem } = await measuredParts([3, 3.1, 2.9, 3], [3], 8);
    expect([measured, problem]).toEqual([[0, 1], "most steps were rejected"]);
  });

  test("fails if no step was possible, but keeps a result better than the start", async () => {
    const { fit: kept, problem } = await judged(-3, -2, true);
    expect([kept.transform, problem?.kind]).toEqual([result, "no step is possible"]);
  });
});

describe("the sentence about a failed fit", () => {
  const problem: FitProblem = {
    kind: "worse than the start",
    steps: 2000,
    rejectedSteps: 0,
    loss: 12_345.678,
    isHeldOut: true,
    isExtension: false,
  };

  test("formats numbers with few digits", () => {
    expect(problemText(problem)).toBe(
      "The fit failed: the log-likelihood of held-out images is 12,346 nats per pixel lower than at the start.",
    );
    expect(problemText({ ...problem, loss: 0.123456 })).toContain("is 0.123 nats");
  });

  test("names what an extension was compared with", () => {
    expect(problemText({ ...problem, isExtension: true })).toContain("than before the extension.");
  });

  test("says after how many steps no further one was possible", () => {
    expect(problemText({ ...problem, kind: "no step is possible" })).toBe(
      "The fit failed after 2,000 steps: samples have no density, however small the next step.",
    );
  });
});
