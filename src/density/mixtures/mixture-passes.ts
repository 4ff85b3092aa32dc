/**
 * Passes of a mixture, p(x) = Σ_l w_l q_l(g_l x) over its leaves (leaves.ts):
 *
 *   log p(x)   by log-sum-exp
 *   ∇ log p(x) = Σ_l r_l g_lᵀ ∇ log q_l(g_l x),   r_l = w_l q_l(g_l x) / p(x)
 *
 * A sample without a density under one leaf gets the sum over the other leaves. It is an error only
 * if no leaf has a density there.
 *
 * Cost: that of one pass per leaf; a pose costs as much as a component.
 */
import { GaussianizeError } from "../../errors.js";
import type { FloatArray } from "../../kernels/kernels.js";
import type { TaskRunner } from "../../parallel/job.js";
import { checkBatch } from "../../transforms/checks.js";
import { type BatchOptions, checkCall } from "../batch-passes.js";
import { type Scored, failureOf, trySamples } from "../induced-density.js";
import { type MixtureLeaf, leavesOf } from "./leaves.js";
import { LogSum } from "./log-sum.js";
import { type AnyMixture, requireMixture } from "./mixture.js";
import { backFromPose, posed } from "./poses.js";

/** Returns log p(x) of each sample, in nats. */
export async function mixtureLogProb(
  runner: TaskRunner,
  mixture: AnyMixture,
  x: FloatArray,
  options?: BatchOptions,
): Promise<Float64Array> {
  const { sums, failure } = await addLeaves(runner, mixture, x, false, options);
  return requireDensities(sums.logProb(), failure);
}

/** Returns log p(x) of each sample; NaN for a sample without a density. */
export async function mixtureLogProbOrNaN(
  runner: TaskRunner,
  mixture: AnyMixture,
  x: FloatArray,
  options?: BatchOptions,
): Promise<Float64Array> {
  return (await addLeaves(runner, mixture, x, false, options)).sums.logProb();
}

/** Returns log p(x) and its gradient by x. */
export async function mixtureScore(
  runner: TaskRunner,
  mixture: AnyMixture,
  x: FloatArray,
  options?: BatchOptions,
): Promise<Scored> {
  const { sums, failure } = await addLeaves(runner, mixture, x, true, options);
  const logProb = requireDensities(sums.logProb(), failure);
  const score = runner.kernels.floats(x.length);
  sums.writeScore(score);
  return { logProb, score };
}

/** Returns r_l of each sample, count × leaves, in the order of `leavesOf`; a row sums to 1. */
export async function mixtureResponsibilities(
  runner: TaskRunner,
  mixture: AnyMixture,
  x: FloatArray,
  options?: BatchOptions,
): Promise<Float64Array> {
  const ofLeaves: Float64Array[] = [];
  const { sums, failure } = await addLeaves(runner, mixture, x, false, options, (terms) =>
    ofLeaves.push(terms),
  );
  requireDensities(sums.logProb(), failure);
  const shares = ofLeaves.map((terms) => sums.responsibilities(terms));
  const count = x.length / mixture.dimension;
  const rows = new Float64Array(count * shares.length);
  shares.forEach((values, l) => {
    for (let s = 0; s < count; s++) rows[s * shares.length + l] = values[s];
  });
  return rows;
}

interface LeafSums {
  readonly sums: LogSum;
  /** Says why a sample has no density under the first leaf. */
  readonly failure: (sample: number) => string;
}

async function addLeaves(
  runner: TaskRunner,
  given: AnyMixture,
  x: FloatArray,
  wantsScore: boolean,
  options?: BatchOptions,
  onTerms?: (terms: Float64Array) => void,
): Promise<LeafSums> {
  checkCall(runner, options);
  const mixture = requireMixture(given);
  const count = checkBatch(x, mixture.dimension);
  const leaves = leavesOf(mixture);
  const sums = new LogSum(count, mixture.dimension, wantsScore);
  let failure: LeafSums["failure"] = () => "";
  for (const [l, leaf] of leaves.entries()) {
    const found = await passOf(runner, leaf, x, wantsScore, partOf(options, l, leaves.length));
    sums.add(found.terms, found.gradient);
    onTerms?.(found.terms);
    if (l === 0) failure = found.failure;
  }
  return { sums, failure };
}

/** Returns options that report the progress of one of several passes over the same samples. */
export function partOf(
  { signal, onProgress }: BatchOptions = {},
  pass: number,
  passes: number,
): BatchOptions {
  return {
    signal,
    ...(onProgress && {
      onProgress: (done: number, total: number) => {
        onProgress(Math.floor((pass * total + done) / passes), total);
      },
    }),
  };
}

/** Returns t_l = log(w_l q_l(g_l x)) of each sample, NaN without a density, and ∇t_l. */
async function passOf(
  runner: TaskRunner,
  { name, pose, transform, logWeight }: MixtureLeaf,
  x: FloatArray,
  wantsScore: boolean,
  options: BatchOptions,
) {
  const input = pose ? posed(x, pose) : x;
  const { batch, logProb } = await trySamples(runner, transform, input, wantsScore, options);
  const { failedStage, failedComponent, xGradient } = batch;
  const hasFailed = (s: number): boolean => failedStage !== null && failedStage[s] >= 0;
  const terms = logProb.map((value, s) =>
    hasFailed(s) || !Number.isFinite(value) ? NaN : logWeight + value,
  );
  const gradient = wantsScore ? (xGradient as FloatArray).map((value) => -value) : null;
  const failure = (s: number): string =>
    hasFailed(s)
      ? `${name}${failureOf(transform, { failedStage, failedComponent }, s)}`
      : `${name}: its value is beyond the range of numbers`;
  return { terms, gradient: gradient && pose ? backFromPose(gradient, pose) : gradient, failure };
}

function requireDensities(logProb: Float64Array, failure: LeafSums["failure"]): Float64Array {
  const sample = logProb.findIndex(Number.isNaN);
  if (sample < 0) return logProb;
  throw new GaussianizeError(
    "no-density",
    `Sample ${sample} has no density under any component; under ${failure(sample)}.`,
  );
}
