/**
 * Fits of mixtures p(x) = Σ_l w_l q_l(x), whose leaves l are K components in P poses: P = 8 for a
 * symmetric fit and 1 otherwise,
 *
 *   w_l q_l(x) = π_k/P · p_k(g x)        l: component k in pose g
 *
 * By Jensen's inequality, with any probabilities r of the leaves,
 *
 *   log p(x) ≥ Σ_l r_l log w_l q_l(x) − Σ_l r_l log r_l,
 *
 * with equality for the responsibilities r_l = w_l q_l(x) / p(x). So the gradient of log q_l(x),
 * for a leaf l drawn from the responsibilities, is an unbiased estimate of the gradient of log p(x)
 * (stochastic expectation maximisation). A step evaluates all leaves and computes one gradient for
 * each sample. With π_k = e^{a_k} / Σ e^a, ∂ log p(x)/∂a_k = r_k − π_k, for r_k summed over poses.
 *
 * Exact evaluations would take most of the time, but any r will do: the steps then raise the bound
 * above. The closer r is to the responsibilities, the tighter it is. There are two approximations
 * (docs/decisions.md):
 *
 *   log det(I − M) ≈ Σ log(1 − M_ii)    without an elimination for each leaf (kernels.ts): in
 *                                       guided steps, and in those that estimate their gradients
 *   stacks of layers                    have the leaves of their first layers, fitted alone: in
 *                                       guided steps
 *
 * The last 8 % of the steps are not guided, except where the first layers are fitted alone.
 */
import { commonParts } from "../density/induced-density.js";
import { LogSum } from "../density/mixtures/log-sum.js";
import { type Pose, poseCount, poseOf, posed } from "../density/mixtures/poses.js";
import { concatenated } from "../kernels/concatenated.js";
import type { FloatArray } from "../kernels/kernels.js";
import { seedOfPart } from "../kernels/probes.js";
import { portableLog } from "../numbers/logarithm.js";
import { meanOf } from "../numbers/means.js";
import { square } from "../numbers/square.js";
import type { TaskRunner } from "../parallel/job.js";
import type { PatchLayout } from "../patches/patch-layout.js";
import { type RandomStream, type Seed, createRandom } from "../random/random-stream.js";
import { parametersOf } from "../transforms/parameters.js";
import { type SideBySide, componentsOf, weightsOf } from "../transforms/side-by-side.js";
import type { ParameterGroups, Transform } from "../transforms/transform.js";
import type { ObjectivePhase } from "./fit-layers.js";
import type { FitObjective, FitOptions } from "./fit-records.js";
import { probesAt } from "./gradient-kind.js";
import {
  type GradientEstimate,
  type NegentropyGradient,
  type UncheckedOptions,
  uncheckedNegentropyGradient,
} from "./negentropy-gradient.js";
import { type Measure, logProbsOfBatch } from "./validation.js";

/** Fraction of the steps of stacks that fit their first layers alone. */
export const aloneShare = 0.25;
/** Fraction of the other steps, or of those of one layer, that are guided. */
const guidedShare = 0.92;

/** A transform, or the components of a mixture. */
type Components = Transform | SideBySide;

/** Parameters of the objective that do not depend on the phase. */
export interface MixtureFit {
  readonly layout: PatchLayout;
  /** Whether each component has all poses. */
  readonly symmetric: boolean;
  readonly seed: Seed;
  readonly probes: FitOptions["probes"];
}

/** Steps of a phase, and the density whose responsibilities give the leaves of most of them. */
export interface MixturePhase extends Pick<ObjectivePhase, "firstStep" | "steps"> {
  /** Default: the fitted one. */
  readonly guide?: Components | null;
  /** Whether the result is only a guide, so that no step needs exact responsibilities. */
  readonly isForGuide?: boolean;
}

/**
 * Returns the objective of a phase: the mean log p of a mixture. In steps with approximate
 * responsibilities, the value is an estimate of the bound.
 */
