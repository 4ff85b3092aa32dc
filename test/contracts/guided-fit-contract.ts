import { describe, expect, test } from "vitest";
import type { FloatArray, Kernels } from "../../src/kernels/kernels.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import { type RandomStream, createRandom } from "../../src/random/random-stream.js";
import { expectClose, expectSameBits } from "../support/expect-close.js";
import { seed } from "../support/seed.js";
import type { KernelsUnderTest } from "./kernels-under-test.js";

interface Case {
  readonly pixels: number;
  readonly cells: number;
  /** Patches of each class. */
  readonly counts: readonly number[];
}

/** Sizes that are and are not multiples of eight, and counts around the four rows of a tile. */
const cases: readonly Case[] = [
  { pixels: 64, cells: 100, counts: [9, 0, 4] },
  { pixels: 9, cells: 14, counts: [1, 3, 5] },
  { pixels: 1, cells: 1, counts: [0, 2] },
];

const variance = 0.25;

export function describeGuidedFit({ kernels, epsilon }: KernelsUnderTest): void {
  describe("passes for fits of guided densities", () => {
    test.each(cases)("are those of the specification: %j", (given) => {
      const [own, exact] = [run(kernels(), given), run(referenceKernels, given)];
      const tolerance = { relative: 5000 * epsilon, scale: 10 };
      expectClose(own.estimates, exact.estimates, tolerance);
      exact.gradients.forEach((gradient, k) => {
        expect(own.gradients[k] === null).toBe(gradient === null);
        if (gradient) expectClose(own.gradients[k] as FloatArray, gradient, tolerance);
      });
    });

    test("leave no trace of other patches", () => {
      const [given] = cases;
      const fresh = run(kernels(), given);
      const again = run(kernels(), given, { ...given, counts: [2, 11, 0] });
      expectSameBits(again.estimates, fresh.estimates);
      expectSameBits(again.gradients[0] as FloatArray, fresh.gradients[0] as FloatArray);
    });

    test("have finite gradients for a flat guide", () => {
      const { gradients } = run(kernels(), { pixels: 4, cells: 4, counts: [3] }, undefined, 0);
      expect((gradients[0] as FloatArray).every(Number.isFinite)).toBe(true);
    });
  });
}

/** Passes over random patches, after passes over `before`; `contrast` scales the guide. */
function run(kernels: Kernels, given: Case, before?: Case, contrast = 1) {
  const { pixels: n, cells: k, counts } = given;
  const patches = 32;
  const fit = kernels.guidedFit({ pixels: n, cells: k, classes: counts.length, patches });
  const normals = (random: RandomStream, length: number): FloatArray => {
    const values = kernels.floats(length);
    values.set(random.normalFill(new Float32Array(length)));
    return values;
  };
  const random = createRandom(seed, "guided parameters", n, k);
  const classes = counts.map(() => {
    const parameters = normals(random, 2 * n * n + 2 * n * k + 3 * n);
    const gamma = n * n + 2 * n * k;
    for (let at = gamma; at < parameters.length; at++) {
      parameters[at] = 1 + Math.abs(Math.fround(parameters[at]));
    }
    return parameters;
  });
  fit.load(classes, variance);
  const passes = (of: Case, stream: RandomStream) => {
    const count = of.counts.reduce((sum, own) => sum + own, 0);
    const [noisy, guide, errors] = [n, k, n].map((length) => normals(stream, count * length));
    const estimates = kernels.floats(count * n);
    fit.estimate(
      of.counts,
      noisy,
      guide.map((value) => contrast * value),
      estimates,
    );
    const gradients = of.counts.map((own, c) =>
      own > 0 ? kernels.floats(classes[c].length) : null,
    );
    fit.gradient(errors, gradients);
    return { estimates, gradients };
  };
  if (before) passes(before, createRandom(seed, "other patches"));
  return passes(given, createRandom(seed, "guided patches", n, k));
}
