/**
 * df/dt at 0 by central differences of two steps, combined so that the error is of the fourth order:
 * h⁴ times the fifth derivative from truncation and 2e-16/h = 2e-12 from cancellation, for functions of size 1.
 */
export function derivative(f: (t: number) => number, step = 1e-4): number {
  const slope = (h: number): number => (f(h) - f(-h)) / (2 * h);
  return (4 * slope(step / 2) - slope(step)) / 3;
}

/** The same by each of the values, which are changed in place and restored. */
export function gradientByDifferences(
  values: Float64Array,
  f: () => number,
  step?: number,
): Float64Array {
  return values.map((value, k) => {
    const shifted = (t: number): number => {
      values[k] = value + t;
      const result = f();
      values[k] = value;
      return result;
    };
    return derivative(shifted, step);
  });
}

/** log |det| by elimination with row pivoting, written apart from the library's. */
export function logAbsDeterminant(rows: readonly Float64Array[]): number {
  const left = rows.map((row) => Float64Array.from(row));
  let sum = 0;
  for (let column = 0; column < rows.length; column += 1) {
    left.sort((a, b) => Math.abs(b[column]) - Math.abs(a[column]));
    const pivotRow = left.shift() as Float64Array;
    sum += Math.log(Math.abs(pivotRow[column]));
    for (const row of left) {
      const factor = row[column] / pivotRow[column];
      for (let j = column; j < row.length; j += 1) row[j] -= factor * pivotRow[j];
    }
  }
  return sum;
}
