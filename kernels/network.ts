/**
 * Rectifier of networks: φ(u) = (u + √(1 + u²)) / 2. Roots and quotients are correctly rounded, so
 * their bits are the same on every engine.
 */
import { multiplyAdd } from "./simd";

/** Largest |u| whose square is computed. */
const LARGEST_SQUARED: f32 = 1e18;

/** values = φ(values + bias) for rows of `columns` floats, a multiple of 4. */
export function rectify(values: usize, stride: usize, rows: usize, columns: usize, bias: usize): void {
  const one = f32x4.splat(1), half = f32x4.splat(0.5);
  for (const end = values + rows * stride; values < end; values += stride) {
    for (let k: usize = 0; k < columns << 2; k += 16) {
      const u = f32x4.add(v128.load(values + k), v128.load(bias + k));
      const distance = f32x4.abs(u);
      // Beyond the bound √(1 + u²) is |u|, and u² could overflow.
      const bounded = f32x4.min(distance, f32x4.splat(LARGEST_SQUARED));
      const root = f32x4.max(f32x4.sqrt(multiplyAdd(bounded, bounded, one)), distance);
      const size = f32x4.add(distance, root);
      // φ(u) φ(−u) = 1/4. Below 0, the sum in φ itself would lose digits.
      const isNegative = f32x4.lt(u, f32x4.splat(0));
      v128.store(values + k, v128.bitselect(f32x4.div(half, size), f32x4.mul(half, size), isNegative));
    }
  }
}

/** gradient *= φ′ for `count` floats, a multiple of 4; φ′ = q / (q + 1) with q = 4φ². */
export function multiplyBySlopes(gradient: usize, values: usize, count: usize): void {
  for (const end = gradient + (count << 2); gradient < end; gradient += 16) {
    const twice = f32x4.add(v128.load(values), v128.load(values));
    // The bound keeps the quotient from ∞/∞.
    const q = f32x4.min(f32x4.mul(twice, twice), f32x4.splat(1e30));
    const slope = f32x4.div(q, f32x4.add(q, f32x4.splat(1)));
    v128.store(gradient, f32x4.mul(v128.load(gradient), slope));
    values += 16;
  }
}
