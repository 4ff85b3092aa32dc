/** Digests of results: short texts that differ if any bit differs, and can be sent from a page. */

/** Results by name: numbers, arrays of any kind, and objects of these. */
export type Values = Record<string, unknown>;

/** Name → digest. */
export type Digests = Record<string, string>;

/** Short arrays are shown as numbers, so that a failure is readable. */
const mostShown = 4;

/** Returns a digest for each result, and for each field of an object. */
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

/** Covers all bits, with the sign of zero; all NaNs are equal. */
function digestOf(values: ArrayLike<number>): string {
  // A number as text is exact.
  if (values.length <= mostShown) return Array.from(values, String).join(", ");
  const float = new Float64Array(1);
  const words = new Uint32Array(float.buffer);
  // FNV-1a twice, with different start values.
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
