/**
 * A reader and a writer of safetensors files by the published format and nothing else
 * (https://github.com/huggingface/safetensors, "Format"). They use no code of the library, and the writer writes whatever it is told.
 */
export interface HeaderEntry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

export interface Parts {
  metadata: Record<string, string>;
  entries: Record<string, HeaderEntry>;
  data: Uint8Array;
}

export function takeApart(file: Uint8Array): Parts {
  const length = Number(Buffer.from(file).readBigUInt64LE(0));
  const text = Buffer.from(file).toString("utf8", 8, 8 + length);
  const { __metadata__: metadata, ...entries } = JSON.parse(text) as Record<string, unknown>;
  return {
    metadata: metadata as Parts["metadata"],
    entries: entries as Parts["entries"],
    data: file.slice(8 + length),
  };
}

/** The values of a tensor as numbers, which hold every F32, F64 and I32 exactly. */
export function tensorValues({ entries, data }: Parts, name: string): number[] {
  const { dtype, data_offsets: offsets } = entries[name];
  const bytes = Buffer.from(data.slice(...offsets));
  const width = dtype === "F64" ? 8 : 4;
  return Array.from({ length: bytes.length / width }, (_, k) => {
    if (dtype === "F64") return bytes.readDoubleLE(8 * k);
    return dtype === "F32" ? bytes.readFloatLE(4 * k) : bytes.readInt32LE(4 * k);
  });
}

export function putTogether({ metadata, entries, data }: Parts): Uint8Array {
  return withHeader(JSON.stringify({ __metadata__: metadata, ...entries }), data);
}

/** Any text or bytes as the header. */
export function withHeader(header: string | Uint8Array, data: Uint8Array): Uint8Array {
  const bytes = Buffer.from(header as string);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytes.length));
  return new Uint8Array(Buffer.concat([length, bytes, data]));
}
