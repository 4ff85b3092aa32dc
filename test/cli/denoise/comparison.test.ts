import { describe, expect, test } from "vitest";
import { comparisonOf } from "../../../cli/denoise/comparison.js";
import { textImage } from "../../../cli/denoise/pixel-font.js";
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
