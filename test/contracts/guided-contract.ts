import { describe, expect, test } from "vitest";
import type { Kernels } from "../../src/kernels/kernels.js";
import type { GradientSums, GuidedParameters } from "../../src/kernels/patch-kernels.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose, expectSameBits } from "../support/expect-close.js";
import { seed } from "../support/seed.js";
import type { KernelsUnderTest } from "./kernels-under-test.js";

interface Case {
  readonly size: number;
  readonly width: number;
  readonly height: number;
  /** Patches of each class. */
  readonly counts: readonly number[];
}

/** Sizes that are and are not multiples of four, and counts around the eight patches of a strip. */
const cases: readonly Case[] = [
  { size: 8, width: 31, height: 23, counts: [65, 0, 8] },
  { size: 3, width: 9, height: 7, counts: [1, 7, 9] },
  { size: 2, width: 2, height: 2, counts: [1] },
  { size: 1, width: 5, height: 1, counts: [5, 3] },
];

const variance = 0.25;

export function describeGuidedPatches({ kernels, epsilon }: KernelsUnderTest): void {
  describe("estimates by guided densities", () => {
    test.each(cases)("are those of the specification: %j", (given) => {
      expectClose(run(kernels(), given), run(referenceKernels, given), {
        relative: 5000 * epsilon,
        scale: 10,
      });
    });

    test("are added to the sums", () => {
      const [given] = cases;
      const once = run(kernels(), given);
      expectClose(
        run(kernels(), given, 2),
        once.map((value) => 2 * value),
        {
          // Up to 64 estimates of about 1 are added to a pixel, and may cancel.
          relative: 64 * epsilon,
          scale: 1,
        },
      );
    });

    test("equal the noisy patch minus its linear part for a flat guide", () => {
      // v = 0, so D = β = 1: with H = ½ I, the estimate is x̃ − ¼ · ¼ x̃.
      const given = { size: 2, width: 2, height: 2, counts: [1] };
      const own = kernels().guided({ size: 2, poses: [Uint16Array.from([2, 3, 0, 1])] });
      const identity = Float32Array.from({ length: 16 }, (_, k) => (k % 5 === 0 ? 0.5 : 0));
      const ones = new Float32Array(4).fill(1);
      own.load([{ H: identity, G: identity, gamma: identity, alpha: ones, beta: ones }]);
      const sums = kernels().floats(4);
      const [noisy, guide] = [kernels().floats(4).fill(16), kernels().floats(4)];
      const [corners, poses, counts] = [[0], [0], [1]].map((list) => Int32Array.from(list));
      own.estimate({ ...given, noisy, guide, corners, poses, counts, variance }, sums);
      expectClose(sums, new Float64Array(4).fill(15), { relative: 8 * epsilon });
    });
  });

  describe("sums of gradients", () => {
    test.each(cases)("are those of the specification: %j", (given) => {
      const [found, expected] = [kernels(), referenceKernels].map((own) => gradients(own, given));
      const { width, height, size } = given;
      for (const name of ["xx", "xy", "yy", "x", "y"] as const) {
        const inside = (values: ArrayLike<number>) =>
          Array.from(values).filter(
            (_, k) => (k % width) + size <= width && Math.floor(k / width) + size <= height,
          );
        expectClose(inside(found[name]), inside(expected[name]), {
          relative: 100 * epsilon,
          scale: 1,
        });
      }
    });

    test("of a slope are those of its weights", () => {
      const own = kernels();
      const pixels = own.floats(48).map((_, k) => 2 * (k % 8) + 3 * Math.floor(k / 8));
      const weights = own.floats(2).fill(0.5);
      const sums = gradientsOf(own, { width: 8, height: 6, pixels }, weights);
      const at = 8 + 1;
      const values = (["xx", "xy", "yy", "x", "y"] as const).map((name) => sums[name][at]);
      expect(values).toEqual([4, 6, 9, 2, 3]);
    });

    test("do not depend on earlier images", () => {
      const before = cases.map((given) => gradients(kernels(), given).xx);
      cases.forEach((given, k) => {
        const { width, height, size } = given;
        const inside = (height - size) * width + width - size + 1;
        const again = gradients(kernels(), given).xx;
        expectSameBits(again.subarray(0, inside), before[k].subarray(0, inside));
      });
    });
  });
}

/** Estimates random patches by random densities, `times` times. */
function run(kernels: Kernels, { size, width, height, counts }: Case, times = 1) {
  const random = createRandom(seed, "guided kernel", size);
  const normals = (length: number): Float32Array =>
    random.normalFill(new Float32Array(length)).map((value) => value / size);
  const area = size * size;
  // Mirrored across, and transposed.
  const poses = [
    Uint16Array.from({ length: area }, (_, k) => k - (k % size) + size - 1 - (k % size)),
    Uint16Array.from({ length: area }, (_, k) => (k % size) * size + Math.floor(k / size)),
  ];
  const guided = kernels.guided({ size, poses });
  const floats = (values: Float32Array) => {
    const copy = kernels.floats(values.length);
    copy.set(values);
    return copy;
  };
  const parameters = (): GuidedParameters => ({
    H: normals(area * area),
    G: normals(area * area),
    gamma: normals(area * area).map(Math.abs),
    alpha: normals(area).map((value) => 1 + Math.abs(value) * size),
    beta: normals(area).map((value) => 0.5 + Math.abs(value)),
  });
  guided.load(counts.map(parameters));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const region = {
    width,
    height,
    noisy: floats(normals(width * height).map((value) => size * value)),
    guide: floats(normals(width * height).map((value) => size * value)),
    corners: Int32Array.from(
      { length: total },
      () => random.integer(height - size + 1) * width + random.integer(width - size + 1),
    ),
    poses: Int32Array.from({ length: total }, () => random.integer(2)),
    counts: Int32Array.from(counts),
    variance,
  };
  const sums = kernels.floats(width * height);
  for (let k = 0; k < times; k++) guided.estimate(region, sums);
  return sums;
}

function gradients(kernels: Kernels, { size, width, height }: Case): GradientSums {
  const random = createRandom(seed, "gradients", width);
  const pixels = kernels.floats(width * height);
  pixels.set(random.normalFill(new Float32Array(width * height)));
  const weights = kernels.floats(size).map((_, k) => (k + 1) / size);
  return gradientsOf(kernels, { width, height, pixels }, weights);
}

function gradientsOf(
  kernels: Kernels,
  image: Parameters<Kernels["sumGradients"]>[0],
  weights: Parameters<Kernels["sumGradients"]>[1],
): GradientSums {
  const zeros = () => kernels.floats(image.width * image.height);
  const sums = { xx: zeros(), xy: zeros(), yy: zeros(), x: zeros(), y: zeros() };
  kernels.sumGradients(image, weights, sums);
  return sums;
}
