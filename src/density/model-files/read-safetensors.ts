/** Reads untrusted safetensors files; values are copied only after all sizes are checked. */
import { GaussianizeError, describeValue, expected } from "../../errors.js";
import { halfToNumber } from "./half-floats.js";
import { type JsonObject, type JsonValue, isJsonObject, parseJson } from "./json.js";
import {
  type Dtype,
  type TensorValues,
  bytesPerElement,
  lengthBytes,
  longestHeader,
  metadataKey,
} from "./safetensors.js";

export interface SafetensorsHeader {
  /** Values are texts. */
  readonly metadata: JsonObject;
  /** Descriptions of tensors, not checked yet: an unknown version may write them differently. */
  readonly entries: JsonObject;
  readonly data: Uint8Array;
}

/** A tensor as a view of the file. */
export interface StoredTensor {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

interface Entry {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

const dtypes = Object.keys(bytesPerElement);
const entryFields: readonly string[] = ["dtype", "shape", "data_offsets"];

export function readHeader(file: Uint8Array): SafetensorsHeader {
  if (file.byteLength < lengthBytes) {
    const rule = `be in the safetensors format, with at least ${lengthBytes} bytes,`;
    throw expected("the file", rule, file.byteLength);
  }
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const length = view.getUint32(4, true) * 0x1_0000_0000 + view.getUint32(0, true);
  if (length > longestHeader) {
    // A file in another format: its first eight bytes say more than the length they encode.
    throw new GaussianizeError(
      "unsupported-file",
      `Expected the file to be in the safetensors format but received one that begins with ${beginningOf(file)}.`,
    );
  }
  const end = lengthBytes + length;
  if (end > file.byteLength) {
    throw cutShort(`a header of ${length} bytes`, file.byteLength - lengthBytes);
  }
  const header = parseJson(utf8(file.subarray(lengthBytes, end)), "the header");
  if (!isJsonObject(header)) throw expected("the header", "be a JSON object", header);
  const { [metadataKey]: metadata = {}, ...entries } = header;
  return { metadata: checkedMetadata(metadata), entries, data: file.subarray(end) };
}

/** Returns the first bytes as text if possible: "# Readme", 0x89 50 4e 47 0d 0a 1a 0a. */
function beginningOf(file: Uint8Array): string {
  const bytes = [...file.subarray(0, lengthBytes)];
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
  if (isText) return describeValue(String.fromCharCode(...bytes));
  return `0x${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(" ")}`;
}

function cutShort(what: string, received: number): GaussianizeError {
  const cause = "the file was cut short, or is in another format";
  return new GaussianizeError(
    "file-damaged",
    `Expected ${what}, as the file says, but received ${received}: ${cause}.`,
  );
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw expected("the header", "be UTF-8", bytes.subarray(0, 4));
  }
}

function checkedMetadata(metadata: JsonValue): JsonObject {
  if (!isJsonObject(metadata)) throw expected(metadataKey, "be a JSON object", metadata);
  const other = Object.values(metadata).find((value) => typeof value !== "string");
  if (other === undefined) return metadata;
  throw expected(metadataKey, "hold texts only", other);
}

/** Returns all tensors by name. Their offsets must cover the data exactly, in any order. */
export function locateTensors({
  entries,
  data,
}: SafetensorsHeader): ReadonlyMap<string, StoredTensor> {
  const checked = Object.entries(entries).map(([name, entry]) => checkedEntry(name, entry));
  checked.sort((a, b) => a.begin - b.begin || a.end - b.end);
  let covered = 0;
  for (const { name, begin, end } of checked) {
    if (begin !== covered) {
      const rule = `begin at byte ${covered} of the data, where the one before it ends,`;
      throw expected(`the tensor ${quoted(name)}`, rule, begin);
    }
    covered = end;
  }
  if (covered > data.byteLength) throw cutShort(`${covered} bytes of data`, data.byteLength);
  if (covered !== data.byteLength) {
    throw expected(
      "the data",
      `end with the last tensor, after ${covered} bytes,`,
      data.byteLength,
    );
  }
  return new Map(
    checked.map(({ name, dtype, shape, begin, end }) => [
      name,
      { dtype, shape, bytes: data.subarray(begin, end) },
    ]),
  );
}

function checkedEntry(name: string, entry: JsonValue | undefined): Entry {
  const tensor = `the tensor ${quoted(name)}`;
  if (!isJsonObject(entry)) throw expected(tensor, "be described by a JSON object", entry);
  const keys = Object.keys(entry);
  if (keys.length !== entryFields.length || !entryFields.every((key) => keys.includes(key))) {
    throw expected(tensor, `have the fields ${entryFields.join(", ")}`, keys);
  }
  const { dtype, shape, data_offsets: offsets } = entry;
  if (!isDtype(dtype)) {
    throw expected(`the dtype of ${tensor}`, `be one of ${dtypes.join(", ")}`, dtype);
  }
  if (!isListOfSizes(shape)) throw expected(`the shape of ${tensor}`, "be a list of sizes", shape);
  if (!isListOfSizes(offsets) || offsets.length !== 2) {
    throw expected(`the offsets of ${tensor}`, "be a begin and an end", offsets);
  }
  const [begin, end] = offsets;
  const length = shape.reduce((product, size) => product * size, bytesPerElement[dtype]);
  if (end - begin === length) return { name, dtype, shape, begin, end };
  const rule = `span the ${length} bytes of ${shape.join("×") || "one"} ${dtype}`;
  throw expected(`the offsets of ${tensor}`, rule, offsets);
}

function quoted(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
}

function isDtype(value: JsonValue | undefined): value is Dtype {
  return typeof value === "string" && dtypes.includes(value);
}

function isListOfSizes(value: JsonValue | undefined): value is readonly number[] {
  const isSize = (item: unknown): boolean => Number.isSafeInteger(item) && Number(item) >= 0;
  return Array.isArray(value) && value.every(isSize);
}

/** Returns a copy of the values; 16-bit values become Float32. */
export function readValues({ dtype, bytes }: StoredTensor): TensorValues {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.byteLength / bytesPerElement[dtype];
  switch (dtype) {
    case "F64":
      return filled(new Float64Array(length), (k) => view.getFloat64(8 * k, true));
    case "F32":
      return filled(new Float32Array(length), (k) => view.getFloat32(4 * k, true));
    case "I32":
      return filled(new Int32Array(length), (k) => view.getInt32(4 * k, true));
    case "F16":
      return filled(new Float32Array(length), (k) => halfToNumber(view.getUint16(2 * k, true)));
  }
}

function filled<T extends TensorValues>(values: T, valueAt: (k: number) => number): T {
  for (let k = 0; k < values.length; k++) values[k] = valueAt(k);
  return values;
}
