/** Precisions of the transform contract: the specification and the fast kernels. */
import type { TaskRunner } from "../../src/parallel/job.js";
import { float32Epsilon } from "../support/expect-close.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";

export interface Precision {
  readonly name: "Float64" | "Float32";
  readonly runner: TaskRunner;
  /** Machine epsilon. */
  readonly epsilon: number;
  /** Required accuracy of a round trip, relative to max |x|. */
  readonly roundTrip: number;
}

export const precisions: readonly Precision[] = [
  { name: "Float64", runner: referenceRunner, epsilon: Number.EPSILON, roundTrip: 1e-10 },
  { name: "Float32", runner: simdRunner, epsilon: float32Epsilon, roundTrip: 1e-4 },
];
