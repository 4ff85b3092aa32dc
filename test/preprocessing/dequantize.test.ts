import { describe, expect, test } from "vitest";
import type { Quantization } from "../../src/images/decoded-image.js";
import { linearToSrgb, srgbToLinear } from "../../src/images/luminance.js";
import { codeWidths, codesOf, dequantize } from "../../src/preprocessing/dequantize.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose, float32Epsilon } from "../support/expect-close.js";
import { expectError } from "../support/expect-error.js";
import { seed } from "../support/seed.js";

const random = () => createRandom(seed, "dequantize");

const cases: Quantization[] = [
  { levels: 2, spacing: "even" },
  { levels: 256, spacing: "even" },
  { levels: 2, spacing: "srgb" },
  { levels: 16, spacing: "srgb" },
  { levels: 256, spacing: "srgb" },
  { levels: 65536, spacing: "srgb" },
];

/** Returns the curve from fractions of codes to values. */
function curveOf({ spacing }: Quantization): (value: number) => number {
  return spacing === "even" ? Number : srgbToLinear;
}

/** Every code in turn, `count` pixels in all. */
function picture(quantization: Quantization, count: number) {
  const { levels } = quantization;
  const codes = Uint32Array.from({ length: count }, (_, i) => i % levels);
  const curve = curveOf(quantization);
  const pixels = Float32Array.from(codes, (code) => curve(code / (levels - 1)));
  return { codes, image: { pixels, ...quantization } };
}

describe.each(cases)("dequantize, $levels levels, $spacing", (quantization) => {
  const { levels } = quantization;
  const curve = curveOf(quantization);
  const count = Math.max(levels, 40_960);
  const { codes, image } = picture(quantization, count);
  const lowerOf = (code: number): number => Math.fround(curve(code / levels));
  const values = dequantize(image, random());
  const positions = values.map(
    (value, i) => (value - lowerOf(codes[i])) / (lowerOf(codes[i] + 1) - lowerOf(codes[i])),
  );

  test("every value stays within the interval of its code", () => {
    expect(positions.every((position) => position >= 0 && position < 1)).toBe(true);
  });

  test("values are uniform in it: mean ½, variance 1/12", () => {
    const mean = positions.reduce((sum, u) => sum + u, 0) / count;
    const variance = positions.reduce((sum, u) => sum + (u - mean) ** 2, 0) / count;
    // Five standard errors; Float32 puts a value of 65536 levels no better than to 1/500 of its
    // interval.
    expect(Math.abs(mean - 0.5)).toBeLessThan(5 * Math.sqrt(1 / 12 / count));
    expect(Math.abs(variance - 1 / 12)).toBeLessThan(5 * Math.sqrt(1 / 180 / count));
  });

  test("the values of a code have the middle of its interval as mean, at most half a code from the pixel", () => {
    const middles = Float32Array.from(codes, (code) => (lowerOf(code) + lowerOf(code + 1)) / 2);
    const isNear = image.pixels.every((pixel, i) => {
      const half = (lowerOf(codes[i] + 1) - lowerOf(codes[i])) / 2;
      return Math.abs(middles[i] - pixel) <= half * 1.0001 + float32Epsilon;
    });
    expect(isNear).toBe(true);
    const difference = values.reduce((sum, value, i) => sum + value - middles[i], 0) / count;
    const widest = 1 - lowerOf(levels - 1);
    expect(Math.abs(difference)).toBeLessThan(5 * widest * Math.sqrt(1 / 12 / count));
  });

  test("a value has the code of its pixel", () => {
    const inverse = quantization.spacing === "even" ? Number : linearToSrgb;
    // In the middle of an interval, where the last bits of a power do not matter.
    const back = positions.map((u, i) =>
      u < 0.01 || u > 0.99 ? codes[i] : Math.floor(inverse(values[i]) * levels),
    );
    expect(back).toEqual(Float32Array.from(codes));
  });

  test("codesOf finds the code of every value", () => {
    expect(codesOf(values, quantization)).toEqual(Uint16Array.from(codes));
  });

  test("the widths of all codes add up to 1", () => {
    const { image: once } = picture(quantization, levels);
    const widths = codeWidths(dequantize(once, random()), quantization);
    expectClose(
      widths,
      Float64Array.from(widths, (_, k) => lowerOf(k + 1) - lowerOf(k)),
      { absolute: 0 },
    );
    expectClose(
      widths.reduce((sum, width) => sum + width, 0),
      1,
      { absolute: 1e-12 },
    );
  });
});

