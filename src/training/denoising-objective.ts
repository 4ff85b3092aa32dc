/**
 * A density fitted for what it is to be used for: the error of the pictures that empirical Bayes (eq. 7) makes with it,
 *
 *   L(θ) = mean over pixels of (x̂ − x)²,   x̂ = mean over the patches of a pixel of z + η² ∇ log p_θ(z)
 *
 *   symbol  meaning
 *   x       clean pixels
 *   z       a patch of what is to be denoised
 *   η       standard deviation of what is wrong with z
 *   θ       parameters of the density
 *
 * Of one patch alone, this is denoising score matching (Vincent 2011): its minimum is the score of the density of noisy
 * patches, that of the likelihood is the same, but a transform that can only come near them comes near in another way.
 * The derivative of a score by θ, along the errors v of a patch, is that of the gradient g = ∂ log p / ∂θ by the sample:
 *
 *   ∂/∂θ  v · ∇ log p(z)  =  d/dt g(z + t v) at t = 0  ≈  [g(z + h v) − g(z)] / h
 *
 * Cost: two gradients of the likelihood.
 */
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { densityGradients } from "./density-gradients.js";
import type { FitObjective } from "./fit-transform.js";

/** Patches in crops. */
export interface CropLayout {
  /** Side of a patch. */
  readonly patch: number;
  /** Side of the crops that a batch holds: first all clean ones, then, in the same order, what is to be denoised. */
  readonly crop: number;
  /** Pixels from one patch of a crop to the next. */
  readonly stride: number;
}

export interface DenoisingObjectiveOptions extends CropLayout {
  /** η, in the units of the crops. */
  readonly sigma: number;
}

/** Root of the mean square of h v, in units of η: the score bends over distances of η, and Float32 has seven digits. */
const reach = 0.03;

/** The value is −L. */
export function denoisingObjective(options: DenoisingObjectiveOptions): FitObjective {
  const places = new CropPlaces(options);
  const variance = options.sigma ** 2;
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

/** All patches of some crops. */
export function cropPatches(crops: FloatArray, layout: CropLayout): Float32Array {
  return new CropPlaces(layout).patchesOf(crops);
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

/** Where the patches of a crop lie, and which of its pixels count. */
class CropPlaces {
  readonly area: number;
  /** Of the first pixel of each row of each patch. */
  private readonly rows: Uint32Array;
  /** How many patches a pixel is in; 0 where that are fewer than half of the most, as no pixel within a picture has. */
  private readonly counts: Float32Array;
  private readonly counted: number;

  constructor(private readonly options: CropLayout) {
    const { patch, crop, stride } = options;
    this.area = crop * crop;
    const corners: number[] = [];
    for (let top = 0; top + patch <= crop; top += stride) {
      for (let left = 0; left + patch <= crop; left += stride) corners.push(top * crop + left);
    }
    this.rows = Uint32Array.from(
      corners.flatMap((corner) => Array.from({ length: patch }, (_, row) => corner + row * crop)),
    );
    const covered = new Float32Array(this.area);
    for (const start of this.rows) {
      for (let at = start; at < start + patch; at++) covered[at]++;
    }
    const most = Math.max(...covered);
    this.counts = covered.map((count) => (count < most / 2 ? 0 : count));
    this.counted = this.counts.filter((count) => count > 0).length;
  }

  /** That count, of all crops. */
  pixels(crops: FloatArray): number {
    return (this.counted * crops.length) / this.area;
  }

  patchesOf(crops: FloatArray): Float32Array {
    const { patch } = this.options;
    const patches = new Float32Array((crops.length / this.area) * this.rows.length * patch);
    let to = 0;
    this.eachRow(crops, (start) => {
      for (let at = start; at < start + patch; at++) patches[to++] = crops[at];
    });
    return patches;
  }

  /** The loss, and for each pixel of each patch what it takes part in: the error of the pixel, divided among its patches. */
  errorOf(
    estimates: FloatArray,
    clean: FloatArray,
  ): { readonly loss: number; readonly errors: Float32Array } {
    const { patch } = this.options;
    const sums = new Float32Array(clean.length);
    let from = 0;
    this.eachRow(clean, (start) => {
      for (let at = start; at < start + patch; at++) sums[at] += estimates[from++];
    });
    let squares = 0;
    const shares = sums.map((sum, at) => {
      const count = this.counts[at % this.area];
      if (count === 0) return 0;
      const error = sum / count - clean[at];
      squares += error * error;
      return error / count;
    });
    return { loss: squares / this.pixels(clean), errors: this.patchesOf(shares) };
  }

  private eachRow(crops: FloatArray, visit: (start: number) => void): void {
    for (let first = 0; first < crops.length; first += this.area) {
      for (const row of this.rows) visit(first + row);
    }
  }
}
