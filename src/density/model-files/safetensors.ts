/**
 * Writes the safetensors format (https://github.com/huggingface/safetensors, "Format"): named
 * arrays with metadata.
 *
 *   8 bytes    length L of the header, little-endian
 *   L bytes    JSON: {"__metadata__": {text: text}, name: {"dtype", "shape",
 *              "data_offsets": [begin, end]}, …}
 *   the rest   the arrays, row-major and little-endian, without holes; offsets count from here
 *
 * Only the element types of models are supported. read-safetensors.ts reads the format.
 */
import { expected } from "../../errors.js";
import type { FloatArray } from "../../kernels/kernels.js";
import { largestHalf, numberToHalf } from "./half-floats.js";

export type TensorValues = FloatArray | Int32Array;

export interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: TensorValues;
  /** Whether to store values in 16 bits; they are read as Float32. Default false. */
  readonly isHalf?: boolean;
}

export type Dtype = "F64" | "F32" | "I32" | "F16";

/** Size of an element of each type. */
export const bytesPerElement: Readonly<Record<Dtype, number>> = { F64: 8, F32: 4, I32: 4, F16: 2 };

export const metadataKey = "__metadata__";
/** Limit of the reference implementation. */
export const longestHeader = 100_000_000;
/** Bytes of the length of the header. */
export const lengthBytes = 8;

/** Encodes tensors; the same tensors and texts give the same bytes. */
export function encodeSafetensors(
  tensors: readonly Tensor[],
  metadata: Readonly<Record<string, string>>,
): Uint8Array {
  // With the widest elements first, every tensor is aligned.
  const ordered = tensors
    .map((tensor) => ({ ...tensor, dtype: dtypeOf(tensor) }))
    .sort((a, b) => bytesPerElement[b.dtype] - bytesPerElement[a.dtype]);
  let end = 0;
  const entries = ordered.map(({ name, shape, values, dtype }) => {
    const begin = end;
    end += values.length * bytesPerElement[dtype];
    return [name, { dtype, shape, data_offsets: [begin, end] }] as const;
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
  for (const { name, values, dtype } of ordered) {
    if (dtype === "F16") requireHalfRange(name, values);
    const length = values.length * bytesPerElement[dtype];
    writeValues(values, new DataView(bytes.buffer, start, length), dtype);
    start += length;
  }
  return bytes;
}

function dtypeOf({ values, isHalf = false }: Tensor): Dtype {
  return isHalf ? "F16" : dtypeOfValues(values);
}

function dtypeOfValues(values: TensorValues): Dtype {
  if (values instanceof Float64Array) return "F64";
  return values instanceof Float32Array ? "F32" : "I32";
}

function requireHalfRange(name: string, values: TensorValues): void {
  const beyond = values.find((value) => !(Math.abs(value) <= largestHalf));
  if (beyond === undefined) return;
  const rule = `hold numbers from −${largestHalf} to ${largestHalf}, the range of 16 bits,`;
  throw expected(`the tensor ${name}`, rule, beyond);
}

/** Writes through a view, so that big-endian machines write the same file. */
export function writeValues(
  values: TensorValues,
  view: DataView,
  dtype = dtypeOfValues(values),
): void {
  const { length } = values;
  switch (dtype) {
    case "F64":
      for (let k = 0; k < length; k++) view.setFloat64(8 * k, values[k], true);
      return;
    case "F32":
      for (let k = 0; k < length; k++) view.setFloat32(4 * k, values[k], true);
      return;
    case "I32":
      for (let k = 0; k < length; k++) view.setInt32(4 * k, values[k], true);
      return;
    case "F16":
      for (let k = 0; k < length; k++) view.setUint16(2 * k, numberToHalf(values[k]), true);
  }
}
