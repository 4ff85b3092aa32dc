import { describe, expect, test } from "vitest";
import { decodeModel } from "../../../src/density/model-files/model-file.js";
import {
  changed,
  refusalOf,
  sentenceOf,
  soundFile,
  type Parts,
  putTogether,
  takeApart,
  withHeader,
} from "../../support/damaged-model.js";
import { refusal } from "../../support/expect-error.js";

describe("files in other formats", () => {
  const withLength = (length: bigint): Uint8Array => {
    const bytes = soundFile.slice();
    new DataView(bytes.buffer).setBigUint64(0, length, true);
    return bytes;
  };
  const noData = new Uint8Array(0);
  const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;

  test.each([
    [
      "nothing",
      noData,
      refusal("the file", "be in the safetensors format, with at least 8 bytes,", 0),
    ],
    [
      "7 bytes",
      soundFile.slice(0, 7),
      refusal("the file", "be in the safetensors format, with at least 8 bytes,", 7),
    ],
    [
      "an absurd length of the header",
      withLength(2n ** 64n - 1n),
      "Expected the file to be in the safetensors format but received one that begins with 0xff ff ff ff ff ff ff ff.",
    ],
    [
      "a text",
      new TextEncoder().encode('"Readme" of something'),
      'Expected the file to be in the safetensors format but received one that begins with "\\"Readme\\"".',
    ],
    [
      "a picture",
      Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0),
      "Expected the file to be in the safetensors format but received one that begins with 0x89 50 4e 47 0d 0a 1a 0a.",
    ],
    [
      "a header beyond the end",
      withLength(1_000_000n),
      `Expected a header of 1000000 bytes, as the file says, but received ${soundFile.length - 8}: the file was cut short, or is in another format.`,
    ],
    [
      "a truncated header",
      soundFile.slice(0, 100),
      expect.stringMatching(
        /^Expected a header of \d+ bytes, as the file says, but received 92: the/,
      ),
    ],
    ["no header", withLength(0n), refusal("the header", "be JSON", "")],
    [
      "bytes that are no UTF-8",
      withHeader(Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d), noData),
      "Expected the header to be UTF-8 but received Uint8Array [123, 255, 254, 125].",
    ],
    ["no JSON", withHeader("{'a': 1}", noData), refusal("the header", "be JSON", "{'a': 1}")],
    [
      "no object",
      withHeader("[1]", noData),
      "Expected the header to be a JSON object but received [1].",
    ],
    ["null", withHeader("null", noData), refusal("the header", "be a JSON object", null)],
    [
      "a key twice",
      withHeader('{"a": {"b": 1}, "\\u0061": 2}', noData),
      refusal("the header", "have no key twice in one object", "a"),
    ],
    [
      "a number beyond all numbers",
      withHeader('{"a": 1e999}', noData),
      refusal("the header.a", "be finite", Infinity),
    ],
    [
      "a key that reaches prototypes",
      withHeader('{"__proto__": {"polluted": true}}', noData),
      refusal("the header", "have harmless keys", "__proto__"),
    ],
    [
      "very deep nesting",
      withHeader(deep, noData),
      expect.stringMatching(/to be nested at most 32 deep but/),
    ],
  ])("%s", (_, bytes, sentence) => {
    expect(refusalOf(bytes)).toEqual(sentence);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("not even bytes", () => {
    const sentence = sentenceOf("a.safetensors" as unknown as Uint8Array);
    expect(sentence).toBe(
      'the model file: Expected the bytes to be a Uint8Array but received "a.safetensors".',
    );
  });
});

