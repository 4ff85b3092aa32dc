/**
 * Looks at the Jacobian of every GDN stage at a run of samples, as a job for workers: in Float64,
 * whatever the kernels.
 */
import type { FloatArray, SampleResults } from "../../kernels/kernels.js";
import { referenceKernels } from "../../kernels/reference/index.js";
import { multiply } from "../../kernels/reference/matrix.js";
import type { Job } from "../../parallel/job.js";
import { spreadOverEntries } from "../../transforms/gdn-structures.js";
import { openOperator } from "../../transforms/stage-kinds.js";
import type { Stage } from "../../transforms/transform.js";
import { type JacobianFindings, JacobianProbe } from "./jacobian.js";

export interface VerifyShared {
  readonly stages: readonly Stage[];
}

export interface VerifyTask {
  /** count×N */
  readonly x: FloatArray;
}

/**
 * Of every sample at every stage, count×stages; pivots and eigenvalues are NaN where there is
 * nothing to look at.
 */
export interface VerifyTaskResult {
  readonly pivots: Float64Array;
  readonly eigenvalues: Float64Array;
  /** Sums of the numbers below. */
  readonly flags: Uint8Array;
}

/** What may be wrong with a sample at a stage. */
export const flag = {
  /** A pivot of I − M is not positive. */
  failed: 1,
  /** ½(J + Jᵀ) is not positive definite. */
  indefinite: 2,
  /** The stage has no finite value for it; it goes no further. */
  outside: 4,
} as const;

/** Fills y from x; false where the stage has no finite value. What it finds is told to `found`. */
type Step = (
  x: Float64Array,
  y: Float64Array,
  found: (findings: JacobianFindings) => void,
) => boolean;

export const verifyJob: Job<VerifyShared, VerifyTask, VerifyTaskResult> = {
  name: "verify",
  open() {
    let steps: readonly Step[] = [];
    let dimension = 0;
    return {
      share({ stages }) {
        steps = stages.map(stepOf);
        dimension = stages[0].dimension;
      },
      perform({ x }) {
        const result = lookAtSamples(steps, x, dimension);
        const arrays = [result.pivots, result.eigenvalues, result.flags];
        return { result, transfer: arrays.map(({ buffer }) => buffer as ArrayBuffer) };
      },
    };
  },
};

function lookAtSamples(steps: readonly Step[], x: FloatArray, n: number): VerifyTaskResult {
  const length = (x.length / n) * steps.length;
  const pivots = new Float64Array(length).fill(NaN);
  const eigenvalues = new Float64Array(length).fill(NaN);
  const flags = new Uint8Array(length);
  let [input, output] = [new Float64Array(n), new Float64Array(n)];
  for (let s = 0; s < x.length / n; s++) {
    input.set(x.subarray(s * n, (s + 1) * n));
    for (let k = 0; k < steps.length; k++) {
      const index = s * steps.length + k;
      const isInside = steps[k](input, output, (findings) => {
        pivots[index] = findings.smallestPivot;
        eigenvalues[index] = findings.smallestEigenvalue;
        if (!(findings.smallestPivot > 0)) flags[index] |= flag.failed;
        if (!findings.isDefinite) flags[index] |= flag.indefinite;
      });
      if (!isInside) {
        flags[index] |= flag.outside;
        break;
      }
      [input, output] = [output, input];
    }
  }
  return { pivots, eigenvalues, flags };
}

function stepOf(stage: Stage): Step {
  if (stage.kind === "gdn") {
    return gdnStep(new JacobianProbe(spreadOverEntries(stage)), stage.H, stage.dimension);
  }
  if (stage.kind !== "linear") return operatorStep(stage);
  return (x, y) => {
    mix(stage.H, x, y);
    return true;
  };
}

function gdnStep(probe: JacobianProbe, H: FloatArray | null, n: number): Step {
  const mixed = new Float64Array(n);
  return (x, y, found) => {
    if (H) mix(H, x, mixed);
    const findings = probe.look(H ? mixed : x, y);
    if (findings) found(findings);
    return findings !== null;
  };
}

/** y = H x in Float64. */
function mix(H: FloatArray, x: Float64Array, y: Float64Array): void {
  multiply(H, x, y, { rows: x.length, inner: x.length, columns: 1 });
}

/** Stages without a probe or a faster way, in Float64. */
function operatorStep(stage: Stage): Step {
  const leaves = { leafSize: 1, maximumLeaves: 1 };
  const operator = openOperator(referenceKernels, stage, leaves);
  const failedPivot = new Int32Array(1);
  const unread = { logDeterminant: new Float64Array(1), energy: new Float64Array(1) };
  return (x, y) => {
    const results: SampleResults = { y, ...unread, failedPivot };
    operator.gaussianize(x, 1, results);
    return failedPivot[0] < 0;
  };
}
