/**
 * A job for workers that checks the Jacobian of every GDN stage at a range of samples, in Float64.
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

/** Findings per sample and stage, count×stages; NaN for stages without a Jacobian to check. */
export interface VerifyTaskResult {
  readonly pivots: Float64Array;
  readonly eigenvalues: Float64Array;
  /** Sums of values of `flag`. */
  readonly flags: Uint8Array;
}

/** Problems of a sample at a stage. */
const flag = {
  /** A pivot of I − M is not positive. */
  failed: 1,
  /** ½(J + Jᵀ) is not positive definite. */
  indefinite: 2,
  /** The stage has no finite value; later stages are skipped. */
  outside: 4,
} as const;

/** Computes y from x and reports findings; returns false if the stage has no finite value. */
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

/** Runs any stage in Float64. */
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

/** Smallest value, and the first sample that has it. */
export interface Extreme {
  readonly value: number;
  readonly sample: number;
}

export interface Observation {
  /** Number of samples with a Jacobian, in the domain of all earlier stages. */
  readonly lookedAt: number;
  /** Smallest pivot of I − M by elimination without pivoting; null if no sample was checked. */
  readonly smallestPivot: Extreme | null;
  /** Smallest eigenvalue of ½(J + Jᵀ); null if no sample was checked. */
  readonly smallestEigenvalue: Extreme | null;
  /** Number of samples with a pivot that is not positive, which have no density. */
  readonly failedSamples: number;
  /** Number of samples where ½(J + Jᵀ) is not positive definite; this alone disproves nothing. */
  readonly indefiniteSamples: number;
  /** Number of samples outside the domain of a stage or beyond the range of Float64. */
  readonly outsideSamples: number;
}

/** Summarises samples, in the order of the tasks, at the wanted stages of `stageCount`. */
export function summarize(
  parts: readonly VerifyTaskResult[],
  stageCount: number,
  isWanted: (stage: number) => boolean,
): Observation {
  let smallestPivot: Extreme | null = null;
  let smallestEigenvalue: Extreme | null = null;
  const counts = { lookedAt: 0, failed: 0, indefinite: 0, outside: 0 };
  let sample = 0;
  for (const { pivots, eigenvalues, flags } of parts) {
    for (let first = 0; first < flags.length; first += stageCount, sample++) {
      let [flagged, wasSeen] = [0, false];
      for (let k = 0; k < stageCount; k++) {
        if (!isWanted(k)) continue;
        flagged |= flags[first + k];
        wasSeen ||= !Number.isNaN(pivots[first + k]);
        smallestPivot = smaller(smallestPivot, pivots[first + k], sample);
        smallestEigenvalue = smaller(smallestEigenvalue, eigenvalues[first + k], sample);
      }
      if (wasSeen) counts.lookedAt++;
      if (flagged & flag.failed) counts.failed++;
      if (flagged & flag.indefinite) counts.indefinite++;
      if (flagged & flag.outside) counts.outside++;
    }
  }
  return {
    lookedAt: counts.lookedAt,
    smallestPivot,
    smallestEigenvalue,
    failedSamples: counts.failed,
    indefiniteSamples: counts.indefinite,
    outsideSamples: counts.outside,
  };
}

/** Returns the smaller value; NaN means that there was nothing to check. */
function smaller(best: Extreme | null, value: number, sample: number): Extreme | null {
  if (Number.isNaN(value) || (best && best.value <= value)) return best;
  return { value, sample };
}
