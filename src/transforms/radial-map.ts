/**
 * Radial Gaussianization without a parametric form (Lyu & Simoncelli 2009, "Nonlinear extraction of
 * independent components of natural images using radial Gaussianization"): data of elliptical
 * density become standard normal by whitening and a change of the radius,
 *
 *   v = K (x − m),   r = ‖v‖,   y = v · ρ(r)/r,   ρ = F_χ⁻¹ ∘ F
 *
 *   symbol  variable   meaning
 *   m       mean       N, mean of the data
 *   K       whitening  N×N, whitening by PCA
 *   F       –          distribution function of r in the data
 *   F_χ     chiCdf     the same for the length of a standard normal vector: 1 − e^(−ρ²/2) for N = 2
 *   ρ       knots      ln ρ as a function of ln r
 *
 * F is known at quantiles of the data, the knots. Between them ln ρ is a smooth increasing function
 * of ln r. Below the first knot ρ/r is constant, as for every density that is finite at 0; beyond
 * the last, ρ is a power of r, as for tails exp(−c r^q), including normal ones. Deviation from the
 * paper: at most 65 knots, with five values beyond the last, instead of a fine histogram, so that
 * single outliers do not shape the map. Whitening by second moments converges slowly for tails so
 * heavy that fourth moments are infinite.
 */
import { GaussianizeError, expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { chiCdf, chiQuantile } from "../numbers/normal-distribution.js";
import { portableExp } from "../numbers/exponential.js";
import { portableLog } from "../numbers/logarithm.js";
import { quantileOfSorted } from "../numbers/order-statistics.js";
import { centred, componentMeans } from "./standardizing.js";
import { checkDimension, checkSamples } from "./checks.js";
import { pcaWhitening } from "./whitening.js";

/**
 * Smooth increasing curve through knots: cubic on each interval, with slopes that keep it
 * increasing (Fritsch & Carlson 1980), and straight beyond the ends.
 */
export interface RisingCurve {
  /** Increasing; at least two knots. */
  readonly x: Float64Array;
  /** Increasing. */
  readonly y: Float64Array;
  /** dy/dx ≥ 0 at the knots. */
  readonly slopes: Float64Array;
}

/** A plain record, not a transform of the library: it has no gradients. */
export interface RadialMap {
  readonly dimension: number;
  /** N; mapped to 0. */
  readonly mean: Float64Array;
  /** N×N */
  readonly whitening: Float64Array;
  /** ln ρ as a function of ln r, where r is the radius of whitened data. */
  readonly knots: RisingCurve;
}

/** Number of values beyond the knots at either end. */
const beyondEnds = 5;
const fewestSamples = 100;
/** Largest number of intervals; more would follow single values in the tails. */
const mostSteps = 64;
/** Smaller radii count as 0, because portableLog does not accept subnormal numbers. */
const leastRadius = 1e-300;

/** Fits the map that makes elliptical data standard normal; `x` is count×dimension. */
export function fitRadialMap(x: FloatArray, dimension: number): RadialMap {
  checkDimension(dimension);
  const count = checkSamples(x, dimension);
  if (count < fewestSamples) {
    throw expected("x", `hold at least ${fewestSamples} samples of ${dimension} values`, count);
  }
  const mean = componentMeans(x, dimension);
  const moved = centred(x, mean);
  const whitening = pcaWhitening(moved, dimension);
  const v = new Float64Array(x.length);
  const radii = Float64Array.from({ length: count }, (_, s) =>
    Math.sqrt(whiten(moved, s, whitening, v, dimension)),
  );
  return { dimension, mean, whitening, knots: knotsOf(radii.sort(), dimension) };
}

/** Maps x (count×N) to y; ‖y‖ increases with ‖K (x − m)‖, also beyond the fitted radii. */
export function applyRadialMap(map: RadialMap, x: FloatArray): Float64Array {
  const { dimension: n, mean, whitening, knots } = map;
  const count = checkSamples(x, n);
  const moved = centred(x, mean);
  const y = new Float64Array(x.length);
  for (let s = 0; s < count; s++) {
    const radius = Math.sqrt(whiten(moved, s, whitening, y, n));
    const gain =
      radius > leastRadius ? portableExp(valueOn(knots, portableLog(radius))) / radius : 0;
    for (let i = 0; i < n; i++) y[s * n + i] *= gain;
  }
  return y;
}

/** Writes K x of sample s to v, at the same place; returns ‖K x‖². */
function whiten(x: FloatArray, s: number, K: Float64Array, v: Float64Array, n: number): number {
  let squares = 0;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += K[i * n + j] * x[s * n + j];
    v[s * n + i] = sum;
    squares += sum * sum;
  }
  return squares;
}

