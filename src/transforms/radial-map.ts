/**
 * Radial Gaussianization without a parametric form (Lyu & Simoncelli 2009, "Nonlinear extraction of
 * independent components of natural images using radial Gaussianization"): data of elliptical
 * density become standard normal by whitening and a change of the radius,
 *
 *   v = K (x − m),   r = ‖v‖,   y = v · ρ(r)/r,   ρ = F_χ⁻¹ ∘ F
 *
 *   symbol  variable   meaning
 *   m       mean       N, of the data
 *   K       whitening  N×N, whitening by PCA
 *   F       –          distribution function of r in the data
 *   F_χ     chiCdf     that of the length of a standard normal vector: 1 − e^(−ρ²/2) for N = 2
 *   ρ       knots      ln ρ as a function of ln r
 *
 * F is known at quantiles of the data, the knots. Between them ln ρ is a smooth rising function of
 * ln r. Below the first, ρ/r is constant, as it is for every density that is finite at 0; beyond
 * the last, ρ is a power of r, as it is for tails exp(−c r^q), the normal ones among them.
 * Deviation from the paper: at most 65 knots, with five values beyond the last, instead of a fine
 * histogram: single values far out must not shape the map. The whitening is that of second moments,
 * which converges slowly for tails so heavy that fourth moments are infinite.
 */
import { GaussianizeError, expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { chiCdf, chiQuantile } from "../numbers/normal-distribution.js";
import { portableExp } from "../numbers/exponential.js";
import { portableLog } from "../numbers/logarithm.js";
import { quantileOfSorted } from "../numbers/order-statistics.js";
import { centred, componentMeans } from "./standardizing.js";
import { checkDimension, checkSamples } from "./checks.js";
import { type RisingCurve, risingCurve, valueOn } from "./rising-curve.js";
import { pcaWhitening } from "./whitening.js";

/** A plain record, and no transform of the library: it has no parameters to take gradients by. */
export interface RadialMap {
  readonly dimension: number;
  /** N, which is mapped to 0. */
  readonly mean: Float64Array;
  /** N×N */
  readonly whitening: Float64Array;
  /** ln ρ over ln r, r the radius of whitened data. */
  readonly knots: RisingCurve;
}

/** So many values lie beyond the knots at either end. */
const beyondEnds = 5;
const fewestSamples = 100;
/** More would follow single values in the tails. */
const mostSteps = 64;
/** Subnormal numbers have no logarithm here: smaller radii are as good as 0. */
const leastRadius = 1e-300;

/** The map that makes samples of elliptical density standard normal; `x` is count×dimension. */
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

/**
 * y, count×N, for x, count×N: ‖y‖ rises with ‖K (x − m)‖, also beyond the radii that the map was
 * fitted to.
 */
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

/** Puts K x of sample s into v, at the same place; returns ‖K x‖². */
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

/** Knots at equal steps of ρ; where radii are tied, only the first of those that it maps there. */
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
