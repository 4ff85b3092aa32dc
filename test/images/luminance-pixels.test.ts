import { describe, expect, it } from "vitest";
import { type Luminance, luminanceOf } from "../../src/images/luminance.js";
import { luminancePixels, weightedPixels } from "../../src/images/luminance-pixels.js";
import { createRandom } from "../../src/random/random-stream.js";

const kinds: Luminance[] = ["grey", "linear"];
const arrays = [
  ["8-bit", Uint8Array, 255],
  ["8-bit clamped", Uint8ClampedArray, 255],
  ["16-bit", Uint16Array, 65535],
] as const;

function codes(Samples: (typeof arrays)[number][1], largest: number, count: number) {
  const random = createRandom(11, "codes");
  const code = (): number => Math.floor(random.uniform() * (largest + 1));
  return new Samples(Array.from({ length: count }, code));
}

describe.each(kinds)("luminancePixels, %s", (kind) => {
  it.each(arrays)("is luminanceOf to the last bit for %s colours", (_, Samples, largest) => {
    const samples = codes(Samples, largest, 3 * 500);
    const wanted = Float32Array.from({ length: 500 }, (_, k) => {
      const [red, green, blue] = [0, 1, 2].map((channel) => samples[3 * k + channel] / largest);
      return luminanceOf(kind, red, green, blue);
    });
    expect(luminancePixels(kind, samples, 3)).toEqual(wanted);
  });

  it.each(arrays)("is luminanceOf three equal colours for %s greys", (_, Samples, largest) => {
    const samples = codes(Samples, largest, 500);
    const wanted = Float32Array.from(samples, (code) => {
      const value = code / largest;
      return luminanceOf(kind, value, value, value);
    });
    expect(luminancePixels(kind, samples, 1)).toEqual(wanted);
  });

  it("goes from exactly 0 to exactly 1", () => {
    expect([...luminancePixels(kind, Uint8Array.of(0, 255), 1)]).toEqual([0, 1]);
    expect([...luminancePixels(kind, Uint16Array.of(0, 0, 0, 65535, 65535, 65535), 3)]).toEqual([
      0, 1,
    ]);
  });

  it("drops alpha", () => {
    const grey = luminancePixels(kind, Uint8Array.of(7, 0, 200, 255), 2);
    expect(grey).toEqual(luminancePixels(kind, Uint8Array.of(7, 200), 1));
    const colour = luminancePixels(kind, Uint8Array.of(7, 8, 9, 0, 200, 100, 50, 255), 4);
    expect(colour).toEqual(luminancePixels(kind, Uint8Array.of(7, 8, 9, 200, 100, 50), 3));
  });
});

describe("weightedPixels", () => {
  it("weighs colours without removing a curve", () => {
    const samples = Float32Array.of(0.5, 0, 0, 0, 0.5, 0, -2, 0, 300);
    expect(weightedPixels("linear", samples, 3)).toEqual(
      Float32Array.of(0.2126 * 0.5, 0.7152 * 0.5, 0.2126 * -2 + 0.0722 * 300),
    );
    expect(weightedPixels("grey", samples, 3)).toEqual(
      Float32Array.of(0.299 * 0.5, 0.587 * 0.5, 0.299 * -2 + 0.114 * 300),
    );
  });

  it("leaves greys as they are, and drops alpha", () => {
    const samples = Float32Array.of(0.1, -3, 1e30);
    expect(weightedPixels("linear", samples, 1)).toEqual(samples);
    expect(weightedPixels("linear", Float32Array.of(0.1, 1, -3, 0, 1e30, 1), 2)).toEqual(samples);
  });
});
