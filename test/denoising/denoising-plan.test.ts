import { describe, expect, test } from "vitest";
import { planOf, timesOf, totalTime } from "../../src/denoising/denoising-plan.js";

const grey = { level: 25, size: 8 };

describe("planOf", () => {
  test("takes longer from preset to preset", () => {
    const presets = ["fast", "default", "best"] as const;
    const [fast, usual, best] = presets.map((preset) => totalTime(planOf({ preset }, grey)));
    expect(usual).toBeGreaterThan(1.5 * fast);
    expect(best).toBeGreaterThan(2 * usual);
  });

  test("has one round for little noise, with a model and for other methods", () => {
    const single = { first: 2, guided: [], similar: null };
    expect(planOf({}, { ...grey, level: 3 })).toEqual(single);
    expect(planOf({ method: "ica-mg" }, grey)).toEqual(single);
    expect(planOf({ rounds: 1 }, { ...grey, size: 12 })).toEqual({ ...single, first: 3 });
    expect(planOf({ rounds: 1, stride: 20 }, grey)).toEqual({ ...single, first: 8 });
  });

  test("has the rounds and the last stride that were asked for", () => {
    expect(planOf({ rounds: 2 }, grey)).toMatchObject({ similar: null });
    expect(planOf({ rounds: 2 }, grey).guided).toHaveLength(1);
    expect(planOf({ rounds: 4 }, grey).guided).toHaveLength(3);
    expect(planOf({ rounds: 4 }, grey).similar).not.toBeNull();
    expect(planOf({ stride: 5 }, grey).guided).toEqual([5, 5]);
    expect(planOf({ stride: 1 }, grey).guided.at(-1)).toBe(1);
    expect(planOf({ selfSimilar: false }, grey).similar).toBeNull();
    expect(planOf({ rounds: 2, selfSimilar: true }, grey).similar).not.toBeNull();
  });
});

test("the time of a plan is that of its parts", () => {
  const plan = planOf({}, grey);
  const { first, guided, similar } = timesOf(plan);
  expect(totalTime(plan)).toBe(first + guided + similar);
  expect(timesOf({ ...plan, guided: [], similar: null })).toMatchObject({ guided: 0, similar: 0 });
});
