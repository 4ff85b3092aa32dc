import { describe, expect, test } from "vitest";
import type { GreyPixels } from "../../src/images/grey-image.js";
import { createRandom } from "../../src/random/random-stream.js";
import { type WaveletName, waveletNames } from "../../src/wavelets/filter-bank.js";
import {
  type WaveletBands,
  type WaveletOptions,
  joinWavelets,
  orientations,
  splitIntoWavelets,
} from "../../src/wavelets/orthonormal-wavelet.js";
import { expectClose } from "../support/expect-close.js";
import { seed } from "../support/seed.js";

const random = createRandom(seed, "wavelets");
const noise = (width: number, height: number, name = ""): GreyPixels => ({
  width,
  height,
  pixels: random.stream(name, width, height).normalFill(new Float64Array(width * height)),
});
/** All coefficients, in some order. */
const coefficients = ({ details, coarse }: WaveletBands): number[] => [
  ...details.flatMap((bands) => orientations.flatMap((name) => [...bands[name].values])),
  ...coarse.values,
];
const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
};

const close = (value: number): number => expect.closeTo(value, 10) as number;

const sizes: [number, number, number][] = [
  [8, 8, 3],
  [40, 24, 3],
  [32, 64, 5],
  [2, 6, 1],
  [64, 64, 1],
];
const cases = waveletNames.flatMap((name) => sizes.map((size) => [name, ...size] as const));

describe.each(cases)("%s, %i×%i pixels, %i scales", (wavelet, width, height, scales) => {
  const [a, b] = [noise(width, height, "a"), noise(width, height, "b")];
  const options = { wavelet, scales };
  const [bandsOfA, bandsOfB] = [splitIntoWavelets(a, options), splitIntoWavelets(b, options)];

  test("has as many coefficients as pixels, and keeps inner products", () => {
    const [inA, inB] = [coefficients(bandsOfA), coefficients(bandsOfB)];
    expect(inA.length).toBe(width * height);
    const scale = width * height;
    expectClose(dot(inA, inA), dot(a.pixels, a.pixels), { relative: 1e-13 });
    expectClose(dot(inA, inB), dot(a.pixels, b.pixels), { relative: 1e-13, scale });
  });

  test("is inverted by its transpose to 1e-12", () => {
    expectClose(joinWavelets(bandsOfA).pixels, a.pixels, { absolute: 1e-12 });
    // ⟨Wᵀc, b⟩ = ⟨c, Wb⟩ for coefficients c of no image in particular.
    const mixture = { ...bandsOfA, details: bandsOfB.details };
    const joined = joinWavelets(mixture);
    const mixed = coefficients(mixture);
    const tolerance = { relative: 1e-13, scale: width * height };
    expectClose(dot(joined.pixels, b.pixels), dot(mixed, coefficients(bandsOfB)), tolerance);
  });
});

describe("images of any size", () => {
  test.each([
    [1, 1],
    [3, 50],
    [17, 9],
    [31, 33],
  ])("%i×%i pixels come back to 1e-12", (width, height) => {
    const image = noise(width, height);
    const joined = joinWavelets(splitIntoWavelets(image));
    expect([joined.width, joined.height]).toEqual([width, height]);
    expectClose(joined.pixels, image.pixels, { absolute: 1e-12 });
  });
});

describe("bands", () => {
  const sizeOf = (image: GreyPixels, name: "horizontal" | "vertical" | "diagonal"): number => {
    const { values } = splitIntoWavelets(image, { wavelet: "haar" }).details[0][name];
    return values.reduce((sum, value) => sum + Math.abs(value), 0);
  };
  const stripes = (value: (x: number, y: number) => number): GreyPixels => ({
    width: 16,
    height: 16,
    pixels: Float32Array.from({ length: 256 }, (_, k) => value(k % 16, Math.floor(k / 16))),
  });

  test("are named after the edges that they respond to", () => {
    const upright = stripes((x) => x % 2);
    expect(orientations.map((name) => sizeOf(upright, name))).toEqual([0, 64, 0].map(close));
    const lying = stripes((_, y) => y % 2);
    expect(orientations.map((name) => sizeOf(lying, name))).toEqual([64, 0, 0].map(close));
    const board = stripes((x, y) => (x + y) % 2);
    expect(orientations.map((name) => sizeOf(board, name))).toEqual([0, 0, 64].map(close));
  });

  test("of Haar's wavelet are sums and differences of four pixels, halved", () => {
    const image = { width: 2, height: 2, pixels: Float64Array.of(1, 2, 4, 9) };
    const { details, coarse } = splitIntoWavelets(image, { wavelet: "haar", scales: 1 });
    const [{ horizontal, vertical, diagonal }] = details;
    const found = [coarse, horizontal, vertical, diagonal].map(({ values }) => values[0]);
    expectClose(found, [8, -5, -3, 2], { absolute: 1e-14 });
  });

  test("of a constant are 0 except for the coarse one", () => {
    const flat = { width: 32, height: 16, pixels: new Float64Array(512).fill(0.7) };
    const bands = splitIntoWavelets(flat);
    expectClose(bands.coarse.values, new Float64Array(8).fill(0.7 * 8), { absolute: 1e-13 });
    const all = coefficients(bands);
    expectClose(all.slice(0, -8), new Float64Array(504), { absolute: 1e-13 });
  });
});

test("rejects unknown wavelets, wrong scales and missing pixels", () => {
  const image = noise(8, 8);
  const wrong = (options: WaveletOptions) => () => splitIntoWavelets(image, options);
  expect(wrong({ wavelet: "sinc" as WaveletName })).toThrow("wavelet to be one of haar, symlet8");
  expect(wrong({ scales: 0 })).toThrow("scales to be an integer from 1 to 10");
  const torn = { ...image, width: 9 };
  expect(() => splitIntoWavelets(torn)).toThrow("the image to hold 72 pixels (9×8)");
});
