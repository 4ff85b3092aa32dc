/**
 * A density fitted for what it is to be used for: the error of the pictures that empirical Bayes
 * (eq. 7) makes with it,
 *
 *   L(θ) = mean over pixels of (x̂ − x)²,
 *   x̂ = mean over the patches of a pixel of z + η² ∇ log p_θ(z)
 *
 *   symbol  meaning
 *   x       clean pixels
 *   z       a patch of what is to be denoised
 *   η       standard deviation of what is wrong with z
 *   θ       parameters of the density
 *
 * Of one patch alone, this is denoising score matching (Vincent 2011): its minimum is the score of
 * the density of noisy patches, that of the likelihood is the same, but a transform that can only
 * come near them comes near in another way. The derivative of a score by θ, along the errors v of a
 * patch, is that of the gradient g = ∂ log p / ∂θ by the sample:
 *
 *   ∂/∂θ  v · ∇ log p(z)  =  d/dt g(z + t v) at t = 0  ≈  [g(z + h v) − g(z)] / h
 *
 * Cost: two gradients of the likelihood.
 */
import { runBatch } from "../density/batch-passes.js";
import { commonParts, finishGradients } from "../density/induced-density.js";
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { type CropLayout, CropPlaces } from "./crop-places.js";
import type { TaskRunner } from "../parallel/job.js";
import type { ParameterGroups, Transform } from "../transforms/transform.js";
import type { ObjectiveGradient } from "./fit-records.js";

export interface DenoisingObjectiveOptions extends CropLayout {
  /** η, in the units of the crops. */
  readonly sigma: number;
}

/** A FitObjective that is the same for all steps. */
type DenoisingObjective = (
  runner: TaskRunner,
  transform: Transform,
  batch: FloatArray,
) => Promise<ObjectiveGradient>;

/**
 * Root of the mean square of h v, in units of η: the score bends over distances of η, and Float32
 * has seven digits.
 */
const reach = 0.03;

/**
 * The value is −L. A batch holds first all clean crops, then, in the same order, what is to be
 * denoised.
 */
export function denoisingObjective(options: DenoisingObjectiveOptions): DenoisingObjective {
  const places = new CropPlaces(options);
  const variance = options.sigma * options.sigma;
  return async (runner, transform, batch) => {
    const [clean, noisy] = halves(batch, places.area);
    const z = places.patchesOf(noisy);
    const at = await densityGradients(runner, transform, z);
    const estimates = at.score.map((slope, k) => z[k] + variance * slope);
    const { loss, errors } = places.errorOf(estimates, clean);
    const h = (reach * options.sigma) / (rootMeanSquare(errors) || 1);
    const beyond = await densityGradients(
      runner,
      transform,
      z.map((value, k) => value + h * errors[k]),
    );
    // Gradients are of −log p, and L falls as the score turns against the errors.
    const factor = (-2 * variance) / (h * places.pixels(noisy));
    const gradient = beyond.gradient.map((groups, stage) =>
      Object.fromEntries(
        Object.entries(groups).map(([name, values]) => [
          name,
          values.map((value, k) => factor * (value - at.gradient[stage][name][k])),
        ]),
      ),
    );
    return { gradient, value: -loss, failedSamples: at.failedSamples + beyond.failedSamples };
  };
}

function halves(batch: FloatArray, area: number): readonly [FloatArray, FloatArray] {
  if (batch.length === 0 || batch.length % (2 * area) !== 0) {
    throw expected("the batch", `hold pairs of crops of ${area} pixels`, batch.length);
  }
  return [batch.subarray(0, batch.length / 2), batch.subarray(batch.length / 2)];
}

function rootMeanSquare(values: FloatArray): number {
  let sum = 0;
  for (const value of values) sum += value * value;
  return Math.sqrt(sum / values.length);
}

interface DensityGradients {
  /** count×N: ∇ₓ log p(x); 0 where a sample has none. */
  readonly score: FloatArray;
  /** Σ over samples of ∂/∂θ of −log p(x), one record for each stage. */
  readonly gradient: readonly ParameterGroups[];
  readonly failedSamples: number;
}

/**
 * Both gradients of log p at once: by the samples, which is the score, and by the parameters.
 * Without checks: for parameters that a fit has just brought within their bounds.
 */
async function densityGradients(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
): Promise<DensityGradients> {
  const request = {
    pass: "backpropagate",
    x,
    upstream: null,
    wantsY: false,
    wantsInputGradient: true,
    wantsSums: true,
  } as const;
  const running = runBatch(runner, transform, request);
  // If H turns out singular, nobody will wait for the batch, and its failure must not end the
  // process.
  running.catch(() => undefined);
  const common = commonParts(runner.kernels, transform);
  const batch = await running;
  const failedStage = batch.failedStage as Int32Array;
  const failedSamples = failedStage.reduce((sum, stage) => sum + (stage >= 0 ? 1 : 0), 0);
  const sums = batch.sums as readonly ParameterGroups[];
  return {
    score: (batch.xGradient as FloatArray).map((value) => -value),
    gradient: finishGradients(transform, sums, failedStage.length - failedSamples, common),
    failedSamples,
  };
}
