/**
 * Fits of symmetric mixtures, p(x) = ⅛ Σ_g q(g x) over the 8 poses g of a patch. By Jensen's
 * inequality, with any probabilities r of the poses,
 *
 *   log p(x) ≥ Σ_g r_g log q(g x) − Σ_g r_g log (8 r_g),
 *
 * with equality for the responsibilities r_g = q(g x) / Σ_h q(h x). So the gradient of log q(g x),
 * for a pose g drawn from the responsibilities, is an unbiased estimate of the gradient of log p(x)
 * (stochastic expectation maximisation). A step costs eight evaluations of log q and one gradient.
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

/** Returns the objective of a phase: the mean log p of a symmetric mixture. */
export function symmetricObjective(
  layout: PatchLayout,
  { seed, probes }: { readonly seed: Seed; readonly probes: FitOptions["probes"] },
  { firstStep, steps, fixedStages }: ObjectivePhase,
): FitObjective {
  const poses = posesOf(layout);
  return async (runner, transform, batch, step) => {
    const found = await evaluatePoses(runner, transform, batch, poses);
    const sound = found.logProb.filter(Number.isFinite);
    const value = meanOf(sound);
    // The parameters of the last step need no gradient.
    if (step === steps) {
      return { gradient: [], value, failedSamples: found.logProb.length - sound.length };
    }
    const random = createRandom(seed, "poses", step);
    const { gradient, failedSamples, estimate } = await uncheckedNegentropyGradient(
      runner,
      transform,
      drawn(found, random, transform.dimension),
      { fixedStages, probes: probesAt(probes, { firstStep, steps }, step) },
    );
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

/** Returns each sample in a pose drawn from its responsibilities. */
function drawn(
  { samples, responsibilities }: EvaluatedPoses,
  random: RandomStream,
  n: number,
): FloatArray {
  const last = responsibilities.length - 1;
  const length = samples.length / responsibilities.length;
  const chosen = samples.slice(0, length);
  for (let s = 0; s * n < length; s++) {
    let left = random.uniform();
    let pose = 0;
    while (pose < last && !(left < responsibilities[pose][s])) {
      left -= responsibilities[pose][s];
      pose++;
    }
    const first = pose * length + s * n;
    chosen.set(samples.subarray(first, first + n), s * n);
  }
  return chosen;
}