export function mixtureObjective(
  { layout, symmetric, seed, probes }: MixtureFit,
  { firstStep, steps, guide = null, isForGuide = false }: MixturePhase,
): FitObjective<Components> {
  const poses = posesOf(layout, symmetric);
  const firstOwn = isForGuide ? steps : firstStep + Math.floor(guidedShare * (steps - firstStep));
  return async (runner, fitted, batch, step) => {
    // The parameters of the last step need no gradient.
    if (step === steps) {
      const { logProb, isRegular } = await evaluateLeaves(runner, fitted, batch, poses);
      const sound = logProb.filter(Number.isFinite);
      const failedSamples = logProb.length - sound.length;
      return { gradient: [], value: isRegular ? meanOf(sound) : NaN, failedSamples };
    }
    const request = probesAt(probes, { firstStep, steps }, step);
    const isGuided = step < firstOwn;
    const guiding = isGuided ? (guide ?? fitted) : fitted;
    const isApproximate = isGuided || request !== undefined;
    const found = await evaluateLeaves(runner, guiding, batch, poses, isApproximate);
    const leaves = drawnLeaves(found, createRandom(seed, "poses", step));
    const parts = await Promise.all(
      componentsOf(fitted).map((component, k) => {
        const probesOfPart = request && { seed: seedOfPart(request.seed, k) };
        const x = samplesOf(found, leaves, { component: k, poses: poses.length });
        return gradientOfPart(runner, component, x, { probes: probesOfPart, batch: leaves.length });
      }),
    );
    const weights = weightsOf(fitted);
    const joined = joinedParts(parts);
    const gradient =
      fitted.kind === "side-by-side"
        ? [...joined.gradient, { logWeights: weightGradient(found, weights, poses.length) }]
        : joined.gradient;
    const bound = joined.meanLogProb + meanLogRatio(found, leaves, weights, poses.length);
    return { ...joined, gradient, value: found.isRegular ? bound : NaN };
  };
}

/** Returns the mean log p of samples under a mixture; NaN if one has no density. */
export function mixtureMeasure(layout: PatchLayout, symmetric: boolean): Measure<Components> {
  const poses = posesOf(layout, symmetric);
  return async (runner, fitted, x) => {
    const { logProb, isRegular } = await evaluateLeaves(runner, fitted, x, poses);
    const mean = meanOf(logProb);
    return isRegular && Number.isFinite(mean) ? mean : NaN;
  };
}

type Poses = readonly (Pose | null)[];

function posesOf({ size, removeMean }: PatchLayout, symmetric: boolean): Poses {
  if (!symmetric) return [null];
  return Array.from({ length: poseCount }, (_, k) => poseOf(size, removeMean, k));
}

interface EvaluatedLeaves {
  readonly dimension: number;
  /** The samples in each pose, poses×count×N. */
  readonly samples: FloatArray;
  /** Probability of each leaf of each sample, given the sample; leaf k·P + g. */
  readonly responsibilities: readonly Float64Array[];
  /** log p of each sample; NaN if no leaf has a density. */
  readonly logProb: Float64Array;
  /** Whether the H of all components are regular. A component has no density if one is singular. */
  readonly isRegular: boolean;
}

async function evaluateLeaves(
  runner: TaskRunner,
  fitted: Components,
  x: FloatArray,
  poses: Poses,
  isApproximate = false,
): Promise<EvaluatedLeaves> {
  const { dimension } = fitted;
  const count = x.length / dimension;
  const samples = concatenated(
    x.constructor as new (length: number) => FloatArray,
    poses.map((pose) => (pose ? posed(x, pose) : x)),
  );
  const components = componentsOf(fitted);
  const values = await Promise.all(
    components.map((component) => logProbsOfBatch(runner, component, samples, { isApproximate })),
  );
  const weights = weightsOf(fitted);
  const terms = values.flatMap((ofComponent, k) => {
    const logWeight = portableLog(weights[k] / poses.length);
    return poses.map((_, g) =>
      ofComponent.subarray(g * count, (g + 1) * count).map((value) => logWeight + value),
    );
  });
  const sums = new LogSum(count, dimension, false);
  for (const ofLeaf of terms) sums.add(ofLeaf, null);
  const responsibilities = terms.map((ofLeaf) => sums.responsibilities(ofLeaf));
  const isRegular = values.every(
    (ofComponent, k) => !ofComponent.every(Number.isNaN) || hasRegularH(runner, components[k]),
  );
  return { dimension, samples, responsibilities, logProb: sums.logProb(), isRegular };
}

function hasRegularH({ kernels }: TaskRunner, component: Transform): boolean {
  return !Number.isNaN(commonParts(kernels, component).logDeterminant);
}

/**
 * Draws a leaf of each sample from its responsibilities, or from all leaves alike where none has a
 * density.
 */
function drawnLeaves({ responsibilities, logProb }: EvaluatedLeaves, random: RandomStream) {
  return Int32Array.from(logProb, (_, s) => leafAt(responsibilities, s, random.uniform()));
}

