/**
 * Generalised Anscombe transform of Poisson–Gaussian noise (Starck, Murtagh & Bijaoui 1998). It
 * makes noise whose variance depends on brightness nearly white:
 *
 *   y = a p + n,   p ~ Poisson(x / a),   n ~ N(0, s²),   var(y | x) = a x + s²
 *   f(y) = (2/a) √max(0, a y + 3a²/8 + s²),   var f(y) ≈ 1
 *
 *   symbol  variable  meaning
 *   y, x    value     a noisy pixel and the clean one, above the pedestal
 *   a       gain      brightness per photon, > 0
 *   s       √own · a  standard deviation of the noise at x = 0
 *
 * A negative offset of the noise curve is a pedestal: x counts from where the variance is 0. Noise
 * that grows towards black is treated as that of the negative picture, 1 − y.
 *
 * The mean of f(y) lies below f(x), so f⁻¹ of a denoised value is too dark. The exact unbiased
 * inverse (Mäkitalo & Foi 2013, "Optimal inversion of the generalized Anscombe transformation")
 * maps E[f(y) | x] to x. It is tabulated here with Poisson weights and, for n, the trapezoidal
 * rule, up to 400 photons. Beyond, √ is so straight that two terms of its series are exact to 1e-5:
 *
 *   E[f(y) | x] ≈ f(x) (1 − v/(8 u²) − 15 v²/(128 u⁴) + κ/(16 u³)),   u = x/a + 3/8 + s²/a²,
 *   v = x/a + s²/a²,   κ = x/a
 */
import { portableExp } from "../../numbers/exponential.js";
import { square } from "../../numbers/square.js";
import type { NoiseCurve } from "./noise-curve.js";

/** A change of brightness that makes the noise white. */
export interface Stabilisation {
  /** Standard deviation of the noise after the transform, in the units of the pixels. */
  readonly sigma: number;
  readonly forward: (pixels: Float32Array) => Float32Array;
  /** Returns the clean values for means of transformed noisy values. */
  readonly inverse: (pixels: Float32Array) => Float32Array;
}

/**
 * Returns the transform for a noise curve whose slope is not 0. Black (0) stays 0 and white (1)
 * stays 1, so a transformed picture still looks like a picture.
 */
export function stabilisationOf({ slope, offset }: NoiseCurve): Stabilisation {
  // The noise of the negative grows with its brightness.
  const isNegative = slope < 0;
  const gain = Math.abs(slope);
  const atBlack = isNegative ? slope + offset : offset;
  // In units of photons.
  const pedestal = Math.min(0, atBlack) / (gain * gain);
  const own = Math.max(0, atBlack) / (gain * gain);
  const photons = (value: number): number => (isNegative ? 1 - value : value) / gain + pedestal;
  const value = (count: number): number => {
    const x = (count - pedestal) * gain;
    return isNegative ? 1 - x : x;
  };
  const [zero, one] = [anscombe(photons(0), own), anscombe(photons(1), own)];
  const range = one - zero;
  const means = tableOfMeans(own);
  return {
    sigma: 1 / Math.abs(range),
    forward: (pixels) => pixels.map((y) => (anscombe(photons(y), own) - zero) / range),
    inverse: (pixels) => pixels.map((mean) => value(photonsAt(means, zero + range * mean, own))),
  };
}

/** Returns f for a value and the variance `own`, both in units of photons. */
function anscombe(count: number, own: number): number {
  return 2 * Math.sqrt(Math.max(0, count + 3 / 8 + own));
}

/** Means of f at (k · step)² photons. */
type Means = Float64Array;

const step = 1 / 16;
/** Photons up to which means are tabulated. */
const tabulated = 400;

function tableOfMeans(own: number): Means {
  const length = Math.sqrt(tabulated) / step + 1;
  const atCount = smoothed(own);
  return Float64Array.from({ length }, (_, k) => meanOfPoisson(square(k * step), atCount));
}

/** Spacing and reach of the trapezoidal rule, in standard deviations. */
const spacing = 1 / 8;
const farthest = 7;

/** Returns E[f(p + n)] as a function of the count p. */
function smoothed(own: number): (count: number) => number {
  const deviation = Math.sqrt(own);
  if (deviation === 0) return (count) => anscombe(count, 0);
  const known: number[] = [];
  return (count) => (known[count] ??= meanOfNormal(count, deviation));
}

function meanOfNormal(count: number, deviation: number): number {
  let [sum, total] = [0, 0];
  for (let t = -farthest; t <= farthest; t += spacing) {
    const weight = portableExp((-t * t) / 2);
    sum += weight * anscombe(count + t * deviation, deviation * deviation);
    total += weight;
  }
  return sum / total;
}

const negligible = 1e-18;

/**
 * Returns Σ_p P(p) g(p) of a Poisson distribution, from its mode outwards; P needs no factorial.
 */
function meanOfPoisson(mean: number, g: (count: number) => number): number {
  const mode = Math.floor(mean);
  let [sum, total] = [g(mode), 1];
  for (let p = mode + 1, weight = mean / p; weight > negligible; p++, weight *= mean / p) {
    sum += weight * g(p);
    total += weight;
  }
  for (let p = mode, weight = p / mean; p > 0 && weight > negligible; p--, weight *= p / mean) {
    sum += weight * g(p - 1);
    total += weight;
  }
  return sum / total;
}

/** Finds the photons whose mean of f is `mean`: 0 below the table, by its series beyond. */
function photonsAt(means: Means, mean: number, own: number): number {
  const last = means.length - 1;
  if (mean <= means[0]) return 0;
  if (mean >= means[last]) return beyondTable(mean, own);
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (means[middle] <= mean) low = middle;
    else high = middle;
  }
  const root = step * (low + (mean - means[low]) / (means[high] - means[low]));
  return root * root;
}

/** Inverts the series by fixed-point iteration. */
function beyondTable(mean: number, own: number): number {
  let count = square(mean / 2) - 3 / 8 - own;
  for (let k = 0; k < 4; k++) {
    const u = count + 3 / 8 + own;
    const v = count + own;
    const small = v / (u * u);
    const shrink = 1 - small / 8 - (15 / 128) * small * small + count / (16 * u * u * u);
    count = square(mean / (2 * shrink)) - 3 / 8 - own;
  }
  return count;
}
