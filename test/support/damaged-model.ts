/** A small sound model file, and the sentences with which damaged copies of it are refused. */
import { expect } from "vitest";
import { decodeModel, encodeModel } from "../../src/density/model-files/model-file.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { gdn } from "../../src/transforms/gdn.js";
import { type Parts, putTogether, takeApart } from "./safetensors-parts.js";

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

/** The sentence without the name of the file that it begins with. */
export function refusalOf(bytes: Uint8Array): string {
  const sentence = sentenceOf(bytes);
  expect(sentence).toMatch(/^the model file[:,] /);
  return sentence.replace(/^the model file[:,] /, "");
}

export type Change = (parts: Parts) => unknown;

/** The same for the sound file after a change of its parts. */
export function refusalAfter(change: Change): string {
  const parts = takeApart(soundFile);
  change(parts);
  return refusalOf(putTogether(parts));
}

/** Writes one Float32 into the data, `offset` bytes after the begin of a tensor. */
export const withValue =
  (name: string, value: number, offset = 0): Change =>
  (parts) => {
    const [begin] = parts.entries[name].data_offsets;
    new DataView(parts.data.buffer).setFloat32(begin + offset, value, true);
  };
