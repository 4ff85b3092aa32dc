import { describe, test } from "vitest";
import type { ComplexArray } from "../../src/fourier/complex-array.js";
import { fourierTransform } from "../../src/fourier/fourier-transform.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose, expectSameBits } from "../support/expect-close.js";
import { seed } from "../support/seed.js";

function noise(length: number, name: string | number = length): ComplexArray {
  const random = createRandom(seed, "fourier", name);
  const [real, imaginary] = [new Float64Array(length), new Float64Array(length)];
  return { real: random.normalFill(real), imaginary: random.normalFill(imaginary) };
}

function copyOf({ real, imaginary }: ComplexArray): ComplexArray {
  return { real: real.slice(), imaginary: imaginary.slice() };
}

/** The definition, term by term. */
function definition({ real, imaginary }: ComplexArray): ComplexArray {
  const n = real.length;
  const [cosines, sines] = [Math.cos, Math.sin].map((f) =>
    Float64Array.from({ length: n }, (_, j) => f((2 * Math.PI * j) / n)),
  );
  const result = { real: new Float64Array(n), imaginary: new Float64Array(n) };
  for (let k = 0; k < n; k += 1) {
    for (let j = 0; j < n; j += 1) {
      const [c, s] = [cosines[(j * k) % n], sines[(j * k) % n]];
      result.real[k] += real[j] * c + imaginary[j] * s;
      result.imaginary[k] += imaginary[j] * c - real[j] * s;
    }
  }
  return result;
}

function expectComplex(found: ComplexArray, wanted: ComplexArray, absolute: number): void {
  expectClose(found.real, wanted.real, { absolute }, "the real parts");
  expectClose(found.imaginary, wanted.imaginary, { absolute }, "the imaginary parts");
}

const lengths = [...Array.from({ length: 40 }, (_, k) => k + 1), 61, 64, 360, 383, 1020, 1532];
// 53 · 59: two large primes in one length.
const all = [...lengths, 53 * 59];

describe(`fourierTransform (seed ${seed})`, () => {
  // The definition adds n terms of size 1 with cosines accurate to n roundings.
  test.each(all)("of length %i equals the definition to 1e-15 n", (n) => {
    const values = noise(n);
    const wanted = definition(values);
    fourierTransform(n, 1)(values);
    expectComplex(values, wanted, 1e-15 * n + 1e-14);
  });

  test.each(all)("of length %i is undone by the transform with exchanged parts to 1e-14", (n) => {
    const values = noise(n);
    const found = copyOf(values);
    const transform = fourierTransform(n, 1);
    transform(found);
    transform({ real: found.imaginary, imaginary: found.real });
    const inverse = {
      real: found.real.map((value) => value / n),
      imaginary: found.imaginary.map((value) => value / n),
    };
    expectComplex(inverse, values, 1e-14);
  });

  test.each([1, 7, 60, 101, 383, 1532])("of length %i keeps the energy (Parseval)", (n) => {
    const values = noise(n);
    const before = energyOf(values);
    fourierTransform(n, 1)(values);
    expectClose(energyOf(values), n * before, { relative: 1e-14 });
  });

  test.each([8, 15, 34, 61, 383])("turns an impulse at 0 of length %i into ones", (n) => {
    const impulse = { real: new Float64Array(n), imaginary: new Float64Array(n) };
    impulse.real[0] = 1;
    fourierTransform(n, 1)(impulse);
    const ones = { real: new Float64Array(n).fill(1), imaginary: new Float64Array(n) };
    expectComplex(impulse, ones, 1e-14);
  });

  test.each([12, 17, 122, 766])("of length %i turns a shift into phases", (n) => {
    const values = noise(n);
    const shifted = copyOf(values);
    const by = 5;
    for (const part of ["real", "imaginary"] as const) {
      for (let j = 0; j < n; j += 1) shifted[part][(j + by) % n] = values[part][j];
    }
    const transform = fourierTransform(n, 1);
    transform(values);
    transform(shifted);
    const wanted = { real: new Float64Array(n), imaginary: new Float64Array(n) };
    for (let k = 0; k < n; k += 1) {
      const angle = (-2 * Math.PI * ((k * by) % n)) / n;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      wanted.real[k] = values.real[k] * c - values.imaginary[k] * s;
      wanted.imaginary[k] = values.real[k] * s + values.imaginary[k] * c;
    }
    expectComplex(shifted, wanted, 1e-13 * Math.sqrt(n));
  });

  test.each([6, 34, 106])("transforms a batch of length %i like each sequence alone", (n) => {
    const batch = 3;
    const block = noise(n * batch);
    const alone = Array.from({ length: batch }, (_, q) => ({
      real: block.real.filter((_, place) => place % batch === q),
      imaginary: block.imaginary.filter((_, place) => place % batch === q),
    }));
    fourierTransform(n, batch)(block);
    for (const [q, values] of alone.entries()) {
      fourierTransform(n, 1)(values);
      expectSameBits(
        block.real.filter((_, place) => place % batch === q),
        values.real,
      );
      expectSameBits(
        block.imaginary.filter((_, place) => place % batch === q),
        values.imaginary,
      );
    }
  });

  test("can be reused", () => {
    const transform = fourierTransform(106, 1);
    const [first, second] = [noise(106), noise(106)];
    transform(first);
    transform(noise(106, "between"));
    transform(second);
    expectSameBits(second.real, first.real);
  });
});

function energyOf({ real, imaginary }: ComplexArray): number {
  return real.reduce((sum, value, k) => sum + value * value + imaginary[k] * imaginary[k], 0);
}
