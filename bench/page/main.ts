/** The page that the bench opens: the measurements of Node, in a browser. */
import { openRunner } from "../../browser/web-workers.js";
import { type InverseFigures, inverseFigures } from "../inverse.js";
import type { JaxJsMethod } from "../jax-js-step.js";
import type { RoundOptions } from "../measure.js";
import type { Problem } from "../problem.js";
import { stepRate, stepsFor } from "../step-rate.js";

export interface BenchFunctions {
  inverse(dimension: number, milliseconds: number): Promise<InverseFigures>;
  /** Samples per second of a whole gradient step. */
  step(problem: Problem, workers: number, rounds: RoundOptions): Promise<number>;
  /** Computes steps with one worker, or by jax-js; returns the number of samples. */
  steps(problem: Problem, milliseconds: number): Promise<number>;
  jaxJsSteps(problem: Problem, method: JaxJsMethod, milliseconds: number): Promise<number>;
}

const functions: BenchFunctions = {
  inverse: (dimension, milliseconds) => inverseFigures("simd", dimension, milliseconds),
  async step(problem, workers, rounds) {
    const runner = await openRunner({ kernels: "simd", workers });
    const rate = await stepRate(runner, problem, rounds);
    await runner.close();
    return rate;
  },
  async steps(problem, milliseconds) {
    const runner = await openRunner({ kernels: "simd", workers: 1 });
    const samples = await stepsFor(runner, problem, milliseconds);
    await runner.close();
    return samples;
  },
  async jaxJsSteps(problem, method, milliseconds) {
    const { jaxJsSteps } = await import("../jax-js-step.js");
    return jaxJsSteps(problem, method, milliseconds);
  },
};
Object.assign(globalThis, { bench: functions });
