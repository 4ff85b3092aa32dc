import { describe, expect, test } from "vitest";
import { textImage, textWidth } from "../../../cli/denoise/pixel-font.js";

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
    expect(textWidth("∞ dB")).toBe(23);
    expect(textImage("", 2)).toMatchObject({ width: 0, height: 14 });
  });
});
