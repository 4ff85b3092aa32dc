import { describe, expect, test } from "vitest";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { type RandomStream, createRandom } from "../../src/random/random-stream.js";
import { gaussianize } from "../../src/density/induced-density.js";
import type { Affine } from "../../src/transforms/affine.js";
import { independentComponents } from "../../src/transforms/ica.js";
import type { Linear } from "../../src/transforms/linear.js";
import { fitRotationIca } from "../../src/transforms/rotation-ica.js";
import { expectClose } from "../support/expect-close.js";
import { expectError, refusal } from "../support/expect-error.js";
import { referenceRunner } from "../support/inline-runners.js";
import { scaledPairs, studentScale } from "../support/pair-samples.js";
import { seed } from "../support/seed.js";

type Source = (random: RandomStream) => number;
const laplacian: Source = (random) =>
  (Math.log(1 - random.uniform()) * (random.uniform() < 0.5 ? 1 : -1)) / Math.SQRT2;
const uniform: Source = (random) => (2 * random.uniform() - 1) * Math.sqrt(3);
const normal: Source = (random) => random.normal();

/** Returns A s for two independent sources, A row-major. */
function mixed(name: string, count: number, sources: readonly [Source, Source], A: number[]) {
  const random = createRandom(seed, "rotation", name);
  const pairs = new Float64Array(2 * count);
  for (let k = 0; k < pairs.length; k += 2) {
    const [a, b] = [sources[0](random), sources[1](random)];
    pairs[k] = A[0] * a + A[1] * b;
    pairs[k + 1] = A[2] * a + A[3] * b;
  }
  return pairs;
}

function rotation(degrees: number): number[] {
  const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return [c, -s, s, c];
}

/**
 * Returns the angle in degrees between the rows of H A and the axes: arctan of smaller over larger
 * entry.
 */
function missInDegrees(H: ArrayLike<number>, A: number[]): number {
  const miss = [0, 2].map((row) => {
    const [a, b] = [0, 1].map((j) => Math.abs(H[row] * A[j] + H[row + 1] * A[2 + j]));
    return (Math.atan2(Math.min(a, b), Math.max(a, b)) * 180) / Math.PI;
  });
  return Math.max(...miss);
}

/** Returns the two stages of the fit. */
function partsOf(pairs: Float64Array) {
  const transform = fitRotationIca(pairs);
  expect(transform).toMatchObject({ kind: "cascade", dimension: 2 });
  expect(transform.stages.map(({ kind }) => kind)).toEqual(["affine", "linear"]);
  const [{ scale, shift }, { H }] = transform.stages as readonly [Affine, Linear];
  expect([...scale]).toEqual([1, 1]);
  return { shift, H };
}

/** Moves both coordinates away from 0, by different amounts. */
const moved = (value: number, k: number): number => value + (k % 2 === 0 ? 100 : -40);

/** Enough for a standard error of the angle of at most 0.25°, as measured over many draws. */
const kinds: { what: string; sources: [Source, Source]; count: number }[] = [
  { what: "Laplacian", sources: [laplacian, laplacian], count: 100_000 },
  { what: "uniform", sources: [uniform, uniform], count: 20_000 },
  { what: "Laplacian and uniform", sources: [laplacian, uniform], count: 20_000 },
  { what: "normal and uniform", sources: [normal, uniform], count: 40_000 },
];

describe(`fitRotationIca, seed ${seed}`, () => {
  describe.each(kinds)("of $what sources", ({ what, sources, count }) => {
    test.each([37, 89.7])("finds a rotation by %d° to 1°", (degrees) => {
      const A = rotation(degrees);
      const { H } = partsOf(mixed(`${what} ${degrees}`, count, sources, A));
      expect(missInDegrees(H, A)).toBeLessThan(1);
    });

    test("finds any mixture", () => {
      const A = [1, 0.7, -0.2, 0.5];
      const { H } = partsOf(mixed(what, count, sources, A));
      expect(missInDegrees(H, A)).toBeLessThan(1);
    });
  });

  test("finds the same as FastICA, with rows in the same order and sign", async () => {
    const { kernels } = await loadKernels({ kernels: "reference" });
    for (const { what, sources } of kinds.slice(0, 3)) {
      const pairs = mixed(`fast ${what}`, 30_000, sources, [2, 0.5, -0.4, 1]);
      const { H } = await independentComponents(kernels, pairs, 2, { tolerance: 1e-5 });
      // Entries of H are up to 1; both are accurate to about 0.3° = 0.005.
      expectClose(partsOf(pairs).H, H, { absolute: 0.03 });
    }
  });

  test.each([
    ["of sources", mixed("white", 5000, [laplacian, uniform], [3, 1, 0.5, 2])],
    ["without independent components", scaledPairs("elliptical", 5000, 0.5, studentScale(5))],
    ["far from 0", mixed("far", 5000, [laplacian, uniform], [3, 1, 0.5, 2]).map(moved)],
  ])("gives pairs %s mean 0, variance 1 and no correlation", (_, pairs) => {
    const { shift, H } = partsOf(pairs);
    let [a1, b1, aa, ab, bb] = [0, 0, 0, 0, 0];
    for (let k = 0; k < pairs.length; k += 2) {
      const [x, y] = [pairs[k] + shift[0], pairs[k + 1] + shift[1]];
      const [a, b] = [H[0] * x + H[1] * y, H[2] * x + H[3] * y];
      a1 += a / 5000;
      b1 += b / 5000;
      aa += (a * a) / 5000;
      ab += (a * b) / 5000;
      bb += (b * b) / 5000;
    }
    // 5000 additions, each with a rounding of about 1e-16; of values around 100 about 1e-14.
    expectClose([a1, b1, aa, ab, bb], [0, 0, 1, 0, 1], { absolute: 1e-12 });
  });

  test("does not depend on the mean of the pairs", async () => {
    const pairs = mixed("moved", 20_000, [laplacian, uniform], [1, 0.7, -0.2, 0.5]);
    const [near, far] = [partsOf(pairs), partsOf(pairs.map(moved))];
    // Rounding of values around 100 may change the end of the search within its last interval, 1e-4
    // of 3.6°.
    expectClose(far.H, near.H, { absolute: 1e-5 });
    const mapped = async (x: Float64Array) =>
      (await gaussianize(referenceRunner, fitRotationIca(x), x)).y;
    // Float32 rounds values around 100 by 4e-6, and H is up to 3.
    expectClose(await mapped(pairs.map(moved)), await mapped(pairs), { absolute: 5e-5 });
  });

  test("rejects data that cannot be rotated", () => {
    const pairs = mixed("refused", 200, [laplacian, uniform], [1, 0, 0, 1]);
    expect(() => fitRotationIca(pairs.subarray(0, 60))).toThrow(
      refusal("pairs", "hold at least 100 pairs", 30),
    );
    expectError(() => fitRotationIca(pairs.subarray(1)), {
      code: "invalid-argument",
      argument: "pairs",
    });
    const flat = pairs.map((value, k) => (k % 2 === 0 ? value : 0));
    expectError(() => fitRotationIca(flat), { code: "degenerate-data" });
  });
});
