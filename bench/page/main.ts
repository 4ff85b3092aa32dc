/** The page that the bench opens: the measurements of Node, in a browser. */
import { openRunner } from "../../browser/web-workers.js";
import { type InverseFigures, inverseFigures } from "../inverse.js";
import type { JaxJsMethod } from "../jax-js-step.js";
import type { RoundOptions } from "../measure.js";
import type { Problem } from "../problem.js";
import { stepRate } from "../step-rate.js";

export interface BenchFunctions {
  inverse(dimension: number, milliseconds: number): Promise<InverseFigures>;
  /** Samples per second of a whole gradient step. */
  step(problem: Problem, workers: number, rounds: RoundOptions): Promise<number>;
  /** The same by jax-js. */
  jaxJs(problem: Problem, method: JaxJsMethod, milliseconds: number): Promise<number>;
}

const functions: BenchFunctions = {
  inverse: (dimension, milliseconds) => inverseFigures("simd", dimension, milliseconds),
  async step(problem, workers, rounds) {
    const runner = await openRunner({ kernels: "simd", workers });
    const rate = await stepRate(runner, problem, rounds);
    await runner.close();
    return rate;
  },
  async jaxJs(problem, method, milliseconds) {
    const { jaxJsRate } = await import("../jax-js-step.js");
    return jaxJsRate(problem, method, milliseconds);
  },
};
Object.assign(globalThis, { bench: functions });
