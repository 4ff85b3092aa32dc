/** What every transform must do, in both precisions. */
import { describe } from "vitest";
import type { TaskRunner } from "../../src/parallel/job.js";
import { float32Epsilon } from "../support/expect-close.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";
import { seed } from "../support/seed.js";
import type { TransformCase } from "../support/transform-cases.js";
import { describeTransformBatches } from "./transform-batches-contract.js";
import { describeTransformDensity } from "./transform-density-contract.js";
import { describeTransformGradients } from "./transform-gradients-contract.js";
import { describeTransformInversion } from "./transform-inversion-contract.js";

export interface Precision {
  readonly name: "Float64" | "Float32";
  readonly runner: TaskRunner;
  /** Machine epsilon. */
  readonly epsilon: number;
  /** Allowed error of x after a round trip, as a part of max |x|: what is wanted, not what rounding would allow. */
  readonly roundTrip: number;
}

export const precisions: readonly Precision[] = [
  { name: "Float64", runner: referenceRunner, epsilon: Number.EPSILON, roundTrip: 1e-10 },
  { name: "Float32", runner: simdRunner, epsilon: float32Epsilon, roundTrip: 1e-4 },
];

export function describeTransformContract(
  name: string,
  makeCases: () => readonly TransformCase[],
): void {
  describe(`${name}, seed ${seed}`, () => {
    const cases = makeCases();
    describeTransformInversion(cases);
    describeTransformDensity(cases);
    describeTransformGradients(cases);
    describeTransformBatches(cases);
  });
}
