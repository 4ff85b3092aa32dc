import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { psnrInDecibels } from "../../src/evaluation/picture-quality.js";
import { ssim } from "../../src/evaluation/ssim.js";
import type { GreyPixels } from "../../src/images/grey-image.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose } from "../support/expect-close.js";
import { expectError } from "../support/expect-error.js";
import { seed } from "../support/seed.js";

interface Quality {
  readonly cases: readonly {
    readonly amplitude: number;
    readonly psnr: number;
    readonly ssim: number;
    readonly ssimFull: number;
  }[];
}
/** Values of scikit-image, and the formulas of its pictures. */
const { cases } = JSON.parse(readFileSync("test/fixtures/quality.json", "utf8")) as Quality;

const picture = (width: number, height: number, value: (x: number, y: number) => number) => {
  const pixels = Float64Array.from({ length: width * height }, (_, k) =>
    value(k % width, Math.floor(k / width)),
  );
  return { width, height, pixels };
};
const clipped = (value: number): number => Math.min(255, Math.max(0, value));
const waves = (x: number, y: number): number =>
  clipped(
    Math.floor(127.5 + 100 * Math.sin(x / 7.3) * Math.cos(y / 5.1) + ((13 * x + 7 * y) % 23)),
  );
const distorted = (amplitude: number) => (x: number, y: number) =>
  clipped(waves(x, y) + amplitude * (((7919 * x + 104729 * y) % 101) / 50 - 1));
const fromZeroToOne = (image: GreyPixels): GreyPixels => ({
  ...image,
  pixels: image.pixels.map((value) => value / 255),
});

describe("against scikit-image", () => {
  const reference = fromZeroToOne(picture(80, 64, waves));

  test.each(cases)("amplitude $amplitude: equal to 1e-9", ({ amplitude, psnr, ...expected }) => {
    const image = fromZeroToOne(picture(80, 64, distorted(amplitude)));
    expectClose(psnrInDecibels(image, reference), psnr, { absolute: 1e-9 });
    expectClose(ssim(image, reference), expected.ssim, { absolute: 1e-9 });
    const border = { border: "reflect" } as const;
    expectClose(ssim(image, reference, border), expected.ssimFull, { absolute: 1e-9 });
  });
});

describe(`ssim (seed ${seed})`, () => {
  const random = createRandom(seed, "ssim");
  const noise = (width: number, height: number): GreyPixels => ({
    width,
    height,
    pixels: random.stream(width, height).normalFill(new Float32Array(width * height)),
  });

  test("is 1 for equal images, and negative for inverted contrast", () => {
    const image = noise(17, 13);
    expect(ssim(image, image)).toBe(1);
    const negative = { ...image, pixels: image.pixels.map((value) => 10 - value) };
    const value = ssim({ ...image, pixels: image.pixels.map((each) => 10 + each) }, negative);
    expect(value).toBeLessThan(-0.99);
    expect(value).toBeGreaterThan(-1);
  });

  test("is symmetric, and the same for transposed images", () => {
    const [a, b] = [noise(14, 14), picture(14, 14, (x, y) => Math.sin(x + 2 * y))];
    expectClose(ssim(a, b), ssim(b, a), { relative: 1e-15, scale: 1 });
    const transposed = ({ pixels }: GreyPixels) => picture(14, 14, (x, y) => pixels[x * 14 + y]);
    expectClose(ssim(a, b), ssim(transposed(a), transposed(b)), { relative: 1e-14, scale: 1 });
  });

  test("compares the means of two flat images", () => {
    const [a, b] = [picture(11, 11, () => 0.25), picture(11, 11, () => 0.5)];
    const expected = (2 * 0.125 + 1e-4) / (0.0625 + 0.25 + 1e-4);
    // The variances are differences of means of squares: exact to a few ε over C₂.
    expectClose(ssim(a, b), expected, { absolute: 1e-12 });
  });

  test("accepts images smaller than its window only with reflection", () => {
    const small = noise(10, 30);
    expectError(() => ssim(small, small), { code: "invalid-argument", argument: "the image" });
    expect(ssim(small, small, { border: "reflect" })).toBe(1);
    expect(ssim(noise(1, 1), noise(1, 1), { border: "reflect" })).toBe(1);
  });

  test("rejects different sizes, missing pixels and unknown options", () => {
    expect(() => ssim(noise(12, 11), noise(11, 12))).toThrow("11×12 pixels");
    const torn = { ...noise(12, 12), pixels: new Float32Array(7) };
    expect(() => ssim(torn, noise(12, 12))).toThrow("the image to hold 144 pixels (12×12)");
    const image = noise(12, 12);
    const unknown = (options: object) => () => ssim(image, image, options);
    expect(unknown({ border: "wrap" })).toThrow('"leave out" or "reflect"');
    expect(unknown({ borders: "reflect" })).toThrow("borders");
  });
});
