/** Order statistics: extremes, the n-th smallest value, median, quantiles. */
import { portableExp } from "./exponential.js";
import { portableLog } from "./logarithm.js";

/**
 * Returns the n-th smallest value, n from 0, without sorting (Floyd & Rivest 1975, "Algorithm 489:
 * SELECT"). Reorders the values: afterwards none before n is larger and none behind it is smaller.
 * No value may be NaN.
 *
 * Cost: about 1.5 comparisons per value, instead of log₂ N.
 */
export function nthSmallest(values: Float64Array, n: number): number {
  select(values, n, 0, values.length - 1);
  return values[n];
}

/** Number of values above which a sample is used to bound the n-th. */
const worthSampling = 600;

function select(values: Float64Array, n: number, first: number, last: number): void {
  let [left, right] = [first, last];
  while (right > left) {
    if (right - left > worthSampling) {
      const [from, to] = boundsOfSample(n, left, right);
      select(values, n, from, to);
    }
    const end = partition(values, n, left, right);
    if (end <= n) left = end + 1;
    if (n <= end) right = end - 1;
  }
}

/** Returns the range of the sample around n, with the constants of the paper. */
function boundsOfSample(n: number, left: number, right: number): readonly [number, number] {
  const count = right - left + 1;
  const place = n - left + 1;
  const size = 0.5 * portableExp((2 * portableLog(count)) / 3);
  const side = Math.sign(place - count / 2);
  const spread = 0.5 * Math.sqrt((portableLog(count) * size * (count - size)) / count) * side;
  return [
    Math.max(left, Math.floor(n - (place * size) / count + spread)),
    Math.min(right, Math.floor(n + ((count - place) * size) / count + spread)),
  ];
}

/** Partitions around the value at n; returns its new index. */
function partition(values: Float64Array, n: number, left: number, right: number): number {
  const pivot = values[n];
  swap(values, left, n);
  const isLastLarger = values[right] > pivot;
  if (isLastLarger) swap(values, left, right);
  let [i, j] = [left, right];
  while (i < j) {
    swap(values, i, j);
    i++;
    j--;
    while (values[i] < pivot) i++;
    while (values[j] > pivot) j--;
  }
  if (values[left] === pivot) swap(values, left, j);
  else swap(values, ++j, right);
  return j;
}

function swap(values: Float64Array, i: number, j: number): void {
  const value = values[i];
  values[i] = values[j];
  values[j] = value;
}

/** Returns quantile p of sorted values: value i of n is quantile (i + ½)/n; linear in between. */
export function quantileOfSorted(sorted: Float64Array, p: number): number {
  const place = Math.min(sorted.length - 1, Math.max(0, p * sorted.length - 0.5));
  const low = Math.floor(place);
  const high = Math.min(sorted.length - 1, low + 1);
  return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
}

/** Returns the median; for an even number of values, the mean of the two in the middle. */
export function medianOf(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}

/** Returns the lowest and highest of one or more values. */
export function rangeOf(values: Float32Array | Float64Array): { lowest: number; highest: number } {
  let [lowest, highest] = [Infinity, -Infinity];
  for (const value of values) {
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  }
  return { lowest, highest };
}
