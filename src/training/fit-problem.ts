/** Judges a fit when it has ended: whether its result may be used. */
import type { AnyTransform } from "../transforms/image-cascade.js";
import type { Transform } from "../transforms/transform.js";
import type { Fit } from "./fit-transform.js";

/** Why the result of a fit is not usable. */
export interface FitProblem {
  readonly kind: "most steps were rejected" | "worse than the start";
  readonly steps: number;
  readonly rejectedSteps: number;
  /**
   * Log-likelihood of the start minus that of the result, in nats per dimension, on the same samples. Positive where the
   * result is worse; NaN where it has no density for some of them.
   */
  readonly loss: number;
  /** Whether these samples are of held-out images; otherwise the fit was trained on them. */
  readonly isHeldOut: boolean;
}

/** A fit, and what is wrong with it. */
export interface JudgedFit<T extends AnyTransform = Transform> {
  /** With a problem: the better one of start and result. */
  readonly fit: Fit<T>;
  readonly problem: FitProblem | null;
}

export interface Judging<T extends AnyTransform> {
  readonly start: T;
  readonly dimension: number;
  readonly isHeldOut: boolean;
  /** Mean log p of the samples to compare on, in nats; not finite where one of them has no density. */
  readonly measure: (transform: T) => Promise<number>;
}

/** Nats per dimension. A smaller loss is what a few steps may cost by chance. */
const leastLoss = 1e-3;

/**
 * Compares the result with the start on the same samples: those of held-out images, or samples of a training step where
 * no image is held out. A fit also fails where more than half of its steps were rejected.
 */
export async function judgeFit<T extends AnyTransform>(
  fit: Fit<T>,
  { start, dimension, isHeldOut, measure }: Judging<T>,
): Promise<JudgedFit<T>> {
  const { steps, rejectedSteps, validated } = fit;
  const before = await measure(start);
  // Where every validation failed, there is no best one, and the result is that of the last step.
  const after = validated ? validated.meanLogProb : isHeldOut ? NaN : await measure(fit.transform);
  const loss = Number.isFinite(after) ? (before - after) / dimension : NaN;
  const isWorse = Number.isNaN(loss) || loss > leastLoss;
  if (!isWorse && 2 * rejectedSteps <= steps) return { fit, problem: null };
  const kind = 2 * rejectedSteps > steps ? "most steps were rejected" : "worse than the start";
  const problem = { kind, steps, rejectedSteps, loss, isHeldOut } as const;
  if (!isWorse) return { fit, problem };
  const ofStart = isHeldOut ? { step: 0, meanLogProb: before } : null;
  return { fit: { ...fit, transform: start, validated: ofStart }, problem };
}

/** Returns one sentence that says what went wrong; `unit` is what a dimension is called. */
export function problemText(problem: FitProblem, unit = "pixel"): string {
  const { kind, steps, rejectedSteps, loss, isHeldOut } = problem;
  const samples = isHeldOut ? "held-out images" : "training samples";
  const result = Number.isNaN(loss)
    ? `${samples} have no density under the result`
    : `the log-likelihood of ${samples} is ${loss.toFixed(3)} nats per ${unit} lower than at the start`;
  if (kind === "worse than the start") return `The fit failed: ${result}.`;
  const rejected = `${rejectedSteps} of ${steps} steps were rejected, because samples had no density after them`;
  return `The fit failed: ${rejected}${loss <= leastLoss ? "" : `; ${result}`}.`;
}
