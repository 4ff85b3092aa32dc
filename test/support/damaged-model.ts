/** A small valid model file, its parts, and the errors for damaged copies. */
import { expect } from "vitest";
import { GaussianizeError } from "../../src/errors.js";
import { decodeModel, encodeModel } from "../../src/density/model-files/model-file.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { gdn } from "../../src/transforms/gdn.js";

export const soundFile = encodeModel({
  transform: cascade([
    affine({ dimension: 2, shift: Float32Array.of(0.5, 0.25), scale: Float32Array.of(2, 3) }),
    gdn({
      structure: "subspace",
      dimension: 2,
      partition: [0, 1],
      beta: Float32Array.of(1, 2),
      gamma: Float32Array.of(1, 0.5),
      epsilon: Float32Array.of(0.5, 0.25),
    }),
  ]),
  about: { name: "small", figures: { nats: 1 } },
});

export function sentenceOf(bytes: Uint8Array, name?: string): string {
  try {
    decodeModel(bytes, name);
  } catch (error) {
    expect((error as Error).name).toBe("GaussianizeError");
    expect((error as Error).message).toMatch(/^\S.*\.$/);
    return (error as Error).message;
  }
  return "no error";
}

/** Returns the message without the file name at its start. */
export function refusalOf(bytes: Uint8Array): string {
  const sentence = sentenceOf(bytes);
  expect(sentence).toMatch(/^the model file[:,] /);
  return sentence.replace(/^the model file[:,] /, "");
}

/**
 * Returns the place of the damage, such as `stage 1: beta[0]`, or the code of the error if no value
 * is wrong. The error must be one sentence that starts with the file name.
 */
export function damageOf(bytes: Uint8Array): string {
  const name = "the model file";
  try {
    decodeModel(bytes, name);
  } catch (thrown) {
    const { code, argument, message, cause } = thrown as GaussianizeError;
    expect(thrown).toBeInstanceOf(GaussianizeError);
    expect(message).toMatch(/^the model file[:,] \S.*\.$/);
    const place = message.slice(name.length, -(cause as Error).message.length);
    return `${place.replace(/^[:,] /, "")}${argument ?? code}`;
  }
  return "no error";
}

export type Change = (parts: Parts) => unknown;

/** Returns a valid file with some parts changed. */
export function changed(change: Change, file = soundFile): Uint8Array {
  const parts = takeApart(file);
  change(parts);
  return putTogether(parts);
}

/** Writes one Float32 `offset` bytes after the start of a tensor. */
export const withValue =
  (name: string, value: number, offset = 0): Change =>
  (parts) => {
    const [begin] = parts.entries[name].data_offsets;
    new DataView(parts.data.buffer).setFloat32(begin + offset, value, true);
  };

/**
 * A reader and a writer of safetensors files by the published format and nothing else
 * (https://github.com/huggingface/safetensors, "Format"). They share no code with the library, and
 * the writer checks nothing.
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

/** Returns the values of a tensor as numbers. */
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

/** Text or bytes of the header, valid or not. */
export function withHeader(header: string | Uint8Array, data: Uint8Array): Uint8Array {
  const bytes = Buffer.from(header as string);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytes.length));
  return new Uint8Array(Buffer.concat([length, bytes, data]));
}
