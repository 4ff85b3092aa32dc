/**
 * The most multiply-adds of 128-bit vectors that this engine gets out of one core, for `npm run bench`: chains
 * in registers without any memory access. Returns their sum, so that nothing can be optimised away.
 */
import { multiplyAdd } from "./simd";

// @ts-ignore: decorator
@inline
const CHAINS: i32 = 12;

/** Floating-point operations of one round. */
export function peakOperationsPerRound(): i32 {
  return CHAINS * 4 * 2;
}

export function multiplyAddPeak(rounds: i32): f32 {
  const factor = f32x4.splat(0.5), term = f32x4.splat(0.25);
  let a = f32x4.splat(1), b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a, k = a, l = a;
  for (let round = 0; round < rounds; round++) {
    a = multiplyAdd(a, factor, term);
    b = multiplyAdd(b, factor, term);
    c = multiplyAdd(c, factor, term);
    d = multiplyAdd(d, factor, term);
    e = multiplyAdd(e, factor, term);
    f = multiplyAdd(f, factor, term);
    g = multiplyAdd(g, factor, term);
    h = multiplyAdd(h, factor, term);
    i = multiplyAdd(i, factor, term);
    j = multiplyAdd(j, factor, term);
    k = multiplyAdd(k, factor, term);
    l = multiplyAdd(l, factor, term);
  }
  const left = f32x4.add(f32x4.add(f32x4.add(a, b), f32x4.add(c, d)), f32x4.add(e, f));
  const right = f32x4.add(f32x4.add(f32x4.add(g, h), f32x4.add(i, j)), f32x4.add(k, l));
  return f32x4.extract_lane(f32x4.add(left, right), 0);
}
