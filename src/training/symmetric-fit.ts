/**
 * Fits of symmetric mixtures, p(x) = ⅛ Σ_g q(g x) over the 8 poses g of a patch. By Jensen's
 * inequality, with any probabilities r of the poses,
 *
 *   log p(x) ≥ Σ_g r_g log q(g x) − Σ_g r_g log (8 r_g),
 *
 * with equality for the responsibilities r_g = q(g x) / Σ_h q(h x). So the gradient of log q(g x),
 * for a pose g drawn from the responsibilities, is an unbiased estimate of the gradient of log p(x)
 * (stochastic expectation maximisation). A step evaluates log q for all poses and computes one
 * gradient.
 *
 * For a stack of layers, these evaluations would take most of the time. So the first
 * layer is fitted alone, its responsibilities give the poses for most steps of the stack, and the
 * steps raise the bound above, which is tight to the extent that both densities agree on the poses.
 * In the last steps, the poses come from the stack.
 */
import { LogSum } from "../density/mixtures/log-sum.js";
import { type Pose, poseCount, poseOf, posed } from "../density/mixtures/poses.js";
import { concatenated } from "../kernels/concatenated.js";
import type { FloatArray } from "../kernels/kernels.js";
import { portableLog } from "../numbers/logarithm.js";
import { meanOf } from "../numbers/means.js";
import type { TaskRunner } from "../parallel/job.js";
import type { PatchLayout } from "../patches/patch-layout.js";
import { type RandomStream, type Seed, createRandom } from "../random/random-stream.js";
import type { Transform } from "../transforms/transform.js";
import type { ObjectivePhase } from "./fit-layers.js";
import type { FitObjective, FitOptions } from "./fit-records.js";
import { probesAt } from "./gradient-kind.js";
import { uncheckedNegentropyGradient } from "./negentropy-gradient.js";
import { type Measure, logProbsOfBatch } from "./validation.js";

/** Fraction of the steps of a stack that fit its first layer alone. */
export const aloneShare = 0.25;
/** Fraction of the other steps whose poses come from the first layer. */
const guidedShare = 0.85;

/** Parameters of the objective that do not depend on the phase. */
export interface SymmetricFit {
  readonly layout: PatchLayout;
  readonly seed: Seed;
  readonly probes: FitOptions["probes"];
}

/**
 * Returns the objective of a phase: the mean log p of a symmetric mixture. With `firstLayer`, poses
 * of the first steps come from it, and the value is an estimate of the bound.
 */
export function symmetricObjective(
  { layout, seed, probes }: SymmetricFit,
  { firstStep, steps, fixedStages }: ObjectivePhase,
  firstLayer: Transform | null,
): FitObjective {
  const poses = posesOf(layout);
  const lastGuided = firstLayer ? firstStep + Math.floor(guidedShare * (steps - firstStep)) : 0;
  return async (runner, transform, batch, step) => {
    const guide = step < lastGuided ? firstLayer : null;
    const found = await evaluatePoses(runner, guide ?? transform, batch, poses);
    const sound = found.logProb.filter(Number.isFinite);
    // The parameters of the last step need no gradient.
    if (step === steps) {
      const failedSamples = found.logProb.length - sound.length;
      return { gradient: [], value: meanOf(sound), failedSamples };
    }
    const random = createRandom(seed, "poses", step);
    const { x, meanLogShare } = drawn(found, random, transform.dimension);
    const { gradient, failedSamples, meanLogProb, estimate } = await uncheckedNegentropyGradient(
      runner,
      transform,
      x,
      { fixedStages, probes: probesAt(probes, { firstStep, steps }, step) },
    );
    const bound = meanLogProb - portableLog(poseCount) - meanLogShare;
    const value = guide ? bound : meanOf(sound);
    return { gradient, value, failedSamples, ...(estimate && { estimate }) };
  };
}

/** Returns the mean log p of samples under a symmetric mixture; NaN if one has no density. */
export function symmetricMeasure(layout: PatchLayout): Measure {
  const poses = posesOf(layout);
  return async (runner, transform, x) => {
    const mean = meanOf((await evaluatePoses(runner, transform, x, poses)).logProb);
    return Number.isFinite(mean) ? mean : NaN;
  };
}

function posesOf({ size, removeMean }: PatchLayout): readonly Pose[] {
  return Array.from({ length: poseCount }, (_, k) => poseOf(size, removeMean, k));
}

interface EvaluatedPoses {
  /** The samples in each pose, poses×count×N. */
  readonly samples: FloatArray;
  /** Probability of each pose of each sample, given the sample. */
  readonly responsibilities: readonly Float64Array[];
  /** log p of each sample; NaN if no pose has a density. */
  readonly logProb: Float64Array;
}

async function evaluatePoses(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  poses: readonly Pose[],
): Promise<EvaluatedPoses> {
  const n = transform.dimension;
  const count = x.length / n;
  const samples = concatenated(
    x.constructor as new (length: number) => FloatArray,
    poses.map((pose) => posed(x, pose)),
  );
  const values = await logProbsOfBatch(runner, transform, samples);
  const logWeight = -portableLog(poses.length);
  const terms = poses.map((_, k) =>
    values.subarray(k * count, (k + 1) * count).map((value) => logWeight + value),
  );
  const sums = new LogSum(count, n, false);
  for (const ofPose of terms) sums.add(ofPose, null);
  const responsibilities = terms.map((ofPose) => sums.responsibilities(ofPose));
  return { samples, responsibilities, logProb: sums.logProb() };
}

/**
 * Draws a pose of each sample from its responsibilities, or from all poses alike where none has a
 * density. Returns the mean of the logarithms of these probabilities as well.
 */
function drawn({ samples, responsibilities }: EvaluatedPoses, random: RandomStream, n: number) {
  const length = samples.length / poseCount;
  const x = samples.slice(0, length);
  let sum = 0;
  for (let s = 0; s * n < length; s++) {
    const { pose, share } = poseAt(responsibilities, s, random.uniform());
    sum += portableLog(share);
    const first = pose * length + s * n;
    x.set(samples.subarray(first, first + n), s * n);
  }
  return { x, meanLogShare: (sum * n) / length };
}

/** Returns the pose at a place u of the distribution, from 0 to 1, and its probability. */
function poseAt(responsibilities: readonly Float64Array[], s: number, u: number) {
  let [pose, below] = [-1, 0];
  for (let k = 0; k < poseCount; k++) {
    const share = responsibilities[k][s];
    // The sum may round to less than 1: then it is the last pose that is possible.
    if (share > 0 && below <= u) pose = k;
    below += share;
  }
  if (pose >= 0) return { pose, share: responsibilities[pose][s] };
  return { pose: Math.floor(u * poseCount), share: 1 / poseCount };
}
