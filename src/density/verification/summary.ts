/** The findings of all samples, stage by stage and taken together. */
import { type VerifyTaskResult, flag } from "./job.js";

/** A smallest value and the first sample that has it. */
export interface Extreme {
  readonly value: number;
  readonly sample: number;
}

export interface Observation {
  /**
   * Samples with a Jacobian to look at: in a GDN stage, and within the domain of the stages before
   * it.
   */
  readonly lookedAt: number;
  /** Of I − M by elimination without pivoting; null where no sample was looked at. */
  readonly smallestPivot: Extreme | null;
  /** Of the symmetrised Jacobian ½(J + Jᵀ); null where no sample was looked at. */
  readonly smallestEigenvalue: Extreme | null;
  /** Samples with a pivot that is not positive: they have no density. */
  readonly failedSamples: number;
  /**
   * Samples where the symmetrised Jacobian is not positive definite, which by itself disproves
   * nothing.
   */
  readonly indefiniteSamples: number;
  /**
   * Samples for which a stage has no value: outside of its domain, or beyond the range of Float64.
   */
  readonly outsideSamples: number;
}

/** Of samples (in the order of the tasks) at those of `stageCount` stages that `isWanted`. */
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

/** NaN is nothing that was looked at. */
function smaller(best: Extreme | null, value: number, sample: number): Extreme | null {
  if (Number.isNaN(value) || (best && best.value <= value)) return best;
  return { value, sample };
}
