/** Float32 by its bits. */
const words = new Uint32Array(1);
const floats = new Float32Array(words.buffer);

export function float32OfBits(bits: number): number {
  words[0] = bits;
  return floats[0];
}

const double = new DataView(new ArrayBuffer(8));

/** The distance between neighbouring Float32 numbers at a value; 2⁻¹⁴⁹ among denormals. */
export function unitInLastPlace(value: number): number {
  double.setFloat64(0, value);
  const exponent = ((double.getUint32(0) >>> 20) & 0x7ff) - 1023;
  return 2 ** (Math.min(127, Math.max(-126, exponent)) - 23);
}

/**
 * |actual − exact| in units in the last place of Float32. Where the exact value rounds to ±∞, and
 * for NaN, only that (or, from Float64 kernels, the exact value) counts as no error.
 */
export function errorInUlps(actual: number, exact: number): number {
  if (actual === exact || (Number.isNaN(actual) && Number.isNaN(exact))) return 0;
  const rounded = Math.fround(exact);
  if (!Number.isFinite(rounded)) return actual === rounded ? 0 : Infinity;
  if (!Number.isFinite(actual)) return Infinity;
  return Math.abs(actual - exact) / unitInLastPlace(exact);
}
