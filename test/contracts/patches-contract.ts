import { describe, expect, test } from "vitest";
import type { Kernels } from "../../src/kernels/kernels.js";
import type { PatchDensity } from "../../src/kernels/patch-kernels.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose } from "../support/expect-close.js";
import { seed } from "../support/seed.js";
import type { KernelsUnderTest } from "./kernels-under-test.js";

interface Case {
  readonly size: number;
  readonly width: number;
  readonly height: number;
  readonly count: number;
  readonly isBounded: boolean;
}

const cases: readonly Case[] = [
  { size: 8, width: 31, height: 23, count: 70, isBounded: true },
  { size: 8, width: 8, height: 8, count: 1, isBounded: false },
  { size: 3, width: 9, height: 7, count: 17, isBounded: true },
  { size: 2, width: 5, height: 2, count: 8, isBounded: false },
];

export function describePatchEstimates({ kernels, epsilon }: KernelsUnderTest): void {
  describe("estimates by a density of patches", () => {
    test.each(cases)("are those of the specification: %j", (given) => {
      const [found, expected] = [kernels(), referenceKernels].map((own) => run(own, given));
      expectClose(found, expected, { relative: 20_000 * epsilon, scale: 1 });
    });

    test("are added to the sums", () => {
      const once = run(kernels(), cases[0]);
      const twice = run(kernels(), cases[0], 2);
      // Up to 64 estimates of about 1 are added to a pixel, and may cancel.
      expectClose(
        twice,
        once.map((value) => 2 * value),
        { relative: 64 * epsilon, scale: 1 },
      );
    });

    test("are limited in size and mean", () => {
      const given = { ...cases[0], width: 8, height: 8, count: 1 };
      // A plausible σ is far smaller than the noise that this density sees.
      const [free, bounded] = [false, true].map((isBounded) =>
        run(kernels(), { ...given, isBounded }, 1, 0.01),
      );
      const noisy = noisyOf(given);
      const removed = (estimate: ArrayLike<number>): number =>
        Math.sqrt(noisy.reduce((sum, value, k) => sum + (value - estimate[k]) ** 2, 0));
      const most = 0.01 * Math.sqrt(64 * 1.25 ** 2 + 25);
      expect(removed(bounded)).toBeLessThan(most * 1.001);
      expect(removed(free)).toBeGreaterThan(0);
    });
  });
}

/** A density with M far from 0, so that both terms of its determinant count. */
export function densityOf(size: number): PatchDensity {
  const random = createRandom(seed, "patch density", size);
  const n = size * size;
  const normals = (length: number): Float32Array => random.normalFill(new Float32Array(length));
  return {
    H: normals(n * n).map((value) => (3 * value) / size),
    gamma: normals(n * n).map((value, k) => (k % (n + 1) === 0 ? 0.5 : Math.abs(value) / (2 * n))),
    c: normals(n).map((value) => value / 4),
    alpha: normals(n).map((value) => 1 + Math.abs(value) / 2),
    beta: normals(n).map((value) => 0.5 + Math.abs(value)),
    epsilon: normals(n).map((value) => 0.5 / (1 + Math.abs(value))),
  };
}

function noisyOf({ width, height }: Case): Float32Array {
  return createRandom(seed, "patch noise", width).normalFill(new Float32Array(width * height));
}

function run(kernels: Kernels, given: Case, times = 1, sigma = 0.3) {
  const { size, width, height, count, isBounded } = given;
  const own = kernels.patches(size);
  own.load(densityOf(size));
  const random = createRandom(seed, "patch corners", width);
  const corners = Int32Array.from(
    { length: count },
    () => random.integer(height - size + 1) * width + random.integer(width - size + 1),
  );
  const noisy = kernels.floats(width * height);
  noisy.set(noisyOf(given));
  const sums = kernels.floats(width * height);
  for (let k = 0; k < times; k++) {
    own.estimate({ width, height, noisy, corners }, { sigma, isBounded }, sums);
  }
  return sums;
}
