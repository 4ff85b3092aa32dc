/** Writes arrays for numpy: .npy files of format 1.0 in an uncompressed zip (`numpy.load`). */
import { zipSync } from "fflate";
import { expected } from "../../errors.js";
import { type Tensor, type TensorValues, writeValues } from "./safetensors.js";

/** A row-major array, or a text, which becomes a bytes string without dimensions. */
export type NpyArray = Omit<Tensor, "name"> | string;

/** A fixed time, in local time because zip files have no time zone. */
const anyTime = (): Date => new Date(1980, 0, 2, 12);
/** Most bytes of data: zip files have 32-bit sizes, which include the headers. */
const mostBytes = 0xff00_0000;
/** Bytes of magic text, version and header length. */
const prefixBytes = 10;
/** Alignment of data, for files that numpy maps into memory. */
const alignment = 64;

/**
 * Encodes a .npz file; the same arrays give the same bytes.
 *
 * @example
 * ```js
 * import { encodeNpz } from "gaussianize/density";
 *
 * const bytes = encodeNpz({ x: { shape: [2], values: Float32Array.of(1, 2) } });
 * console.log(String.fromCharCode(bytes[0], bytes[1])); // PK
 * ```
 */
export function encodeNpz(arrays: Readonly<Record<string, NpyArray>>): Uint8Array {
  const entries = Object.entries(arrays).map(([name, array]) => ({
    name,
    ...(typeof array === "string" ? contentsOfText(array) : contentsOfArray(name, array)),
  }));
  const total = entries.reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (total > mostBytes) throw expected("the arrays", `have at most ${mostBytes} bytes`, total);
  const files = entries.map((entry) => [`${entry.name}.npy`, npyFile(entry)] as const);
  return zipSync(Object.fromEntries(files), { level: 0, mtime: anyTime() });
}

interface Contents {
  /** Element type in numpy's notation. */
  readonly type: string;
  readonly shape: readonly number[];
  readonly byteLength: number;
  readonly write: (view: DataView<ArrayBuffer>) => void;
}

function contentsOfText(text: string): Contents {
  const bytes = new TextEncoder().encode(text);
  const write = (view: DataView<ArrayBuffer>): void => {
    new Uint8Array(view.buffer, view.byteOffset).set(bytes);
  };
  return { type: `|S${bytes.length}`, shape: [], byteLength: bytes.length, write };
}

function contentsOfArray(name: string, { shape, values }: Exclude<NpyArray, string>): Contents {
  const length = shape.reduce((product, size) => product * size, 1);
  if (values.length !== length) {
    const rule = `hold ${length} values, by its shape [${shape.join(", ")}],`;
    throw expected(`the array ${name}`, rule, values.length);
  }
  const write = (view: DataView): void => {
    writeValues(values, view);
  };
  return { type: numpyType(values), shape, byteLength: values.byteLength, write };
}

function numpyType(values: TensorValues): string {
  if (values instanceof Float64Array) return "<f8";
  return values instanceof Float32Array ? "<f4" : "<i4";
}

/** Returns an .npy file; its header is a Python dictionary, padded with spaces. */
function npyFile({ type, shape, byteLength, write }: Contents): Uint8Array {
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const dictionary = `{'descr': '${type}', 'fortran_order': False, 'shape': ${tuple}, }`;
  const start = Math.ceil((prefixBytes + dictionary.length + 1) / alignment) * alignment;
  const header = `${dictionary.padEnd(start - prefixBytes - 1)}\n`;
  const file = new Uint8Array(start + byteLength);
  file.set([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0]);
  new DataView(file.buffer).setUint16(prefixBytes - 2, header.length, true);
  file.set(new TextEncoder().encode(header), prefixBytes);
  write(new DataView(file.buffer, start));
  return file;
}
