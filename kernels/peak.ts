/**
 * Peak rate of 128-bit multiply-adds on one core, for `npm run bench`: enough chains in registers
 * to hide the latency of each operation, and no memory access.
 */
import { multiplyAdd } from "./simd";

/** Floating-point operations of one round of `multiplyAddPeak` and of `productSumPeak`. */
export function multiplyAddOperations(): i32 {
  return 12 * 4 * 2;
}

export function productSumOperations(): i32 {
  return 2 * 5 * 4 * 2;
}

/** In memory, because a constant takes 18 bytes of code wherever it is used. */
const values: usize = memory.data<f32>([1, 0.5, 0.25, 0.9999999]);

/** Twelve chains x ← x·f + t. Returns their sum, so that nothing is optimised away. */
export function multiplyAddPeak(rounds: i32): f32 {
  const factor = v128.load_splat<f32>(values, 4), term = v128.load_splat<f32>(values, 8);
  let a = v128.load_splat<f32>(values), b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a, k = a, l = a;
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

/**
 * Five chains of products p ← p·f, each summed, s ← s + p, twice per round: no multiplication waits
 * for an addition. Faster than `multiplyAddPeak` if multiplication and addition are separate
 * instructions.
 */
export function productSumPeak(rounds: i32): f32 {
  const factor = v128.load_splat<f32>(values, 12);
  let a = v128.load_splat<f32>(values), b = a, c = a, d = a, e = a;
  let sa = a, sb = a, sc = a, sd = a, se = a;
  for (let round = 0; round < rounds; round++) {
    sa = f32x4.add(sa, a);
    a = f32x4.mul(a, factor);
    sb = f32x4.add(sb, b);
    b = f32x4.mul(b, factor);
    sc = f32x4.add(sc, c);
    c = f32x4.mul(c, factor);
    sd = f32x4.add(sd, d);
    d = f32x4.mul(d, factor);
    se = f32x4.add(se, e);
    e = f32x4.mul(e, factor);
    sa = f32x4.add(sa, a);
    a = f32x4.mul(a, factor);
    sb = f32x4.add(sb, b);
    b = f32x4.mul(b, factor);
    sc = f32x4.add(sc, c);
    c = f32x4.mul(c, factor);
    sd = f32x4.add(sd, d);
    d = f32x4.mul(d, factor);
    se = f32x4.add(se, e);
    e = f32x4.mul(e, factor);
  }
  const sum = f32x4.add(f32x4.add(f32x4.add(sa, sb), f32x4.add(sc, sd)), se);
  return f32x4.extract_lane(sum, 0);
}
