/** max_i Σ_j |A_ij| of an n×n matrix: its norm for the largest entry of a vector, and a bound of its eigenvalues. */
export function largestRowSum(A: Float64Array, n: number): number {
  let largest = 0;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += Math.abs(A[i * n + j]);
    largest = Math.max(largest, sum);
  }
  return largest;
}
