/** Complex numbers as separate real and imaginary parts. */
export interface ComplexArray {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
}

/** One step of a Fourier transform, from x to y. */
export type Stage = (x: ComplexArray, y: ComplexArray) => void;

export function complexArray(length: number): ComplexArray {
  return { real: new Float64Array(length), imaginary: new Float64Array(length) };
}
