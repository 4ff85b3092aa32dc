import { describe, expect, test } from "vitest";
import { cascadeGeometry } from "../../src/training/cascade-geometry.js";
import { cascadeWork } from "../../src/training/cascade-work.js";

const steps = 2000;
const workOf = (stages: 1 | 2, greedy?: number) =>
  cascadeWork({ geometry: cascadeGeometry("paper", { stages }), steps, batch: 512, greedy });

describe("the work of a cascade", () => {
  test("is the same for every step of one stage", () => {
    const work = workOf(1, 0.4);
    expect(work(0)).toBe(0);
    expect(work(500) / work(steps)).toBeCloseTo(1 / 4, 12);
  });

  test("is that of the last phase for most of a fit of two stages", () => {
    const work = workOf(2, 0.4);
    // Phases end after 400, 600, 800 and 2,000 steps.
    const perStep = [0, 400, 600, 800].map(
      (first, k, starts) =>
        (work(starts[k + 1] ?? steps) - work(first)) / ((starts[k + 1] ?? steps) - first),
    );
    const [first, narrow, wide, joint] = perStep.map((value) => value / perStep[3]);
    // CPU seconds per step, measured: 0.3, 0.4, 2.9 and 3.1.
    for (const cheap of [first, narrow]) {
      expect(cheap).toBeGreaterThan(0.05);
      expect(cheap).toBeLessThan(0.25);
    }
    expect(wide).toBeGreaterThan(0.7);
    expect(wide).toBeLessThan(1);
    expect(joint).toBe(1);
  });

  test("counts the steps of extensions like those of the last phase", () => {
    const geometry = cascadeGeometry("small", { stages: 2 });
    const work = cascadeWork({ geometry, steps: 300, batch: 64, greedy: 0.4, restarts: [200] });
    expect(work(300) - work(200)).toBeCloseTo(work(200) - work(100), 6);
  });
});
