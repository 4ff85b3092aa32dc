import { describe, expect, test } from "vitest";
import {
  type FourierDirection,
  fourierTransform2d,
} from "../../src/fourier/fourier-transform-2d.js";
import { realFourierPlan2d } from "../../src/fourier/real-fourier-2d.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose } from "../support/expect-close.js";
import { expectError } from "../support/expect-error.js";
import { seed } from "../support/seed.js";

// Sizes below, at and above eight lines and sixteen rows, odd and even, wide and tall.
const sizes = [
  [1, 1],
  [1, 9],
  [9, 1],
  [5, 3],
  [7, 17],
  [18, 33],
  [31, 16],
  [53, 20],
];

function noise(length: number, ...name: (string | number)[]): Float64Array {
  return createRandom(seed, "fourier 2d", ...name).normalFill(new Float64Array(length));
}

/** The definition for real values, term by term. */
function definition(
  real: Float64Array,
  width: number,
  height: number,
): { real: Float64Array; imaginary: Float64Array } {
  const result = { real: new Float64Array(real.length), imaginary: new Float64Array(real.length) };
  for (let at = 0; at < real.length; at += 1) {
    const [u, v] = [at % width, Math.floor(at / width)];
    for (let k = 0; k < real.length; k += 1) {
      const [x, y] = [k % width, Math.floor(k / width)];
      const angle = 2 * Math.PI * (((u * x) % width) / width + ((v * y) % height) / height);
      result.real[at] += real[k] * Math.cos(angle);
      result.imaginary[at] -= real[k] * Math.sin(angle);
    }
  }
  return result;
}

describe.each(sizes)(`%i×%i (seed ${seed})`, (width, height) => {
  const real = noise(width * height, width, height);

  // Sums of up to 1060 terms of size 1.
  test("equals the definition to 1e-12", () => {
    const found = fourierTransform2d({ width, height, real });
    const wanted = definition(real, width, height);
    expectClose(found.real, wanted.real, { absolute: 1e-12 });
    expectClose(found.imaginary, wanted.imaginary, { absolute: 1e-12 });
  });

  test("is undone by its inverse, also for complex values", () => {
    const imaginary = noise(width * height, "imaginary");
    const there = fourierTransform2d({ width, height, real, imaginary });
    const back = fourierTransform2d(there, "inverse");
    expectClose(back.real, real, { absolute: 1e-14 });
    expectClose(back.imaginary, imaginary, { absolute: 1e-14 });
  });

  test("of real values equals its left half", () => {
    const whole = fourierTransform2d({ width, height, real });
    const { columns, ...half } = realFourierPlan2d(width, height).forward(real);
    expect(columns).toBe(Math.floor(width / 2) + 1);
    const isLeft = (_: number, at: number): boolean => at % width < columns;
    expectClose(half.real, whole.real.filter(isLeft), { absolute: 1e-12 });
    expectClose(half.imaginary, whole.imaginary.filter(isLeft), { absolute: 1e-12 });
  });

  test("of real values is undone from the left half", () => {
    const plan = realFourierPlan2d(width, height);
    expectClose(plan.inverse(plan.forward(real)), real, { absolute: 1e-14 });
  });
});

test.each([
  [6, 5],
  [7, 4],
])("the inverse from half of %i×%i frequencies ignores the imaginary part", (width, height) => {
  const plan = realFourierPlan2d(width, height);
  const real = noise(width * height, "real part");
  const [turned, without] = [plan.forward(real), plan.forward(real)];
  // Columns that are their own mirror image, times i, as of imaginary values.
  for (const u of width % 2 === 0 ? [0, width / 2] : [0]) {
    for (let at = u; at < turned.real.length; at += turned.columns) {
      [turned.real[at], turned.imaginary[at]] = [-turned.imaginary[at], turned.real[at]];
      [without.real[at], without.imaginary[at]] = [0, 0];
    }
  }
  expectClose(plan.inverse(turned), plan.inverse(without), { absolute: 1e-14 });
});

test("accepts a Float32Array", () => {
  const real = Float32Array.of(1, 2, 4, 8, 16, 32);
  expectClose(fourierTransform2d({ width: 3, height: 2, real }).real[0], 63);
});

test("rejects invalid arrays and directions", () => {
  const real = new Float64Array(6);
  expectError(() => fourierTransform2d({ width: 4, height: 2, real }), {
    code: "invalid-argument",
    argument: "real",
  });
  expect(() => fourierTransform2d({ width: 3, height: 2, real, imaginary: real.slice(1) })).toThrow(
    "imaginary to hold 6 values (3×2)",
  );
  expect(() => fourierTransform2d({ width: 0, height: 2, real })).toThrow("width to be a positive");
  const sideways = "sideways" as FourierDirection;
  expect(() => fourierTransform2d({ width: 3, height: 2, real }, sideways)).toThrow(
    'direction to be "forward" or "inverse"',
  );
});
