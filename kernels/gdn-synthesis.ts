/**
 * Solves g(z) = y for z, sample by sample (paper §3.2). z has the signs of y; the unknown is
 * t_i = log |z_i|:
 *
 *   F_i(t) = t_i − ε_i log D_i(e^t) − s_i = 0,   s_i = log |y_i|,   ∂F/∂t = I − M
 *
 * The fixed point, t − F, is the paper's iteration; Newton's method takes t − (I − M)⁻¹ F instead.
 * F is concave, so F ≤ 0 after an exact Newton step, and if I − M is an M-matrix the iterates then
 * rise to the solution. A step that does not reduce max |F_i| is shortened, and finally replaced by
 * a fixed-point step.
 *
 * A component with y_i = 0 has z_i = 0: t_i represents log 0, and ε_i = 0 keeps it there.
 */
import { expOfTwo, logOfTwo, roundPairs } from "./elementary";
import { Layer, LOG_OF_ZERO } from "./gdn-layer";
import { DIAGONAL, GENERAL, LOW_RANK, newtonStep, pool } from "./gdn-synthesis-forms";
import { forgetDirections } from "./krylov";

/** Largest |α_ii t_i| of a start: e^88 is the largest power in Float32. */
const LARGEST_START: f64 = 80;
/** Logarithm of the largest Float32. */
const LARGEST_LOGARITHM: f64 = 88.72;
const LARGEST_FLOAT: f32 = 3.4028234663852886e38;
/**
 * A Newton step is halved up to five times: near α_ii ε_i = 1 steps are long and F far from linear.
 */
const TRIALS: i32 = 6;

/** Loads two floats as Float64. */
@inline
function loadPair(address: usize): v128 {
  return f64x2.promote_low_f32x4(v128.load_zero<u64>(address));
}

@inline
function storePair(address: usize, pair: v128): void {
  v128.store_lane<u64>(address, f32x4.demote_f64x2_zero(pair), 0);
}

/** Loads two floats `step` bytes apart, as Float64. */
@inline
function gatherPair(address: usize, step: usize): v128 {
  return f64x2.replace_lane(f64x2.splat(<f64>load<f32>(address)), 1, <f64>load<f32>(address + step));
}

/**
 * Computes s, and a start below the solution, since D_i ≥ β_i and D_i ≥ γ_ii u_i (the second is the
 * paper's):
 *
 *   t_i = s_i + ε_i log β_i   or   t_i = (s_i + ε_i log γ_ii) / (1 − α_ii ε_i)
 *
 * Newton's method takes the larger one, the fixed point the paper's if it exists.
 */
function start(layer: Layer, form: i32, newton: bool, y: usize): void {
  const zero = f64x2.splat(0);
  const alphaStep: usize = form == GENERAL ? layer.stride + 4 : 4;
  const gammaStep: usize = form == DIAGONAL || form == LOW_RANK ? 4 : layer.stride + 4;
  let alphaAddress = layer.alpha, gammaAddress = form == LOW_RANK ? layer.diagonal : layer.gamma;
  for (let k: usize = 0; k < layer.n << 2; k += 8) {
    const size = f64x2.abs(loadPair(y + k));
    const isZero = f64x2.eq(size, zero);
    const s = v128.bitselect(f64x2.splat(LOG_OF_ZERO), logOfTwo(size), isZero);
    const epsilon = v128.andnot(loadPair(layer.epsilon + k), isZero);
    const alpha = gatherPair(alphaAddress, alphaStep), gamma = gatherPair(gammaAddress, gammaStep);
    const slack = f64x2.sub(f64x2.splat(1), f64x2.mul(alpha, epsilon));
    const byBeta = f64x2.add(s, f64x2.mul(epsilon, logOfTwo(loadPair(layer.beta + k))));
    let byGamma = f64x2.div(f64x2.add(s, f64x2.mul(epsilon, logOfTwo(gamma))), slack);
    const usable = v128.and(
      v128.and(f64x2.gt(gamma, zero), f64x2.gt(slack, zero)),
      f64x2.lt(f64x2.abs(f64x2.mul(alpha, byGamma)), f64x2.splat(LARGEST_START)),
    );
    if (newton) byGamma = f64x2.max(byGamma, byBeta);
    v128.store(layer.target + (k << 1), s);
    v128.store(layer.logarithm + (k << 1), v128.bitselect(byGamma, byBeta, usable));
    storePair(layer.exponent + k, epsilon);
    alphaAddress += 2 * alphaStep;
    gammaAddress += 2 * gammaStep;
  }
}