describe("dequantize", () => {
  test.each([2, 16, 256])("grey of %i levels is the protocol's (k + u)/levels", (levels) => {
    const colours = createRandom(seed, "colours").uniformFill(new Float32Array(50_000));
    const u = random().uniformFill(new Float32Array(colours.length));
    const values = dequantize({ pixels: colours, levels, spacing: "even" }, random());
    // The one value in 2¹⁷ that Float32 rounds to the next code is its neighbour below instead.
    const wanted = colours.map((colour, i) => (Math.round(colour * (levels - 1)) + u[i]) / levels);
    const differing = values.filter((value, i) => value !== wanted[i]);
    expect(differing.length).toBeLessThan(5);
    expectClose(values, wanted, { absolute: float32Epsilon });
  });

  test("noise that Float32 rounds up stays below the next code", () => {
    const highest = { uniformFill: (out: Float32Array) => out.fill(1 - 2 ** -24) };
    for (const quantization of cases) {
      const { image } = picture(quantization, quantization.levels);
      const values = dequantize(image, highest as unknown as ReturnType<typeof random>);
      const lowest = { uniformFill: (out: Float32Array) => out.fill(0) };
      const borders = dequantize(image, lowest as unknown as ReturnType<typeof random>);
      expect(values.every((value, k) => value < (borders[k + 1] ?? 1))).toBe(true);
      expect(codeWidths(values, quantization)).toEqual(codeWidths(borders, quantization));
    }
  });

  test("colours between the codes of linear light go to the nearest code before the curve", () => {
    const pixels = createRandom(seed, "colours").uniformFill(new Float32Array(20_000));
    const values = dequantize({ pixels, levels: 256, spacing: "srgb" }, random());
    const wanted = pixels.map((pixel) => Math.round(255 * linearToSrgb(pixel)));
    expect(values.map((value) => Math.floor(256 * linearToSrgb(value) + 1e-9))).toEqual(wanted);
  });

  test("black and white have intervals like other codes", () => {
    for (const spacing of ["even", "srgb"] as const) {
      const image = { pixels: Float32Array.of(0, 1), levels: 256, spacing };
      const [black, white] = dequantize(image, random());
      expect(black).toBeGreaterThanOrEqual(0);
      expect(black).toBeLessThan(1 / 256);
      expect(white).toBeGreaterThanOrEqual(spacing === "even" ? 255 / 256 : 0.99);
      expect(white).toBeLessThan(1);
    }
  });

  test("the same stream gives the same noise, and the picture is not changed", () => {
    const { image } = picture(cases[4], 1000);
    const before = image.pixels.slice();
    const once = dequantize(image, createRandom(1));
    expect(dequantize(image, createRandom(1))).toEqual(once);
    expect(dequantize(image, createRandom(2))).not.toEqual(once);
    expect(image.pixels).toEqual(before);
  });

  test("floating point is copied", () => {
    const pixels = Float32Array.of(0.3, -2, 300);
    const values = dequantize({ pixels, levels: Infinity, spacing: "none" }, random());
    expect(values).toEqual(pixels);
    expect(values).not.toBe(pixels);
  });
});

describe("bad arguments", () => {
  const pixels = Float32Array.of(0.5);
  test.each([1, 0, 2.5, Infinity, 2 ** 17])("%d levels are rejected", (levels) => {
    const wanted = { code: "invalid-argument", argument: "levels", phrase: "2 to 65536" } as const;
    const quantization = { levels, spacing: "even" } as const;
    expectError(() => dequantize({ pixels, ...quantization }, random()), wanted);
    expectError(() => codeWidths(pixels, quantization), wanted);
  });

  test.each([-0.1, 1.001, 128, NaN])("a pixel of %d is rejected", (value) => {
    const wrong = Float32Array.of(0.5, value);
    const quantization = { levels: 256, spacing: "srgb" } as const;
    const wanted = { code: "invalid-argument", phrase: `received ${wrong[1]}` } as const;
    expectError(() => dequantize({ pixels: wrong, ...quantization }, random()), {
      ...wanted,
      argument: "pixels[1]",
    });
    expectError(() => codeWidths(wrong, quantization), { ...wanted, argument: "values[1]" });
  });

  test("floating point has no widths, and unknown spacings are rejected", () => {
    const wanted = { code: "invalid-argument", argument: "the spacing of the codes" } as const;
    expectError(() => codeWidths(pixels, { levels: Infinity, spacing: "none" }), wanted);
    const wrong = { pixels, levels: 256, spacing: "log" as "even" };
    expectError(() => dequantize(wrong, random()), wanted);
  });
});
