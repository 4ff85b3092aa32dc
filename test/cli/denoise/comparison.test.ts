import { describe, expect, test } from "vitest";
import { comparisonOf, textImage } from "../../../cli/denoise/comparison.js";
import type { Picture } from "../../../node/pictures/picture.js";

const pictureOf = (width: number, height: number): Picture => ({
  width,
  height,
  alpha: null,
  bitDepth: 8,
  format: "png",
  isLossy: false,
  metadata: {},
  channels: [Float32Array.from({ length: width * height }, (_, k) => (k % 97) / 97)],
  source: "a.png",
});

function compared(width: number, ...labels: readonly (readonly string[])[]): Picture {
  const picture = pictureOf(width, 40);
  return comparisonOf(
    labels.map((label) => ({ picture, label })),
    picture,
  );
}

/** Whether a text stands at a place, and nothing else right of it as far as the picture goes. */
function stands(text: string, zoom: number, { width, channels }: Picture, left: number): boolean {
  const { pixels, width: length, height } = textImage(text, zoom);
  return (
    pixels.every((value, k) => {
      const [x, y] = [k % length, Math.floor(k / length)];
      return channels[0][(zoom + y) * width + left + zoom + x] === value;
    }) &&
    [...Array(height).keys()].every(
      (y) => channels[0][(zoom + y) * width + left + zoom + length] === 1,
    )
  );
}

describe("comparisonOf", () => {
  test("names each picture above it", () => {
    const picture = compared(128, ["noisy", "20.18 dB"], ["denoised", "30.13 dB"], ["clean"]);
    expect(stands("noisy 20.18 dB", 1, picture, 0)).toBe(true);
    expect(stands("denoised 30.13 dB", 1, picture, 136)).toBe(true);
    expect(stands("clean", 1, picture, 272)).toBe(true);
    expect(stands("noisy", 1, picture, 272)).toBe(false);
  });

  test("uses larger letters if there is room", () => {
    expect(stands("noisy 20.18 dB", 2, compared(256, ["noisy", "20.18 dB"]), 0)).toBe(true);
    expect(stands("noisy 20.18 dB", 3, compared(700, ["noisy", "20.18 dB"]), 0)).toBe(true);
  });

  test("drops words that have no room", () => {
    expect(stands("denoised", 1, compared(64, ["denoised", "30.13 dB"]), 0)).toBe(true);
    const tiny = compared(20, ["denoised", "30.13 dB"]);
    expect(tiny.channels[0].subarray(0, 8 * 20).every((value) => value === 1)).toBe(true);
  });
});

/** Rows of a text as one would draw them. */
function drawn(text: string, zoom = 1): string[] {
  const { width, height, pixels } = textImage(text, zoom);
  return Array.from({ length: height }, (_, row) =>
    [...pixels.subarray(row * width, (row + 1) * width)]
      .map((value) => (value === 0 ? "#" : "."))
      .join(""),
  );
}

describe("textImage", () => {
  test("draws characters a column apart, without mirroring them", () => {
    expect(drawn("d7")).toEqual([
      "....#.#####",
      "....#.....#",
      ".##.#....#.",
      "#..##...#..",
      "#...#..#...",
      "#...#..#...",
      ".####..#...",
    ]);
  });

  test("has a glyph of its own for every character of a label", () => {
    const characters = [...new Set("noisy denoised clean 0123456789.∞ dB")];
    const shapes = characters.map((character) => drawn(character).join("\n"));
    expect(new Set(shapes).size).toBe(characters.length);
    const blank = drawn(" ").join("\n");
    expect(shapes.filter((shape) => shape === blank)).toHaveLength(1);
  });

  test("enlarges each pixel", () => {
    const [small, large] = [drawn("i"), drawn("i", 3)];
    expect([large.length, large[0].length]).toEqual([21, 15]);
    large.forEach((row, y) => {
      expect(row).toBe(small[Math.floor(y / 3)].replace(/./g, "$&$&$&"));
    });
  });

  test("leaves unknown characters blank, and draws an empty text", () => {
    expect(drawn("Ω")).toEqual(drawn(" "));
    expect(textImage("∞ dB", 1).width).toBe(23);
    expect(textImage("", 2)).toMatchObject({ width: 0, height: 14 });
  });
});
