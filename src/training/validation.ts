/** Validates a fit on held-out samples, keeps the best transform, and decides when to stop. */
import { runBatch } from "../density/batch-passes.js";
import { commonParts, logProbOf } from "../density/induced-density.js";
import { type RankedPasses, samplesOf, sharesOf } from "../density/ranked-passes.js";
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import { checkFields } from "../transforms/checks.js";
import type { FittedTransform } from "../transforms/side-by-side.js";
import type { Transform } from "../transforms/transform.js";
import type { FitTeam } from "./fit-team.js";
import type { Teamwork } from "./negentropy-gradient.js";

/**
 * Returns the mean log p of samples in nats; NaN if one has no density. With `passes`, each rank
 * evaluates a part of them.
 */
export type Measure<T extends FittedTransform = Transform> = (
  runner: TaskRunner,
  transform: T,
  x: FloatArray,
  passes?: RankedPasses,
) => Promise<number>;

export interface ValidationOptions<T extends FittedTransform = Transform> {
  /** Samples, count×N, or other input of `measure`. */
  readonly x: FloatArray;
  /** Default: mean log p of samples. */
  readonly measure?: Measure<T> | undefined;
  /** Steps between two validations. */
  readonly every: number;
  /** Validations in a row without improvement after which the fit stops; default Infinity. */
  readonly patience?: number;
  readonly onValidation?: (step: number, meanLogProb: number) => void;
}

export interface BestSoFar<T extends FittedTransform = Transform> {
  readonly transform: T;
  readonly step: number;
  /** Mean log p of the validation samples, in nats. */
  readonly meanLogProb: number;
  /** Step of the last validation. */
  readonly lookedAt: number;
  /** Validations without improvement since the best one. */
  readonly disappointments: number;
}

/** Validations of a fit, and of each of its extensions. */
const validationsOfFit = 20;
/** Least steps between two validations: early values fluctuate, and would end a fit too soon. */
const leastStepsBetween = 25;

/** Returns the steps between two validations of a fit. */
export function validationInterval(steps: number): number {
  return Math.max(leastStepsBetween, Math.ceil(steps / validationsOfFit));
}

const optionFields = ["x", "measure", "every", "patience", "onValidation"] as const;

export function checkValidation<T extends FittedTransform>(options: ValidationOptions<T>): void {
  checkFields("the validation", options, optionFields);
  const { every, patience = 1 } = options;
  for (const [name, value] of Object.entries({ every, patience })) {
    const isAllowed = Number.isInteger(value) || (name === "patience" && value === Infinity);
    if (!isAllowed || value < 1) {
      throw expected(`validation.${name}`, "be an integer of at least 1", value);
    }
  }
}

export class Validation<T extends FittedTransform> {
  constructor(
    private readonly runner: TaskRunner,
    private readonly options: ValidationOptions<T>,
    private readonly range: { readonly firstStep?: number; readonly steps: number },
    public best: BestSoFar<T> | null,
    private readonly team: Pick<FitTeam, "passes" | "attempt">,
  ) {}

  get isHopeless(): boolean {
    const { patience = Infinity } = this.options;
    return (this.best?.disappointments ?? 0) >= patience;
  }

  /** Validates if the step is due, and was not validated before the fit was interrupted. */
  async look(step: number, transform: T): Promise<void> {
    const { team } = this;
    const { every, x, onValidation } = this.options;
    const { measure = meanLogProbOf as Measure<never> as Measure<T> } = this.options;
    const { firstStep = 0, steps } = this.range;
    const isDue = step > firstStep && (step % every === 0 || step === steps);
    if (!isDue || this.best?.lookedAt === step) return;
    const meanLogProb = await measure(this.runner, transform, x, team.passes);
    // A transform without a density for some sample cannot be the best.
    if (Number.isNaN(meanLogProb) && this.best === null) return;
    await team.attempt(() => onValidation?.(step, meanLogProb));
    if (this.best === null || meanLogProb > this.best.meanLogProb) {
      this.best = { transform, step, meanLogProb, lookedAt: step, disappointments: 0 };
    } else {
      const disappointments = this.best.disappointments + 1;
      this.best = { ...this.best, lookedAt: step, disappointments };
    }
  }
}

/** Returns the mean log p of samples in nats, or NaN if one has no density. */
export async function meanLogProbOf(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  passes?: RankedPasses,
): Promise<number> {
  const values = await logProbsOf(runner, transform, x, passes);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Number.isFinite(mean) ? mean : NaN;
}

/** Returns log p of samples that all ranks have, in nats; NaN for one without a density. */
export function logProbsOf(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  passes?: RankedPasses,
): Promise<Float64Array> {
  if (!passes) return logProbsOfBatch(runner, transform, x);
  const n = transform.dimension;
  const batch = x.length / n;
  const { rank, size } = passes.ranks;
  const { first, end } = samplesOf(sharesOf(batch, size), rank);
  return logProbsOfBatch(runner, transform, x.subarray(first * n, end * n), { passes, batch });
}

interface BatchEvaluation extends Teamwork {
  /** Whether to compute log-determinants without eliminations (kernels.ts); default false. */
  readonly isApproximate?: boolean;
}

/** Like {@link logProbsOf}, but x is this rank's part of the batch. */
export async function logProbsOfBatch(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  { passes, batch: count = 0, isApproximate = false }: BatchEvaluation = {},
): Promise<Float64Array> {
  const request = { pass: "gaussianize", x, wantsY: false, isApproximate } as const;
  const batch = await (passes
    ? passes.run(runner, transform, request, count)
    : runBatch(runner, transform, request));
  const { logDeterminant: ofAll } = commonParts(runner.kernels, transform);
  const [energy, logDeterminant] = [batch.energy, batch.logDeterminant] as Float64Array[];
  const failedStage = batch.failedStage as Int32Array;
  return energy.map((value, s) =>
    failedStage[s] < 0 ? logProbOf(value, logDeterminant[s] + ofAll, transform.dimension) : NaN,
  );
}
