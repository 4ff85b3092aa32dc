import { portableExp } from "../numbers/exponential.js";
import { portableLog } from "../numbers/logarithm.js";

/**
 * The n-th smallest of some values, n from 0: what would be at n if they were sorted, without sorting them (Floyd & Rivest 1975, "Algorithm 489:
 * SELECT"). Moves the values: none before n is larger then, none behind it is smaller. No value may be NaN.
 *
 * Cost: about one and a half comparisons a value, instead of log₂ N.
 */
export function nthSmallest(values: Float64Array, n: number): number {
  select(values, n, 0, values.length - 1);
  return values[n];
}

/** Above so many values, a sample of them says between which bounds the n-th lies. */
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

/** Where a sample around n is looked through first; the constants are those of the paper. */
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

/** Around the value at n; returns the place where that comes to lie. */
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
