/**
 * Denoising of wavelet coefficients by Gaussian scale mixtures (Portilla, Strela, Wainwright &
 * Simoncelli 2003, "BLS-GSM"), in an orthonormal wavelet instead of the authors' overcomplete
 * pyramid: the paper's joint model in §4.2, "Denoising".
 *
 * The estimate of a coefficient is E(x_c | y), see scale-mixture.ts, from a neighbourhood y of
 *
 *   – the 3×3 coefficients around it in its band, and
 *   – with `parent`, the one at its place one scale coarser (none at the coarsest scale).
 *
 * These are different coefficients of an orthonormal transform, so their noise is independent:
 * C_w = σ² I. (Reflection repeats the noise at the edges of the image, which is neglected.) The
 * covariance C_y is the mean of y yᵀ over the band. Bands are periodic like their wavelet; along a
 * side of fewer than three coefficients a neighbourhood has only one.
 */
import { expected } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";
import type { Band } from "../wavelets/filter-bank.js";
import { ScaleMixture } from "./scale-mixture.js";
import {
  type WaveletDenoisingOptions,
  checkWaveletOptions,
  denoiseInWavelets,
} from "./wavelet-domain.js";

export interface ScaleMixtureOptions extends WaveletDenoisingOptions {
  /** Adds the coefficient one scale coarser to each neighbourhood, default true. */
  readonly parent?: boolean;
}

/** Denoises an image by estimating every wavelet coefficient from those around it. */
export async function denoiseByScaleMixtures(
  noisy: GreyImage,
  options: ScaleMixtureOptions,
): Promise<GreyImage> {
  checkWaveletOptions(options, ["parent"]);
  const { sigma, parent = true } = options;
  if (typeof parent !== "boolean") throw expected("parent", "be true or false", parent);
  return denoiseInWavelets(noisy, options, (band, coarser) =>
    estimatorOf(new Neighbourhoods(band, parent ? coarser : undefined), sigma),
  );
}

function estimatorOf(neighbourhoods: Neighbourhoods, sigma: number): (k: number) => number {
  const { dimension, center } = neighbourhoods;
  const covariance = covarianceOf(neighbourhoods);
  const mixture = new ScaleMixture({ covariance, dimension, sigma, center });
  const y = new Float64Array(dimension);
  return (k) => {
    neighbourhoods.copy(k, y);
    return mixture.estimate(y);
  };
}

/** Returns the mean of y yᵀ; the coefficients of detail bands have mean 0. */
function covarianceOf(neighbourhoods: Neighbourhoods): Float64Array {
  const { dimension: n, count } = neighbourhoods;
  const sums = new Float64Array(n * n);
  const y = new Float64Array(n);
  for (let k = 0; k < count; k++) {
    neighbourhoods.copy(k, y);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) sums[i * n + j] += y[i] * y[j];
    }
  }
  return sums.map((_, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    return sums[Math.max(i, j) * n + Math.min(i, j)] / count;
  });
}

/** Neighbourhoods of all coefficients of a band. */
class Neighbourhoods {
  readonly dimension: number;
  readonly center: number;
  readonly count: number;
  /** Distances of the neighbours in the bordered band. */
  private readonly offsets: Int32Array;
  /** The band with a border from its opposite sides. */
  private readonly bordered: Band;

  constructor(
    private readonly band: Band,
    private readonly parent: Band | undefined,
  ) {
    const { width, height } = band;
    this.bordered = borderedBand(band);
    const [across, along] = [distances(height), distances(width)];
    this.offsets = Int32Array.from(
      across.flatMap((dy) => along.map((dx) => dy * this.bordered.width + dx)),
    );
    this.count = width * height;
    this.center = this.offsets.indexOf(0);
    this.dimension = this.offsets.length + (parent ? 1 : 0);
  }

  /** Writes neighbourhood k into y. */
  copy(k: number, y: Float64Array): void {
    const { width } = this.band;
    const [row, column] = [Math.floor(k / width), k % width];
    const { values } = this.bordered;
    const offsets = this.offsets;
    const at = (row + 1) * this.bordered.width + column + 1;
    for (let j = 0; j < offsets.length; j++) y[j] = values[at + offsets[j]];
    if (this.parent) {
      y[offsets.length] = this.parent.values[(row >> 1) * this.parent.width + (column >> 1)];
    }
  }
}

function distances(length: number): number[] {
  return length < 3 ? [0] : [-1, 0, 1];
}

function borderedBand({ width, height, values }: Band): Band {
  const bordered = new Float64Array((width + 2) * (height + 2));
  let at = 0;
  for (let y = -1; y <= height; y++) {
    const row = ((y + height) % height) * width;
    for (let x = -1; x <= width; x++) bordered[at++] = values[row + ((x + width) % width)];
  }
  return { width: width + 2, height: height + 2, values: bordered };
}
