import { describe, expect, it } from "vitest";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { type RandomStream, createRandom } from "../../src/random/random-stream.js";
import { independentComponents } from "../../src/transforms/ica.js";
import { fitRotationIca } from "../../src/transforms/rotation-ica.js";
import { expectClose } from "../support/expect-close.js";
import { scaledPairs, studentScale } from "../support/pair-samples.js";
import { seed } from "../support/seed.js";

type Source = (random: RandomStream) => number;
const laplacian: Source = (random) =>
  (Math.log(1 - random.uniform()) * (random.uniform() < 0.5 ? 1 : -1)) / Math.SQRT2;
const uniform: Source = (random) => (2 * random.uniform() - 1) * Math.sqrt(3);
const normal: Source = (random) => random.normal();

/** A s for two independent sources, A row-major. */
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

/** The angle, in degrees, by which the rows of H A miss the axes: for each row, arctan of smaller over larger entry. */
function missInDegrees(H: ArrayLike<number>, A: number[]): number {
  const miss = [0, 2].map((row) => {
    const [a, b] = [0, 1].map((j) => Math.abs(H[row] * A[j] + H[row + 1] * A[2 + j]));
    return (Math.atan2(Math.min(a, b), Math.max(a, b)) * 180) / Math.PI;
  });
  return Math.max(...miss);
}

/** So many that the standard error of the angle is a quarter of a degree or less, as measured over many draws. */
const kinds: { what: string; sources: [Source, Source]; count: number }[] = [
  { what: "Laplacian", sources: [laplacian, laplacian], count: 100_000 },
  { what: "uniform", sources: [uniform, uniform], count: 20_000 },
  { what: "Laplacian and uniform", sources: [laplacian, uniform], count: 20_000 },
  { what: "normal and uniform", sources: [normal, uniform], count: 40_000 },
];

describe(`fitRotationIca, seed ${seed}`, () => {
  describe.each(kinds)("of $what sources", ({ what, sources, count }) => {
    it.each([37, 89.7])("finds a rotation by %d° to 1°", (degrees) => {
      const A = rotation(degrees);
      const { H } = fitRotationIca(mixed(`${what} ${degrees}`, count, sources, A));
      expect(missInDegrees(H, A)).toBeLessThan(1);
    });

    it("finds any mixture", () => {
      const A = [1, 0.7, -0.2, 0.5];
      const { H } = fitRotationIca(mixed(what, count, sources, A));
      expect(missInDegrees(H, A)).toBeLessThan(1);
    });
  });

  it("finds what FastICA finds, rows in the same order and with the same signs", async () => {
    const { kernels } = await loadKernels({ kernels: "reference" });
    for (const { what, sources } of kinds.slice(0, 3)) {
      const pairs = mixed(`fast ${what}`, 30_000, sources, [2, 0.5, -0.4, 1]);
      const { H } = await independentComponents(kernels, pairs, 2, { tolerance: 1e-5 });
      // Entries of H are up to 1, both are sure to some 0.3° = 0.005.
      expectClose(fitRotationIca(pairs).H, H, { absolute: 0.03 });
    }
  });

  it("gives components of variance 1 without correlation, as a linear transform", () => {
    const pairs = mixed("white", 5000, [laplacian, uniform], [3, 1, 0.5, 2]);
    const transform = fitRotationIca(pairs);
    expect(transform).toMatchObject({ kind: "linear", dimension: 2 });
    const { H } = transform;
    let [aa, ab, bb] = [0, 0, 0];
    for (let k = 0; k < pairs.length; k += 2) {
      const a = H[0] * pairs[k] + H[1] * pairs[k + 1];
      const b = H[2] * pairs[k] + H[3] * pairs[k + 1];
      aa += (a * a) / 5000;
      ab += (a * b) / 5000;
      bb += (b * b) / 5000;
    }
    // 5000 additions, each with a rounding of some 1e-16.
    expectClose([aa, ab, bb], [1, 0, 1], { absolute: 1e-12 });
  });

  it("whitens data that have no independent components", () => {
    const { H } = fitRotationIca(scaledPairs("elliptical", 2000, 0.5, studentScale(5)));
    expect(Array.from(H).every(Number.isFinite)).toBe(true);
  });

  it("refuses data it cannot rotate", () => {
    const pairs = mixed("refused", 200, [laplacian, uniform], [1, 0, 0, 1]);
    expect(() => fitRotationIca(pairs.subarray(0, 60))).toThrow(
      "Expected pairs to hold at least 100 pairs but received 30.",
    );
    expect(() => fitRotationIca(pairs.subarray(1))).toThrow("a whole number of samples");
    const flat = pairs.map((value, k) => (k % 2 === 0 ? value : 0));
    expect(() => fitRotationIca(flat)).toThrow("Expected the data to vary in all 2 directions");
  });
});
