/** Ways in which a model file can be damaged, by accident or on purpose. */
import type { RandomStream } from "../../../src/random/random-stream.js";
import { type Parts, putTogether, takeApart, withHeader } from "../../support/damaged-model.js";

export type Mutation = (random: RandomStream, file: Uint8Array, other: Uint8Array) => Uint8Array;

const pick = <T>(random: RandomStream, from: readonly T[]): T => from[random.integer(from.length)];
const randomBytes = (random: RandomStream, length: number): Uint8Array =>
  Uint8Array.from({ length }, () => random.integer(256));

/** Values that might replace a value of the header. */
const oddValues: readonly unknown[] = [
  0,
  -1,
  1,
  2,
  3,
  4,
  5,
  8,
  1.5,
  1e9,
  2 ** 53,
  -(2 ** 63),
  1e300,
  null,
  true,
  "",
  "3",
  "F32",
  "F64",
  "I32",
  "F16",
  "BF16",
  "gdn",
  "cascade",
  "radial",
  "__proto__",
  "matrix",
  "identity",
  "convolution",
  "image-cascade",
  [],
  [0],
  [3],
  [3, 3],
  [1, 3],
  [0, 12],
  [12, 0],
  [-4, 8],
  ["3"],
  {},
  { kind: "linear" },
];
const oddNumbers = [NaN, Infinity, -Infinity, -1, -0, 0, 1e-45, 0.5, 1, 2, 1e38, 3.4e38, 1e300];
const oddKeys = ["__proto__", "constructor", "toString", "", "a\nb\u2028", "stages.0.H", "version"];

/** A change of the header, which is then written as JSON again. */
const ofParts =
  (change: (random: RandomStream, parts: Parts) => void): Mutation =>
  (random, file) => {
    const parts = takeApart(file);
    change(random, parts);
    return putTogether(parts);
  };

/** Replaces, removes or adds a value anywhere within a JSON value. */
function mutateJson(random: RandomStream, root: object): void {
  let owner = root as Record<string, unknown>;
  for (;;) {
    const keys = Object.keys(owner);
    const action = random.integer(8);
    if (keys.length === 0 || action === 0) {
      owner[pick(random, oddKeys.slice(1))] = pick(random, oddValues);
      return;
    }
    const key = pick(random, keys);
    const value = owner[key];
    if (typeof value === "object" && value !== null && action > 3) {
      owner = value as Record<string, unknown>;
      continue;
    }
    if (action === 1) Reflect.deleteProperty(owner, key);
    else if (action === 2 && typeof value === "number")
      owner[key] = value + pick(random, [-4, -1, 1, 4, 8]);
    else owner[key] = pick(random, oddValues);
    return;
  }
}

function mutateMetadata(random: RandomStream, { metadata }: Parts): void {
  const key = pick(random, Object.keys(metadata));
  if (random.integer(4) === 0)
    metadata[pick(random, oddKeys)] = pick(random, ["1", "{", "{}", '"x"']);
  else if (key === "format" || key === "version")
    metadata[key] = pick(random, ["", "1", "2", "pt"]);
  else {
    const holder = { value: JSON.parse(metadata[key]) as unknown };
    mutateJson(random, holder);
    metadata[key] = JSON.stringify(holder.value ?? 0);
  }
}

function mutateNames(random: RandomStream, { entries }: Parts): void {
  const [first, second] = [pick(random, Object.keys(entries)), pick(random, Object.keys(entries))];
  const [a, b] = [entries[first], entries[second]];
  switch (random.integer(4)) {
    case 0:
      [entries[first], entries[second]] = [b, a];
      return;
    case 1:
      [a.data_offsets, b.data_offsets] = [b.data_offsets, a.data_offsets];
      return;
    case 2:
      Reflect.deleteProperty(entries, first);
      return;
    default:
      Reflect.deleteProperty(entries, first);
      entries[first.replace(/\d/, (digit) => String(Number(digit) + 1))] = a;
  }
}

/** Some of these values are allowed in some places. */
function mutateValues(random: RandomStream, { entries, data }: Parts): void {
  const view = new DataView(data.buffer);
  const {
    dtype,
    data_offsets: [begin, end],
  } = pick(random, Object.values(entries));
  const width = dtype === "F64" ? 8 : 4;
  const at = begin + width * random.integer((end - begin) / width);
  const value = random.integer(2) === 0 ? pick(random, oddNumbers) : random.normal();
  if (dtype === "F64") view.setFloat64(at, value, true);
  else if (dtype === "F32") view.setFloat32(at, value, true);
  else view.setInt32(at, random.integer(5) - 1, true);
}

const flipBytes: Mutation = (random, file) => {
  const bytes = file.slice();
  for (let k = random.integer(4); k >= 0; k -= 1)
    bytes[random.integer(bytes.length)] ^= 1 << random.integer(8);
  return bytes;
};

/** Signs of JSON only, so that more of them get past the first checks. */
const signs = new TextEncoder().encode('0123456789{}[]",:. eE-\\unlFI');

const editHeader: Mutation = (random, file) => {
  const bytes = file.slice();
  const length = new DataView(bytes.buffer).getUint32(0, true);
  for (let k = random.integer(2); k >= 0; k -= 1) {
    bytes[8 + random.integer(length)] = signs[random.integer(signs.length)];
  }
  return bytes;
};

const changeLength: Mutation = (random, file) => {
  const bytes = file.slice();
  const view = new DataView(bytes.buffer);
  const length = view.getUint32(0, true);
  const others = [
    0,
    1,
    length - 8,
    length - 1,
    length + 1,
    length + 8,
    file.length,
    1e8,
    2 ** 32 - 1,
  ];
  view.setUint32(0, pick(random, others), true);
  if (random.integer(4) === 0) view.setUint32(4, random.integer(2 ** 32), true);
  return bytes;
};

const moveChunk: Mutation = (random, file) => {
  const at = (): number => random.integer(file.length + 1);
  const [from, to, target] = [at(), at(), at()];
  const chunk = file.slice(Math.min(from, to), Math.min(from, to) + random.integer(64));
  return Uint8Array.from([
    ...file.slice(0, target),
    ...chunk,
    ...file.slice(target + random.integer(2) * chunk.length),
  ]);
};

const replaceHeader: Mutation = (random, file, other) => {
  if (random.integer(2) === 0)
    return putTogether({ ...takeApart(file), data: takeApart(other).data });
  const text = pick(random, ["", "{}", "[]", "null", "0", "{", '{"__metadata__":{}}', "\u{1F333}"]);
  return withHeader(text, takeApart(file).data);
};

export const mutations: Readonly<Record<string, Mutation>> = {
  "bytes flipped": flipBytes,
  "signs of the header replaced": editHeader,
  "the length of the header changed": changeLength,
  truncated: (random, file) => file.slice(0, random.integer(file.length)),
  grown: (random, file) =>
    Uint8Array.from([...file, ...randomBytes(random, 1 + random.integer(40))]),
  "a chunk moved": moveChunk,
  "the header of another": replaceHeader,
  garbage: (random) => randomBytes(random, random.integer(200)),
  "entries changed": ofParts((random, { entries }) => {
    mutateJson(random, entries);
  }),
  "metadata changed": ofParts(mutateMetadata),
  "tensors swapped, renamed or removed": ofParts(mutateNames),
  "values changed": ofParts(mutateValues),
};
