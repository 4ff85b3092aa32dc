import { describe, expect, it } from "vitest";
import { startAdam, stepAdam } from "../../src/training/adam.js";

describe("Adam", () => {
  it("takes a first step of exactly the rate against the gradient's sign", () => {
    const theta = Float64Array.of(1, -2, 3);
    stepAdam(startAdam([theta]), [theta], [Float64Array.of(0.5, -40, 1e-3)], [0.1]);
    // m̂/√v̂ is ±1 up to the stabilizer, 1e-8 beside 1e-3.
    expect(theta[0]).toBeCloseTo(0.9, 7);
    expect(theta[1]).toBeCloseTo(-1.9, 7);
    expect(theta[2]).toBeCloseTo(2.9, 5);
  });

  it("equals the paper's algorithm 1, written out, over 50 steps", () => {
    const theta = Float64Array.of(0.3);
    let state = startAdam([theta]);
    let [expected, m, v] = [0.3, 0, 0];
    for (let t = 1; t <= 50; t++) {
      const gradient = Math.sin(t) + expected;
      m = 0.9 * m + 0.1 * gradient;
      v = 0.999 * v + 0.001 * gradient ** 2;
      const step = m / (1 - 0.9 ** t) / (Math.sqrt(v / (1 - 0.999 ** t)) + 1e-8);
      state = stepAdam(state, [theta], [Float64Array.of(Math.sin(t) + theta[0])], [0.01]);
      expected -= 0.01 * step;
      expect(theta[0]).toBeCloseTo(expected, 12);
    }
  });

  it("gives each group its own rate", () => {
    const [a, b] = [Float32Array.of(0), Float32Array.of(0)];
    const one = Float32Array.of(1);
    stepAdam(startAdam([a, b]), [a, b], [one, one], [0.1, 0.02]);
    expect(a[0] / b[0]).toBeCloseTo(5, 5);
  });
});
