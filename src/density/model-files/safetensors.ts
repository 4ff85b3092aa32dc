/**
 * The safetensors format (https://github.com/huggingface/safetensors, "Format"): named arrays, and texts about them.
 *
 *   8 bytes    length L of the header, little-endian
 *   L bytes    JSON: {"__metadata__": {text: text}, name: {"dtype", "shape", "data_offsets": [begin, end]}, …}
 *   the rest   the arrays, row-major and little-endian, without holes; offsets count from here
 *
 * Of its element types only those that models need. Reading: read-safetensors.ts.
 */
import { expected } from "../../errors.js";
import type { FloatArray } from "../../kernels/kernels.js";

export type TensorValues = FloatArray | Int32Array;

export interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: TensorValues;
}

export type Dtype = "F64" | "F32" | "I32";

export const metadataKey = "__metadata__";
/** The limit of the format's own implementation. */
export const longestHeader = 100_000_000;
/** Of the number that says how long the header is. */
export const lengthBytes = 8;

/** The same tensors and texts give the same bytes. */
export function encodeSafetensors(
  tensors: readonly Tensor[],
  metadata: Readonly<Record<string, string>>,
): Uint8Array {
  // The widest elements first: every tensor is then aligned to its own width.
  const ordered = [...tensors].sort(
    (a, b) => b.values.BYTES_PER_ELEMENT - a.values.BYTES_PER_ELEMENT,
  );
  let end = 0;
  const entries = ordered.map(({ name, shape, values }) => {
    const begin = end;
    end += values.byteLength;
    return [name, { dtype: dtypeOf(values), shape, data_offsets: [begin, end] }] as const;
  });
  const text = JSON.stringify(Object.fromEntries([[metadataKey, metadata], ...entries]));
  const header = new TextEncoder().encode(text);
  const headerLength = Math.ceil(header.length / 8) * 8;
  if (headerLength > longestHeader) {
    throw expected("the header", `have at most ${longestHeader} bytes`, headerLength);
  }
  const bytes = new Uint8Array(lengthBytes + headerLength + end);
  new DataView(bytes.buffer).setUint32(0, headerLength, true);
  bytes.fill(0x20, lengthBytes, lengthBytes + headerLength);
  bytes.set(header, lengthBytes);
  let start = lengthBytes + headerLength;
  for (const { values } of ordered) {
    writeValues(values, new DataView(bytes.buffer, start, values.byteLength));
    start += values.byteLength;
  }
  return bytes;
}

function dtypeOf(values: TensorValues): Dtype {
  if (values instanceof Float64Array) return "F64";
  return values instanceof Float32Array ? "F32" : "I32";
}

/** Through a view, so that big-endian machines write the same file. */
export function writeValues(values: TensorValues, view: DataView): void {
  const write = {
    F64: (k: number, value: number) => {
      view.setFloat64(8 * k, value, true);
    },
    F32: (k: number, value: number) => {
      view.setFloat32(4 * k, value, true);
    },
    I32: (k: number, value: number) => {
      view.setInt32(4 * k, value, true);
    },
  }[dtypeOf(values)];
  for (let k = 0; k < values.length; k++) write(k, values[k]);
}
