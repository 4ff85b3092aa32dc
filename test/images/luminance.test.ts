import { describe, expect, test } from "vitest";
import {
  type Luminance,
  linearToSrgb,
  luminanceOf,
  luminancePixels,
  srgbToLinear,
  weightedPixels,
} from "../../src/images/luminance.js";
import { createRandom } from "../../src/random/random-stream.js";

describe("luminanceOf", () => {
  test("grey is the luma of Rec. 601", () => {
    expect(luminanceOf("grey", 1, 0, 0)).toBe(0.299);
    expect(luminanceOf("grey", 0, 1, 0)).toBe(0.587);
    expect(luminanceOf("grey", 0, 0, 1)).toBe(0.114);
    expect(luminanceOf("grey", 0.2, 0.4, 0.6)).toBeCloseTo(0.0598 + 0.2348 + 0.0684, 15);
  });

  test("linear is the luminance of Rec. 709 in linear light", () => {
    expect(luminanceOf("linear", 1, 0, 0)).toBe(0.2126);
    expect(luminanceOf("linear", 0, 1, 0)).toBe(0.7152);
    expect(luminanceOf("linear", 0, 0, 1)).toBe(0.0722);
    // Not a function of the grey value: the curve comes before the sum.
    expect(luminanceOf("linear", 0.5, 0, 0)).toBeCloseTo(0.2126 * 0.21404114, 8);
  });

  test.each(["grey", "linear"] as const)("%s keeps black and white", (kind) => {
    expect(luminanceOf(kind, 0, 0, 0)).toBe(0);
    expect(luminanceOf(kind, 1, 1, 1)).toBeCloseTo(1, 15);
  });
});

describe("the curve of sRGB", () => {
  // IEC 61966-2-1: the straight part ends at 0.04045; the middle grey 0.5 is 0.214 of the light.
  test.each([
    [0, 0],
    [0.04045, 0.04045 / 12.92],
    [0.5, 0.21404114048223255],
    [1, 1],
  ])("%d is %d of the light", (encoded, light) => {
    expect(srgbToLinear(encoded)).toBeCloseTo(light, 14);
  });

  test("has no step where its two parts meet", () => {
    // The published constants are rounded: they meet to 3e-8.
    expect(srgbToLinear(0.04045 + 1e-12) - srgbToLinear(0.04045)).toBeLessThan(3e-8);
    expect(Math.abs(linearToSrgb(0.0031308 + 1e-12) - linearToSrgb(0.0031308))).toBeLessThan(1e-7);
  });

  test("is inverted for every 8-bit value, and rises", () => {
    let before = -1;
    for (let k = 0; k <= 255; k++) {
      const light = srgbToLinear(k / 255);
      expect(light).toBeGreaterThan(before);
      expect(linearToSrgb(light)).toBeCloseTo(k / 255, 12);
      before = light;
    }
  });
});

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
  test.each(arrays)("equals luminanceOf in every bit for %s colours", (_, Samples, largest) => {
    const samples = codes(Samples, largest, 3 * 500);
    const wanted = Float32Array.from({ length: 500 }, (_, k) => {
      const [red, green, blue] = [0, 1, 2].map((channel) => samples[3 * k + channel] / largest);
      return luminanceOf(kind, red, green, blue);
    });
    expect(luminancePixels(kind, samples, 3)).toEqual(wanted);
  });

  test.each(arrays)(
    "equals luminanceOf three equal colours for %s greys",
    (_, Samples, largest) => {
      const samples = codes(Samples, largest, 500);
      const wanted = Float32Array.from(samples, (code) => {
        const value = code / largest;
        return luminanceOf(kind, value, value, value);
      });
      expect(luminancePixels(kind, samples, 1)).toEqual(wanted);
    },
  );

  test("ranges from exactly 0 to exactly 1", () => {
    expect([...luminancePixels(kind, Uint8Array.of(0, 255), 1)]).toEqual([0, 1]);
    expect([...luminancePixels(kind, Uint16Array.of(0, 0, 0, 65535, 65535, 65535), 3)]).toEqual([
      0, 1,
    ]);
  });

  test("drops alpha", () => {
    const grey = luminancePixels(kind, Uint8Array.of(7, 0, 200, 255), 2);
    expect(grey).toEqual(luminancePixels(kind, Uint8Array.of(7, 200), 1));
    const colour = luminancePixels(kind, Uint8Array.of(7, 8, 9, 0, 200, 100, 50, 255), 4);
    expect(colour).toEqual(luminancePixels(kind, Uint8Array.of(7, 8, 9, 200, 100, 50), 3));
  });
});

describe("weightedPixels", () => {
  test("weighs colours without a curve", () => {
    const samples = Float32Array.of(0.5, 0, 0, 0, 0.5, 0, -2, 0, 300);
    expect(weightedPixels("linear", samples, 3)).toEqual(
      Float32Array.of(0.2126 * 0.5, 0.7152 * 0.5, 0.2126 * -2 + 0.0722 * 300),
    );
    expect(weightedPixels("grey", samples, 3)).toEqual(
      Float32Array.of(0.299 * 0.5, 0.587 * 0.5, 0.299 * -2 + 0.114 * 300),
    );
  });

  test("keeps greys, and drops alpha", () => {
    const samples = Float32Array.of(0.1, -3, 1e30);
    expect(weightedPixels("linear", samples, 1)).toEqual(samples);
    expect(weightedPixels("linear", Float32Array.of(0.1, 1, -3, 0, 1e30, 1), 2)).toEqual(samples);
  });
});
