/**
 * Whether pairs are samples of a density at all: those of one hardly ever have equal values, and the mutual information by nearest
 * neighbours rests on that. 3,000 normal pairs rounded to multiples of q have
 *
 *   q                    0.03   0.1    0.2    0.3
 *   different pairs      89 %   40 %   16 %   9 %
 *   different values     6.5 %  2.2 %  1.2 %  0.8 %
 *   bits after the fit   0.01   0.09   4.3    5.0    where 0 is right
 *
 * and where one column only is rounded, −0.2 bits at 2.1 % different values and 1.3 at 0.8 %.
 */
const fewestPairs = 0.5;
const fewestValues = 0.04;

/** What to say of equal values, in a sentence; null where there are not many. `x` is count×2. */
export function cautionOfTies(x: Float32Array, names: readonly [string, string]): string | null {
  const what = tied(x, names);
  if (what === null) return null;
  return `Many ${what} are equal: these are not samples of a density, and the estimates of ΔJ and of mutual information mean little.`;
}

function tied(x: Float32Array, names: readonly [string, string]): string | null {
  const count = x.length / 2;
  // Two floats are 64 bits.
  const bits = new BigUint64Array(x.slice().buffer);
  if (new Set(bits).size < fewestPairs * count) return "of the pairs";
  const column = [0, 1].find((i) => differentValues(x, i) < fewestValues * count);
  return column === undefined ? null : `values of ${names[column]}`;
}

function differentValues(x: Float32Array, column: number): number {
  return new Set(x.filter((_, k) => k % 2 === column)).size;
}
