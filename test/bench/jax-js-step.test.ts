import { describe, expect, test } from "vitest";
import {
  type JaxJsGradient,
  jaxJsMethods,
  jaxJsSteps,
  jaxJsStep,
} from "../../bench/jax-js-step.js";
import { batchFor, layerFor, problems } from "../../bench/problem.js";
import { uncheckedNegentropyGradient } from "../../src/training/negentropy-gradient.js";
import { simdRunner } from "../support/inline-runners.js";

describe("the step of jax-js", () => {
  const size = { dimension: 12, batch: 5 };

  test.each(jaxJsMethods)("has our gradient, by %s", async (method) => {
    const layer = layerFor({ ...size, structure: "column" });
    const { gradient } = await uncheckedNegentropyGradient(simdRunner, layer, batchFor(size));
    const theirs = await (await jaxJsStep(size, method))();
    for (const name of ["H", "alpha", "beta", "gamma", "epsilon"] as const) {
      const values = await valuesOf(theirs, name);
      const expected = Array.from(gradient[0][name]);
      expect(values).toHaveLength(expected.length);
      const largest = Math.max(...expected.map(Math.abs));
      // Float32, and sums of a few hundred terms.
      for (const [k, value] of values.entries()) {
        expect(Math.abs(value - expected[k])).toBeLessThan(2e-5 * largest);
      }
    }
  });

  test("is computed at least once; the samples are counted", async () => {
    const problem = { ...problems[0], ...size };
    expect(await jaxJsSteps(problem, "autodiff", 0)).toBe(5);
    expect((await jaxJsSteps(problem, "inverse", 50)) % 5).toBe(0);
  });
});

async function valuesOf(gradient: JaxJsGradient, name: keyof JaxJsGradient): Promise<number[]> {
  return Array.from((await gradient[name].data()) as Float32Array);
}
