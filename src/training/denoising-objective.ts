/**
 * The objective of a density for denoising: the error of images that empirical Bayes (eq. 7)
 * restores with it,
 *
 *   L(θ) = mean over pixels of (x̂ − x)²,
 *   x̂ = mean over the patches of a pixel of z + η² ∇ log p_θ(z)
 *
 *   symbol  meaning
 *   x       clean pixels
 *   z       a patch of the image to denoise
 *   η       standard deviation of the noise of z
 *   θ       parameters of the density
 *
 * For a single patch, this is denoising score matching (Vincent 2011). Its minimum is the score of
 * the density of noisy patches, which also has the largest likelihood; but a transform that can
 * only approximate the density does so in a different way. The derivative of a score by θ, along
 * the errors v of a patch, is the derivative of the gradient g = ∂ log p / ∂θ by the sample:
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

/** Root mean square of h v in units of η: small for the score, large for Float32. */
const reach = 0.03;

/** Returns the objective −L. A batch holds all clean crops, then the crops to denoise. */
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
    // The gradients are those of −log p, hence the sign.
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
  /** ∇ₓ log p(x), count×N; 0 for samples without a density. */
  readonly score: FloatArray;
  /** Σ over samples of ∂/∂θ of −log p(x), one record per stage. */
  readonly gradient: readonly ParameterGroups[];
  readonly failedSamples: number;
}

/** Returns the gradients of log p by samples (the score) and by parameters, without checks. */
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
  // If H is singular, nothing awaits this promise; it must not be an unhandled rejection.
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
