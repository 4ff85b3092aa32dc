import { describe, expect, test } from "vitest";
import type { Kernels } from "../../src/kernels/kernels.js";
import { type SimilarSettings, mostSimilar } from "../../src/kernels/patch-kernels.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose, expectSameBits } from "../support/expect-close.js";
import { seed } from "../support/seed.js";
import type { KernelsUnderTest } from "./kernels-under-test.js";

interface Case extends SimilarSettings {
  readonly width: number;
  readonly height: number;
  readonly references: readonly number[];
}

/** Windows inside, cut at each side, and with fewer patches than a full group. */
const cases: readonly Case[] = [
  { width: 41, height: 37, references: [0, 500, 34, 41 * 30], size: 7, reach: 17, uncertainty: 0 },
  { width: 30, height: 24, references: [65, 300], size: 8, reach: 5, uncertainty: 0.03 },
  { width: 9, height: 11, references: [0, 2, 12], size: 7, reach: 17, uncertainty: 0.1 },
  { width: 5, height: 5, references: [0], size: 5, reach: 3, uncertainty: 0.5 },
  { width: 12, height: 3, references: [0, 5, 11], size: 1, reach: 2, uncertainty: 0 },
];

export function describeSimilarPatches({ kernels, epsilon }: KernelsUnderTest): void {
  describe("groups of similar patches", () => {
    test.each(cases)("have the sums of the specification: %j", (given) => {
      const found = run(kernels(), given);
      const expected = run(referenceKernels, given);
      const tolerance = { relative: 2000 * epsilon, scale: 100 };
      expectSameBits(found.counts, expected.counts);
      expectClose(found.values, expected.values, tolerance);
      expectClose(found.residuals, expected.residuals, tolerance);
    });

    test("have one member for each patch of a small window, and at most the limit", () => {
      const total = (given: Case): number => {
        const { counts } = run(kernels(), { ...given, references: [0] });
        return Float64Array.from(counts).reduce((sum, value) => sum + value, 0);
      };
      expect(total(cases[2])).toBe(15);
      expect(total(cases[0])).toBe(mostSimilar);
    });

    test("that are all equal become their mean, but for the uncertainty", () => {
      const given = { ...cases[1], references: [65], uncertainty: 0.25 };
      const { values, counts } = run(kernels(), given, () => 3);
      expect(counts[65]).toBe(1);
      // μ = 3, C = ¼ I: every noisy value y becomes 3 + (y − 3) / 5.
      const noisy = noisyOf(given);
      const alone = counts.findIndex((count) => count > 0);
      expectClose([values[alone]], [3 + (noisy[alone] - 3) / 5], { relative: 100 * epsilon });
    });

    test("that take turns do not change each other", () => {
      const before = cases.map((given) => run(kernels(), given).values);
      cases.forEach((given, k) => {
        expectSameBits(run(kernels(), given).values, before[k]);
      });
    });

    test("add to the sums", () => {
      const once = run(kernels(), cases[1]).counts;
      const twice = run(kernels(), cases[1], undefined, 2).counts;
      expectSameBits(
        twice,
        once.map((value) => 2 * value),
      );
    });
  });
}

function noisyOf({ width, height }: Case): Float32Array {
  return createRandom(seed, "similar noise", width).normalFill(new Float32Array(width * height));
}

/** Estimates the groups `times` times; `guideAt` replaces a guide of smooth noise. */
function run(kernels: Kernels, given: Case, guideAt?: (k: number) => number, times = 1) {
  const { width, height, references } = given;
  const random = createRandom(seed, "similar guides", width);
  const smooth = random.normalFill(new Float32Array(width * height)).map((value) => 2 * value);
  const noisy = noisyOf(given).map((value, k) => value + smooth[k]);
  const floats = (values: Float32Array) => {
    const copy = kernels.floats(values.length);
    copy.set(values);
    return copy;
  };
  const region = {
    width,
    height,
    guide: floats(guideAt ? smooth.map((_, k) => guideAt(k)) : smooth),
    noisy: floats(guideAt ? noisyOf(given) : noisy),
    references: Int32Array.from(references),
  };
  const zeros = () => kernels.floats(width * height);
  const sums = { values: zeros(), counts: zeros(), residuals: zeros() };
  for (let k = 0; k < times; k++) kernels.estimateSimilar(region, given, sums);
  return sums;
}
