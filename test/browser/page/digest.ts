/**
 * Short texts that tell results apart to the last bit, and cross from a page to the test unchanged.
 */

/** Results by name: numbers, arrays of any kind, and objects of these. */
export type Values = Record<string, unknown>;

/** Name → text. */
export type Digests = Record<string, string>;

/** Few enough to be read: a failure then shows the numbers themselves. */
const mostShown = 4;

/** A text for each result; objects fall apart into their fields. */
export function digestsOf(kind: string, values: Values): Digests {
  const digests: Digests = {};
  for (const [name, value] of Object.entries(values)) {
    const full = `${kind}: ${name}`;
    if (isNumbers(value)) digests[full] = digestOf(value);
    else if (typeof value === "object" && value !== null) {
      Object.assign(digests, digestsOf(full, value as Values));
    } else digests[full] = String(value);
  }
  return digests;
}

function isNumbers(value: unknown): value is ArrayLike<number> {
  if (ArrayBuffer.isView(value)) return true;
  return Array.isArray(value) && value.length > 0 && value.every((v) => typeof v === "number");
}

/** All bits count, those of a zero's sign too; but NaN is NaN, whatever its bits. */
function digestOf(values: ArrayLike<number>): string {
  // A number as text is exact.
  if (values.length <= mostShown) return Array.from(values, String).join(", ");
  const float = new Float64Array(1);
  const words = new Uint32Array(float.buffer);
  // FNV-1a, twice: with its own start and with another one.
  let [a, b] = [0x811c9dc5, 0x2c1b3c6d];
  for (let k = 0; k < values.length; k++) {
    float[0] = values[k];
    const isNaN = Number.isNaN(values[k]);
    for (const word of isNaN ? [0, 0x7ff80000] : words) {
      a = Math.imul(a ^ word, 0x01000193);
      a ^= a >>> 15;
      b = Math.imul(b ^ word, 0x5bd1e995);
      b ^= b >>> 13;
    }
  }
  const text = [a, b].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  return `${values.length} values, digest ${text}`;
}
