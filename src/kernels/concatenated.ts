type NumberArray = Float32Array | Float64Array | Int32Array | Uint8Array;

/** Joins arrays into a new one of the given kind: `concatenated(Float32Array, parts)`. */
export function concatenated<A extends NumberArray>(
  Kind: new (length: number) => A,
  parts: readonly ArrayLike<number>[],
): A {
  const all = new Kind(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