/** Places knots at equal steps of ρ; skips those with the same radius as the previous one. */
function knotsOf(radii: Float64Array, dimension: number): RisingCurve {
  const count = radii.length;
  const outside = (beyondEnds + 0.5) / count;
  const [first, last] = [chiQuantile(outside, dimension), chiQuantile(1 - outside, dimension)];
  const steps = Math.min(mostSteps, Math.floor(Math.sqrt(count)));
  const [logRadii, logLengths]: [number[], number[]] = [[], []];
  for (let k = 0; k <= steps; k++) {
    const length = first + ((last - first) * k) / steps;
    const radius = quantileOfSorted(radii, chiCdf(length, dimension));
    if (radius <= leastRadius) continue;
    const logRadius = portableLog(radius);
    if (logRadii.length > 0 && logRadius <= logRadii[logRadii.length - 1]) continue;
    logRadii.push(logRadius);
    logLengths.push(portableLog(length));
  }
  if (logRadii.length < 2) {
    throw new GaussianizeError(
      "degenerate-data",
      "Expected x to have different radii but nearly all are the same.",
    );
  }
  return risingCurve(Float64Array.from(logRadii), Float64Array.from(logLengths), 1);
}

/** Share of the intervals whose mean slope continues beyond the last knot; fewer are too noisy. */
const endShare = 1 / 4;

/** Returns the curve through knots, with `firstSlope` at the first one if possible. */
export function risingCurve(x: Float64Array, y: Float64Array, firstSlope: number): RisingCurve {
  const last = x.length - 1;
  const slopes = new Float64Array(last + 1);
  const secant = (from: number, to: number): number => (y[to] - y[from]) / (x[to] - x[from]);
  // A cubic increases if its slopes are at most three times the secant.
  slopes[0] = Math.min(firstSlope, 3 * secant(0, 1));
  const lastSlope = secant(Math.floor((1 - endShare) * last), last);
  slopes[last] = Math.min(lastSlope, 3 * secant(last - 1, last));
  for (let k = 1; k < last; k++) {
    // Harmonic mean with more weight on the shorter interval (Fritsch & Butland 1984).
    const [left, right] = [x[k] - x[k - 1], x[k + 1] - x[k]];
    const [a, b] = [2 * right + left, right + 2 * left];
    slopes[k] = (a + b) / (a / secant(k - 1, k) + b / secant(k, k + 1));
  }
  return { x, y, slopes };
}

export function valueOn({ x, y, slopes }: RisingCurve, at: number): number {
  const last = x.length - 1;
  if (at <= x[0]) return y[0] + slopes[0] * (at - x[0]);
  if (at >= x[last]) return y[last] + slopes[last] * (at - x[last]);
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle] <= at) low = middle;
    else high = middle;
  }
  const width = x[high] - x[low];
  const t = (at - x[low]) / width;
  const rest = 1 - t;
  // Hermite form of the cubic.
  return (
    y[low] * rest * rest * (1 + 2 * t) +
    y[high] * t * t * (3 - 2 * t) +
    width * t * rest * (slopes[low] * rest - slopes[high] * t)
  );
}
