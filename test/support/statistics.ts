import { expectClose } from "./expect-close.js";

/** Returns the standard normal distribution function, by quadrature (error below 1e-9). */
export function normalCdf(x: number): number {
  const limit = Math.min(Math.abs(x), 9);
  const steps = 200;
  const h = limit / steps;
  let sum = 1 + Math.exp(-0.5 * limit * limit);
  for (let k = 1; k < steps; k += 1) {
    sum += (k % 2 === 1 ? 4 : 2) * Math.exp(-0.5 * (k * h) ** 2);
  }
  const half = (sum * h) / 3 / Math.sqrt(2 * Math.PI);
  return x >= 0 ? 0.5 + half : 0.5 - half;
}

/**
 * Returns Kolmogorov–Smirnov's √n × the largest distance between sample and distribution function.
 */
export function kolmogorovSmirnov(sample: Float64Array, cdf: (x: number) => number): number {
  const sorted = Float64Array.from(sample).sort();
  let largest = 0;
  sorted.forEach((x, i) => {
    const p = cdf(x);
    largest = Math.max(largest, p - i / sorted.length, (i + 1) / sorted.length - p);
  });
  return largest * Math.sqrt(sorted.length);
}

/**
 * Returns Pearson's χ² of counts against equal expectations, standardised to mean 0 and deviation
 * 1.
 */
export function standardizedChiSquare(counts: ArrayLike<number>): number {
  const all = Array.from(counts);
  const mean = all.reduce((sum, count) => sum + count, 0) / all.length;
  const chiSquare = all.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
  const freedom = all.length - 1;
  return (chiSquare - freedom) / Math.sqrt(2 * freedom);
}

export function correlation(a: Float64Array, b: Float64Array): number {
  const mean = (x: Float64Array): number => x.reduce((sum, value) => sum + value, 0) / x.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i += 1) {
    ab += (a[i] - meanA) * (b[i] - meanB);
    aa += (a[i] - meanA) ** 2;
    bb += (b[i] - meanB) ** 2;
  }
  return ab / Math.sqrt(aa * bb);
}

/** Expects unbiased draws: every mean within five standard errors, and every value varies. */
export async function expectRightOnAverage(
  rounds: number,
  draw: () => Promise<ArrayLike<number>>,
  expected: ArrayLike<number>,
): Promise<void> {
  const mean = new Float64Array(expected.length);
  const square = new Float64Array(expected.length);
  for (let k = 0; k < rounds; k += 1) {
    const values = await draw();
    for (let at = 0; at < mean.length; at += 1) {
      mean[at] += values[at] / rounds;
      square[at] += values[at] ** 2 / rounds;
    }
  }
  const error = mean.map((value, at) => Math.sqrt(Math.max(0, square[at] - value ** 2) / rounds));
  if (!error.some((value) => value > 1e-6)) throw new Error("all draws are the same");
  mean.forEach((value, at) => {
    // A constant value must be right up to rounding.
    expectClose(value, expected[at], { absolute: 5 * error[at] + 1e-9 }, `mean ${at}`);
  });
}
