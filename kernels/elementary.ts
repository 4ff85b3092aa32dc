/**
 * exp, log and pow, computed in Float64 two lanes at a time and rounded once to Float32. A Float32
 * denormal is a normal Float64, so no range is special, and the single rounding keeps every result
 * within 0.501 units in the last place (tested over the whole range).
 */

import { multiplyAdd } from "./simd";

const LN2: f64 = 0.6931471805599453;
const LOG2E: f64 = 1.4426950408889634;

/*
 * Coefficients are in memory: loading one takes fewer bytes of code than a constant. It also makes
 * the two functions below too large for the compiler to inline. (They are not exported, because a
 * vector cannot leave the module.)
 */

/** 2/17, 2/15, … 2/3 */
const oddTerms: usize = memory.data<f64>([
  2.0 / 17.0, 2.0 / 15.0, 2.0 / 13.0, 2.0 / 11.0, 2.0 / 9.0, 2.0 / 7.0, 2.0 / 5.0, 2.0 / 3.0,
]);
/** 1/9!, 1/8!, … 1/0! */
const factorials: usize = memory.data<f64>([
  1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1, 1,
]);

/**
 * Natural logarithm of two positive, finite Float64 lanes that are not denormal: relative error
 * below 1e-13.
 */
@inline
export function logOfTwo(x: v128): v128 {
  return callLogOfTwo(x);
}

function callLogOfTwo(x: v128): v128 {
  return inlineLogOfTwo(x);
}

/** Natural logarithm of one value, with the same conditions: the standard library's takes 4 kB. */
export function logOf(x: f64): f64 {
  return f64x2.extract_lane(logOfTwo(f64x2.splat(x)), 0);
}

/** Inlined version for the passes over whole batches. */
@inline
export function inlineLogOfTwo(x: v128): v128 {
  // x = 2^n·m with m in [√½, √2): subtracting the bits of √½ leaves n in the exponent field.
  const offset = i64x2.sub(x, i64x2.splat(0x3fe6a09e667f3bcd));
  const exponent = i64x2.shr_s(offset, 52);
  const m = i64x2.sub(x, i64x2.shl(exponent, 52));
  const n = f64x2.convert_low_i32x4_s(v128.shuffle<i32>(exponent, exponent, 0, 2, 0, 2));
  // log m = 2 artanh s, s = (m − 1)/(m + 1), |s| ≤ 0.172: eight odd terms.
  const one = f64x2.splat(1);
  const s = f64x2.div(f64x2.sub(m, one), f64x2.add(m, one));
  const t = f64x2.mul(s, s);
  let p = v128.load_splat<f64>(oddTerms);
  p = f64x2.add(f64x2.mul(p, t), v128.load_splat<f64>(oddTerms, 8));
  p = f64x2.add(f64x2.mul(p, t), v128.load_splat<f64>(oddTerms, 16));
  p = f64x2.add(f64x2.mul(p, t), v128.load_splat<f64>(oddTerms, 24));
  p = f64x2.add(f64x2.mul(p, t), v128.load_splat<f64>(oddTerms, 32));
  p = f64x2.add(f64x2.mul(p, t), v128.load_splat<f64>(oddTerms, 40));
  p = f64x2.add(f64x2.mul(p, t), v128.load_splat<f64>(oddTerms, 48));
  p = f64x2.add(f64x2.mul(p, t), v128.load_splat<f64>(oddTerms, 56));
  p = f64x2.mul(p, f64x2.mul(t, s));
  return f64x2.add(f64x2.mul(n, f64x2.splat(LN2)), f64x2.add(f64x2.add(s, s), p));
}

/**
 * e to the power of two Float64 lanes, for results in the range of Float32: relative error below
 * 1e-11.
 */
@inline
export function expOfTwo(x: v128): v128 {
  return callExpOfTwo(x);
}

function callExpOfTwo(x: v128): v128 {
  return inlineExpOfTwo(x);
}

/** Inlined version for the passes over whole batches, a few per cent faster than calls. */
@inline
export function inlineExpOfTwo(x: v128): v128 {
  // Beyond these bounds the Float32 result is 0 or ∞. NaN passes through.
  const bounded = f64x2.max(f64x2.min(f64x2.splat(150), x), f64x2.splat(-150));
  const n = f64x2.nearest(f64x2.mul(bounded, f64x2.splat(LOG2E)));
  const r = f64x2.sub(bounded, f64x2.mul(n, f64x2.splat(LN2)));
  // Taylor series to r⁹ on |r| ≤ ½ ln 2: the next term is 7e-12.
  let p = v128.load_splat<f64>(factorials);
  p = f64x2.add(f64x2.mul(p, r), v128.load_splat<f64>(factorials, 8));
  p = f64x2.add(f64x2.mul(p, r), v128.load_splat<f64>(factorials, 16));
  p = f64x2.add(f64x2.mul(p, r), v128.load_splat<f64>(factorials, 24));
  p = f64x2.add(f64x2.mul(p, r), v128.load_splat<f64>(factorials, 32));
  p = f64x2.add(f64x2.mul(p, r), v128.load_splat<f64>(factorials, 40));
  p = f64x2.add(f64x2.mul(p, r), v128.load_splat<f64>(factorials, 48));
  p = f64x2.add(f64x2.mul(p, r), v128.load_splat<f64>(factorials, 56));
  p = f64x2.add(f64x2.mul(p, r), v128.load_splat<f64>(factorials, 64));
  p = f64x2.add(f64x2.mul(p, r), v128.load_splat<f64>(factorials, 72));
  const power = i32x4.trunc_sat_f64x2_s_zero(n);
  const biased = i64x2.add(i64x2.extend_low_i32x4_s(power), i64x2.splat(1023));
  return f64x2.mul(p, i64x2.shl(biased, 52));
}

