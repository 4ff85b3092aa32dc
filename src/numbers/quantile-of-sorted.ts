/** Quantile p of sorted values: value i of n is that at (i + ½)/n; linear in between. */
export function quantileOfSorted(sorted: Float64Array, p: number): number {
  const place = Math.min(sorted.length - 1, Math.max(0, p * sorted.length - 0.5));
  const low = Math.floor(place);
  const high = Math.min(sorted.length - 1, low + 1);
  return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
}