/** Returns the leaf at a place u of the distribution, from 0 to 1. */
function leafAt(responsibilities: readonly Float64Array[], s: number, u: number): number {
  let [leaf, below] = [-1, 0];
  for (let l = 0; l < responsibilities.length; l++) {
    const share = responsibilities[l][s];
    // The sum may round to less than 1: then it is the last leaf that is possible.
    if (share > 0 && below <= u) leaf = l;
    below += share;
  }
  return leaf >= 0 ? leaf : Math.floor(u * responsibilities.length);
}

/** Returns the samples drawn for a component, in their poses. */
function samplesOf(
  { samples, dimension: n }: EvaluatedLeaves,
  leaves: Int32Array,
  { component, poses }: { readonly component: number; readonly poses: number },
): FloatArray {
  const first = component * poses;
  const own: number[] = [];
  leaves.forEach((leaf, s) => {
    if (leaf >= first && leaf < first + poses) own.push((leaf - first) * leaves.length + s);
  });
  const x = samples.slice(0, own.length * n);
  own.forEach((row, s) => {
    x.set(samples.subarray(row * n, (row + 1) * n), s * n);
  });
  return x;
}

/** Gradient of the samples drawn for a component, and the number of those with a density. */
type Part = NegentropyGradient & { readonly count: number };

async function gradientOfPart(
  runner: TaskRunner,
  component: Transform,
  x: FloatArray,
  how: Pick<UncheckedOptions, "probes" | "batch">,
): Promise<Part> {
  const drawn = x.length / component.dimension;
  let failedSamples = 0;
  if (drawn > 0) {
    const part = await uncheckedNegentropyGradient(runner, component, x, how);
    ({ failedSamples } = part);
    if (failedSamples < drawn) return { ...part, count: drawn - failedSamples };
  }
  const gradient = parametersOf(component).map((groups): ParameterGroups => {
    const zeros = Object.entries(groups).map(([name, values]) => [name, values.map(() => 0)]);
    return Object.fromEntries(zeros) as ParameterGroups;
  });
  const meanLogProb = hasRegularH(runner, component) ? 0 : NaN;
  return { gradient, meanLogProb, failedSamples, count: 0 };
}

/** Returns means over the samples of all parts; the gradients in the order of `SideBySide`. */
function joinedParts(parts: readonly Part[]) {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const used = parts.filter(({ count }) => count > 0);
  for (const { gradient, count } of parts.length > 1 ? used : []) {
    for (const groups of gradient) {
      for (const values of Object.values(groups)) {
        for (let k = 0; k < values.length; k++) values[k] *= count / total;
      }
    }
  }
  const meanOfUsed = (value: (part: Part) => number): number =>
    used.reduce((sum, part) => sum + (part.count / total) * value(part), 0);
  const isSound = total > 0 && !parts.some(({ meanLogProb }) => Number.isNaN(meanLogProb));
  const isEstimate = used.some(({ estimate }) => estimate);
  const estimate: GradientEstimate = {
    products: meanOfUsed((part) => part.estimate?.products ?? 0),
    residual: Math.sqrt(meanOfUsed((part) => square(part.estimate?.residual ?? 0))),
  };
  return {
    gradient: parts[0].gradient.flatMap((_, s) => parts.map(({ gradient }) => gradient[s])),
    meanLogProb: isSound ? meanOfUsed(({ meanLogProb }) => meanLogProb) : NaN,
    failedSamples: parts.reduce((sum, { failedSamples }) => sum + failedSamples, 0),
    ...(isEstimate && { estimate }),
  };
}

/**
 * Returns the gradient of −log p by a_k: π_k minus the mean responsibility of component k. Samples
 * without a density do not count.
 */
function weightGradient(
  { responsibilities, logProb }: EvaluatedLeaves,
  weights: Float64Array,
  poses: number,
): Float64Array {
  return weights.map((weight, k) => {
    const ofComponent = responsibilities.slice(k * poses, (k + 1) * poses);
    const shares = logProb.map((_, s) => ofComponent.reduce((sum, own) => sum + own[s], 0));
    return weight - meanOf(shares.filter((_, s) => !Number.isNaN(logProb[s])));
  });
}

/** Returns the mean of log w_l − log r_l over the leaves drawn for samples with a density. */
function meanLogRatio(
  { responsibilities, logProb }: EvaluatedLeaves,
  leaves: Int32Array,
  weights: Float64Array,
  poses: number,
): number {
  const ratios = Float64Array.from(leaves, (leaf, s) => {
    const weight = weights[Math.floor(leaf / poses)] / poses;
    return portableLog(weight) - portableLog(responsibilities[leaf][s]);
  });
  return meanOf(ratios.filter((_, s) => !Number.isNaN(logProb[s])));
}
