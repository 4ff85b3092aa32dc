/**
 * Vector operations that all kernels use. The relaxed build fuses a multiplication and an addition
 * into one rounding; the plain build never does, so its bits are the same on every machine.
 */

/** a·b + c */
@inline
export function multiplyAdd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(c, f32x4.mul(a, b));
}

/** c − a·b */
@inline
export function multiplySubtract(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_nmadd(a, b, c);
  return f32x4.sub(c, f32x4.mul(a, b));
}

/** Sum of the four lanes, always in the same order. */
@inline
export function sumLanes(v: v128): f32 {
  return (
    f32x4.extract_lane(v, 0) +
    f32x4.extract_lane(v, 2) +
    (f32x4.extract_lane(v, 1) + f32x4.extract_lane(v, 3))
  );
}

/** max(|v|, floor) of each lane: keeps logarithms and reciprocals finite at 0. */
@inline
export function magnitude(v: v128, floor: v128): v128 {
  return f32x4.max(f32x4.abs(v), floor);
}

/** Sign of v as −1, 0 or 1. */
@inline
export function sign(v: v128): v128 {
  const zero = f32x4.splat(0);
  const one = f32x4.splat(1);
  return f32x4.sub(
    v128.and(f32x4.gt(v, zero), one),
    v128.and(f32x4.lt(v, zero), one),
  );
}

/** target[k] += source[k] for `count` floats, a multiple of 4. */
export function add(target: usize, source: usize, count: usize): void {
  const end = target + (count << 2);
  for (; target < end; ) {
    v128.store(target, f32x4.add(v128.load(target), v128.load(source)));
    target += 16;
    source += 16;
  }
}