describe("damaged tensors", () => {
  const entry = (name: string, change: object) => (parts: Parts) => {
    Object.assign(parts.entries[name], change);
  };
  test.each([
    [
      "no object",
      (parts: Parts) => Object.assign(parts.entries, { "stages.0.scale": 1 }),
      refusal('the tensor "stages.0.scale"', "be described by a JSON object", 1),
    ],
    [
      "unknown fields",
      entry("stages.0.scale", { order: "C" }),
      expect.stringMatching(
        /^Expected the tensor "stages.0.scale" to have the fields dtype, shape, data_offsets but received \["data_offsets"/,
      ),
    ],
    [
      "an unknown type",
      entry("stages.0.scale", { dtype: "BF16" }),
      refusal('the dtype of the tensor "stages.0.scale"', "be one of F64, F32, I32, F16", "BF16"),
    ],
    [
      "a negative size",
      entry("stages.0.scale", { shape: [-2] }),
      'Expected the shape of the tensor "stages.0.scale" to be a list of sizes but received [-2].',
    ],
    [
      "an absurd size",
      entry("stages.0.scale", { shape: [2 ** 50, 2 ** 50] }),
      expect.stringMatching(
        /^Expected the offsets of the tensor "stages.0.scale" to span the 5\.07\d*e\+30 bytes of/,
      ),
    ],
    [
      "a shape that is no list",
      entry("stages.0.scale", { shape: "2" }),
      refusal('the shape of the tensor "stages.0.scale"', "be a list of sizes", "2"),
    ],
    [
      "three offsets",
      entry("stages.0.scale", { data_offsets: [0, 4, 8] }),
      'Expected the offsets of the tensor "stages.0.scale" to be a begin and an end but received [0, 4, 8].',
    ],
    [
      "offsets out of order",
      entry("stages.0.scale", { data_offsets: [8, 0] }),
      'Expected the offsets of the tensor "stages.0.scale" to span the 8 bytes of 2 F32 but received [8, 0].',
    ],
    [
      "offsets that overlap",
      entry("stages.0.shift", { data_offsets: [4, 12] }),
      refusal(
        'the tensor "stages.0.shift"',
        "begin at byte 8 of the data, where the one before it ends,",
        4,
      ),
    ],
    [
      "a hole",
      entry("stages.0.shift", { data_offsets: [12, 20] }),
      refusal(
        'the tensor "stages.0.shift"',
        "begin at byte 8 of the data, where the one before it ends,",
        12,
      ),
    ],
    [
      "truncated data",
      (parts: Parts) => (parts.data = parts.data.slice(0, -4)),
      "Expected 48 bytes of data, as the file says, but received 44: the file was cut short, or is in another format.",
    ],
    [
      "bytes after the end",
      (parts: Parts) => (parts.data = new Uint8Array([...parts.data, 0])),
      refusal("the data", "end with the last tensor, after 48 bytes,", 49),
    ],
    [
      "another shape",
      entry("stages.0.scale", { shape: [1, 2] }),
      "stage 0: Expected scale to have the shape [2] but received [1, 2].",
    ],
    [
      "floats for the partition",
      entry("stages.1.partition", { dtype: "F32" }),
      'stage 1: Expected partition to have the dtype I32 but received "F32".',
    ],
    [
      "integers for parameters",
      entry("stages.1.beta", { dtype: "I32" }),
      'stage 1: Expected beta to have the dtype F16, F32 or F64 but received "I32".',
    ],
  ])("%s", (_, change, sentence) => {
    expect(refusalOf(changed(change))).toEqual(sentence);
  });

  test("one is missing", () => {
    const sentence = refusalOf(
      changed(({ entries }) => {
        entries["stages.1.delta"] = entries["stages.1.beta"];
        delete (entries as Partial<typeof entries>)["stages.1.beta"];
      }),
    );
    expect(sentence).toMatch(
      /^Expected the file to have the tensor stages.1.beta but received \["stages.0/,
    );
  });

  test("one is too many", () => {
    const sentence = refusalOf(
      changed(({ entries }) => {
        entries["stages.2.H"] = { dtype: "F32", shape: [0], data_offsets: [48, 48] };
      }),
    );
    expect(sentence).toBe(refusal("every tensor", "belong to a stage", "stages.2.H"));
  });

  test("accepts any order of the header", () => {
    const parts = takeApart(soundFile);
    parts.entries = Object.fromEntries(Object.entries(parts.entries).reverse());
    expect(decodeModel(putTogether(parts))).toEqual(decodeModel(soundFile));
  });
});
