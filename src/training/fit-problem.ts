/** Judges whether the result of a fit is usable. */
import type { FittedTransform } from "../transforms/side-by-side.js";
import type { Transform } from "../transforms/transform.js";
import { errorOfMean, meanOf } from "../numbers/means.js";
import { short, thousands } from "../density/verification/sentences.js";
import type { Fit } from "./fit-records.js";

/** Reason why the result of a fit is not usable. */
export interface FitProblem {
  readonly kind: "no step is possible" | "most steps were rejected" | "worse than the start";
  readonly steps: number;
  readonly rejectedSteps: number;
  /**
   * Log-likelihood of the start minus that of the result, in nats per dimension, on the same
   * samples. Positive if the result is worse; NaN if it has no density for some samples; −∞ if only
   * the start has none.
   */
  readonly loss: number;
  /** Whether these samples come from held-out images, not from training images. */
  readonly isHeldOut: boolean;
  /** Whether the start is the finished model of a fit that was extended. */
  readonly isExtension: boolean;
}

export interface JudgedFit<T extends FittedTransform = Transform> {
  /** With a problem: the better of start and result. */
  readonly fit: Fit<T>;
  readonly problem: FitProblem | null;
}

export interface Judging<T extends FittedTransform> {
  readonly start: T;
  readonly dimension: number;
  readonly isHeldOut: boolean;
  readonly isExtension?: boolean;
  /** Whether the fit ended because no further step was possible; default false. */
  readonly isLost?: boolean;
  /**
   * Measures log p in nats for a transform, not finite without a density: one function for each
   * part of the samples. The first part suffices for a result that is clearly better.
   */
  readonly parts: readonly ((transform: T) => Promise<ArrayLike<number>>)[];
}

/** Least loss of a failed fit, in nats per dimension; a smaller one may be chance. */
const leastLoss = 1e-3;
/** Standard errors by which a clearly better result exceeds the start. */
const clearErrors = 6;

/**
 * Compares the result with the start on samples of held-out images, or on training samples if no
 * image is held out. A fit also fails if more than half of its steps were rejected.
 */
export async function judgeFit<T extends FittedTransform>(
  fit: Fit<T>,
  judging: Judging<T>,
): Promise<JudgedFit<T>> {
  const { start, dimension, isHeldOut, isExtension = false, isLost = false } = judging;
  const { steps, rejectedSteps } = fit;
  const areMostRejected = 2 * rejectedSteps > steps;
  const { before, after } = await compare(fit, judging, isLost || areMostRejected);
  const loss = lossOf(before, after) / dimension;
  const isWorse = Number.isNaN(loss) || loss > leastLoss;
  if (!isWorse && !isLost && !areMostRejected) return { fit, problem: null };
  const kind = isLost
    ? "no step is possible"
    : areMostRejected
      ? "most steps were rejected"
      : "worse than the start";
  const problem = { kind, steps, rejectedSteps, loss, isHeldOut, isExtension } as const;
  if (!isWorse) return { fit, problem };
  const ofStart = isHeldOut ? { step: 0, meanLogProb: before } : null;
  return { fit: { ...fit, transform: start, validated: ofStart }, problem };
}

/** Returns the mean log p of start and result, in nats; of all parts if that is asked for. */
async function compare<T extends FittedTransform>(
  { transform, validated }: Fit<T>,
  { start, isHeldOut, parts }: Judging<T>,
  needsAll: boolean,
): Promise<{ readonly before: number; readonly after: number }> {
  let before: number[] = [];
  let after: number[] = [];
  for (const measure of parts) {
    before = before.concat(Array.from(await measure(start)));
    if (isHeldOut) continue;
    after = after.concat(Array.from(await measure(transform)));
    const gains = after.map((value, s) => value - before[s]);
    if (!needsAll && meanOf(gains) > clearErrors * errorOfMean(gains)) break;
  }
  // If every validation failed, there is no best one, and the result is that of the last step.
  return {
    before: meanOf(before),
    after: isHeldOut ? (validated?.meanLogProb ?? NaN) : meanOf(after),
  };
}

/** Returns −∞ for a result with a density if the start has none. */
function lossOf(before: number, after: number): number {
  if (!Number.isFinite(after)) return NaN;
  return Number.isFinite(before) ? before - after : -Infinity;
}

/** Describes a problem in one sentence; `unit` is the name of a dimension. */
export function problemText(problem: FitProblem, unit = "pixel"): string {
  const { kind, steps, rejectedSteps, loss, isHeldOut, isExtension } = problem;
  if (kind === "no step is possible") return lostText(steps);
  const start = isExtension ? "before the extension" : "at the start";
  const samples = isHeldOut ? "held-out images" : "training samples";
  const result = Number.isNaN(loss)
    ? `${samples} have no density under the result`
    : `the log-likelihood of ${samples} is ${decimal(loss)} nats per ${unit} lower than ${start}`;
  if (kind === "worse than the start") return `The fit failed: ${result}.`;
  const rejected = `${thousands(rejectedSteps)} of ${thousands(steps)} steps were rejected, because samples had no density after them`;
  return `The fit failed: ${rejected}${loss <= leastLoss ? "" : `; ${result}`}.`;
}

/** Describes a fit that ended because every next step leaves samples without a density. */
export function lostText(steps: number): string {
  const count = `${thousands(steps)} step${steps === 1 ? "" : "s"}`;
  return `The fit failed after ${count}: samples have no density, however small the next step.`;
}

/** Formats a number with three digits, or as an integer from 100. */
function decimal(value: number): string {
  return Math.abs(value) < 100 ? short(value) : thousands(Math.round(value));
}
