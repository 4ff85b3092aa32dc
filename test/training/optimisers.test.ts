import { describe, expect, test } from "vitest";
import { startOptimiser, stepOptimiser } from "../../src/training/optimisers.js";

describe("Adam", () => {
  test("takes a first step of exactly the rate against the gradient's sign", () => {
    const gradient = Float64Array.of(0.5, -40, 1e-3);
    const [direction] = stepOptimiser(startOptimiser("adam", [gradient]), [gradient]).directions;
    // m̂/√v̂ is ±1 up to the stabilizer, 1e-8 beside 1e-3.
    expect(direction[0]).toBeCloseTo(1, 7);
    expect(direction[1]).toBeCloseTo(-1, 7);
    expect(direction[2]).toBeCloseTo(1, 4);
  });

  test("equals the paper's algorithm 1, written out, over 50 steps", () => {
    let state = startOptimiser("adam", [Float64Array.of(0)]);
    let [m, v] = [0, 0];
    for (let t = 1; t <= 50; t++) {
      const gradient = Math.sin(t) + 0.3;
      m = 0.9 * m + 0.1 * gradient;
      v = 0.999 * v + 0.001 * gradient ** 2;
      const step = m / (1 - 0.9 ** t) / (Math.sqrt(v / (1 - 0.999 ** t)) + 1e-8);
      const next = stepOptimiser(state, [Float64Array.of(gradient)]);
      state = next.state;
      expect(next.directions[0][0]).toBeCloseTo(step, 12);
    }
    expect(state.steps).toBe(50);
  });
});

describe("SGD", () => {
  test("averages the gradients with a weight that falls by a tenth a step", () => {
    let state = startOptimiser("sgd", [Float64Array.of(0)]);
    const gradients = [3, -1, 2, 0.5];
    let direction = 0;
    for (const gradient of gradients) {
      const next = stepOptimiser(state, [Float64Array.of(gradient)]);
      state = next.state;
      direction = next.directions[0][0];
    }
    const wanted = gradients.reduce((sum, g, k) => sum + 0.1 * 0.9 ** (3 - k) * g, 0);
    expect(direction).toBeCloseTo(wanted, 14);
  });
});

test.each(["adam", "sgd"] as const)("%s does not modify the state it starts from", (name) => {
  const gradient = Float64Array.of(1, -2);
  const start = startOptimiser(name, [gradient, gradient]);
  const { state } = stepOptimiser(start, [gradient, gradient]);
  expect(start).toEqual(startOptimiser(name, [gradient, gradient]));
  expect(stepOptimiser(state, [gradient, gradient])).toEqual(
    stepOptimiser(structuredClone(state), [gradient, gradient]),
  );
});