/** First two lanes of a Float32 vector as Float64. */
@inline
export function lowPair(v: v128): v128 {
  return f64x2.promote_low_f32x4(v);
}

@inline
export function highPair(v: v128): v128 {
  return f64x2.promote_low_f32x4(v128.shuffle<i64>(v, v, 1, 1));
}

/** Rounds two pairs of Float64 to one Float32 vector. */
@inline
export function roundPairs(low: v128, high: v128): v128 {
  return v128.shuffle<i64>(
    f32x4.demote_f64x2_zero(low),
    f32x4.demote_f64x2_zero(high),
    0,
    2,
  );
}

/** logOfTwo with the IEEE 754 values at 0, ∞, negative numbers and NaN. */
@inline
function logOfAnyTwo(x: v128): v128 {
  const zero = f64x2.splat(0);
  const infinity = f64x2.splat(Infinity);
  let result = logOfTwo(x);
  result = v128.bitselect(f64x2.neg(infinity), result, f64x2.eq(x, zero));
  result = v128.bitselect(x, result, f64x2.eq(x, infinity));
  // Not (x ≥ 0): negative or NaN.
  return v128.bitselect(result, f64x2.splat(NaN), f64x2.ge(x, zero));
}

/** base^exponent for base ≥ 0 as in JavaScript: 1 for an exponent of 0, NaN for 1^±∞. */
@inline
function powOfTwo(base: v128, exponent: v128): v128 {
  const product = f64x2.mul(exponent, logOfAnyTwo(base));
  // 0·log 0 and 0·log ∞ would be NaN.
  return expOfTwo(v128.andnot(product, f64x2.eq(exponent, f64x2.splat(0))));
}

export function expArray(x: usize, out: usize, count: usize): void {
  for (let k: usize = 0; k < count; k += 4) {
    const v = v128.load(x + (k << 2));
    v128.store(out + (k << 2), roundPairs(expOfTwo(lowPair(v)), expOfTwo(highPair(v))));
  }
}

export function logArray(x: usize, out: usize, count: usize): void {
  for (let k: usize = 0; k < count; k += 4) {
    const v = v128.load(x + (k << 2));
    v128.store(out + (k << 2), roundPairs(logOfAnyTwo(lowPair(v)), logOfAnyTwo(highPair(v))));
  }
}

export function powArray(base: usize, exponent: usize, out: usize, count: usize): void {
  for (let k: usize = 0; k < count; k += 4) {
    const b = v128.load(base + (k << 2));
    const e = v128.load(exponent + (k << 2));
    v128.store(
      out + (k << 2),
      roundPairs(powOfTwo(lowPair(b), lowPair(e)), powOfTwo(highPair(b), highPair(e))),
    );
  }
}

/** 2/ln 2 times 1/9, 1/7, 1/5, 1/3 and 1. */
const oddTermsInFloat32: usize = memory.data<f32>([
  0.32059890, 0.41219858, 0.57707802, 0.96179669, 2.8853901,
]);
/** (ln 2)^k / k! for k from 7 to 0. */
const powersInFloat32: usize = memory.data<f32>([
  1.5252734e-5, 1.5403530e-4, 1.3333558e-3, 9.6181291e-3, 5.5504109e-2, 2.4022651e-1, 6.9314718e-1, 1,
]);

/**
 * base^exponent in Float32 for four bases ≥ 0 and exponents > 0. The relative error is below 1e-6
 * for results from 2^−10 to 2^10, and at most 1e-5 from 2^−126 to 2^126, where results end.
 */
@inline
export function powerOfFour(base: v128, exponent: v128): v128 {
  const one = f32x4.splat(1);
  const x = f32x4.max(base, f32x4.splat(1e-37));
  // x = 2^e·m with m in [√½, √2), as in inlineLogOfTwo.
  const e = i32x4.shr_s(i32x4.sub(x, i32x4.splat(0x3f3504f3)), 23);
  const m = i32x4.sub(x, i32x4.shl(e, 23));
  const s = f32x4.div(f32x4.sub(m, one), f32x4.add(m, one));
  const t = f32x4.mul(s, s);
  let p = v128.load_splat<f32>(oddTermsInFloat32);
  p = multiplyAdd(p, t, v128.load_splat<f32>(oddTermsInFloat32, 4));
  p = multiplyAdd(p, t, v128.load_splat<f32>(oddTermsInFloat32, 8));
  p = multiplyAdd(p, t, v128.load_splat<f32>(oddTermsInFloat32, 12));
  p = multiplyAdd(p, t, v128.load_splat<f32>(oddTermsInFloat32, 16));
  const log = f32x4.add(f32x4.convert_i32x4_s(e), f32x4.mul(p, s));
  const power = f32x4.max(f32x4.min(f32x4.mul(exponent, log), f32x4.splat(126)), f32x4.splat(-126));
  const n = f32x4.nearest(power), r = f32x4.sub(power, n);
  let q = v128.load_splat<f32>(powersInFloat32);
  q = multiplyAdd(q, r, v128.load_splat<f32>(powersInFloat32, 4));
  q = multiplyAdd(q, r, v128.load_splat<f32>(powersInFloat32, 8));
  q = multiplyAdd(q, r, v128.load_splat<f32>(powersInFloat32, 12));
  q = multiplyAdd(q, r, v128.load_splat<f32>(powersInFloat32, 16));
  q = multiplyAdd(q, r, v128.load_splat<f32>(powersInFloat32, 20));
  q = multiplyAdd(q, r, v128.load_splat<f32>(powersInFloat32, 24));
  q = multiplyAdd(q, r, one);
  return f32x4.mul(q, i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23));
}