/** Writes F at t to `defect`; returns max |F_i|, or ∞ if a pool or z overflows in Float32. */
function evaluate(layer: Layer, form: i32, t: usize, defect: usize): f64 {
  const excess = f64x2.splat(pool(layer, form, t));
  let largest = f64x2.splat(0), highest = largest;
  let inRange = i32x4.splat(-1);
  for (let k: usize = 0; k < layer.n << 2; k += 8) {
    const pools = v128.load_zero<u64>(layer.pool + k);
    inRange = v128.and(inRange, f32x4.lt(pools, f32x4.splat(Infinity)));
    const logPool = f64x2.add(logOfTwo(f64x2.promote_low_f32x4(pools)), excess);
    const loss = f64x2.mul(loadPair(layer.exponent + k), logPool);
    const logarithm = v128.load(t + (k << 1));
    highest = f64x2.max(highest, logarithm);
    const difference = f64x2.sub(logarithm, v128.load(layer.target + (k << 1)));
    const value = f64x2.sub(difference, loss);
    largest = f64x2.max(largest, f64x2.abs(value));
    storePair(defect + k, value);
  }
  if (!v128.all_true<i32>(inRange)) return Infinity;
  if (max(f64x2.extract_lane(highest, 0), f64x2.extract_lane(highest, 1)) > LARGEST_LOGARITHM) return Infinity;
  return max(f64x2.extract_lane(largest, 0), f64x2.extract_lane(largest, 1));
}

/** target = t − share·step */
function advance(target: usize, t: usize, share: f64, step: usize, n: usize): void {
  for (let k: usize = 0; k < n << 2; k += 8) {
    const part = f64x2.mul(f64x2.splat(share), loadPair(step + k));
    v128.store(target + (k << 1), f64x2.sub(v128.load(t + (k << 1)), part));
  }
}

/** z_i = e^t_i with the sign of y_i (also −0), at most the largest Float32. */
function finish(layer: Layer, t: usize, y: usize, z: usize): void {
  for (let k: usize = 0; k < layer.n << 2; k += 16) {
    const low = v128.load(t + (k << 1)), high = v128.load(t + (k << 1), 16);
    const size = f32x4.min(roundPairs(expOfTwo(low), expOfTwo(high)), f32x4.splat(LARGEST_FLOAT));
    v128.store(z + k, v128.bitselect(v128.load(y + k), size, i32x4.splat(0x80000000)));
  }
}

function synthesizeSample(
  layer: Layer, form: i32, newton: bool, tolerance: f64, maximumIterations: i32, sample: usize,
): void {
  const row = sample * layer.stride;
  let t = layer.logarithm, trial = layer.trial;
  let defect = layer.defect, trialDefect = layer.trialDefect;
  start(layer, form, newton, layer.y + row);
  forgetDirections();
  let residual = evaluate(layer, form, t, defect);
  let iterations: i32 = 0;
  let fine = false;
  while (residual > tolerance && residual < Infinity && iterations < maximumIterations) {
    let next = Infinity;
    // The start ignores the other components; one fixed-point step takes them into account.
    if (newton && iterations > 0) {
      newtonStep(layer, form, defect, residual, tolerance, fine);
      let share: f64 = 1;
      for (let k = 0; k < TRIALS && !(next < residual); k++) {
        advance(trial, t, share, layer.step, layer.n);
        next = evaluate(layer, form, trial, trialDefect);
        share *= 0.5;
      }
      // A step that had to be shortened was inaccurate.
      fine = fine || !(share == 0.5);
    }
    if (!(next < residual)) {
      advance(trial, t, 1, defect, layer.n);
      next = evaluate(layer, form, trial, trialDefect);
    }
    iterations++;
    if (!(next < Infinity)) break;
    residual = next;
    let swapped = t;
    t = trial;
    trial = swapped;
    swapped = defect;
    defect = trialDefect;
    trialDefect = swapped;
  }
  finish(layer, t, layer.y + row, layer.z + row);
  store<i32>(layer.iterations + (sample << 2), iterations);
  store<f64>(layer.residual + (sample << 3), residual);
}

/** Computes z for a chunk of samples y; `form` as in gdn-synthesis-forms.ts. */
export function synthesize(layer: Layer, form: i32, newton: bool, tolerance: f64, maximumIterations: i32): void {
  for (let s: usize = 0; s < layer.count; s++) {
    synthesizeSample(layer, form, newton, tolerance, maximumIterations, s);
  }
}
