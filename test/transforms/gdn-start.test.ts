import { describe, expect, test } from "vitest";
import {
  type GdnStructure,
  gdnStructures,
  pooledWeights,
} from "../../src/transforms/gdn-structures.js";
import { type GdnStart, startingGdn } from "../../src/transforms/gdn-start.js";
import { gdn } from "../../src/transforms/gdn.js";
import { parametersOf } from "../../src/transforms/parameters.js";
import { lowRankParts } from "../../src/kernels/low-rank.js";
import { expectClose, float32Epsilon } from "../support/expect-close.js";
import { refusal } from "../support/expect-error.js";
import { isNeverCertified, largestExponentProduct } from "../support/gdn-layers.js";

/** Two interleaved subspaces; a single component has one. */
const startOf = (structure: GdnStructure, dimension: number): GdnStart => ({
  structure,
  dimension,
  ...(structure === "subspace"
    ? { partition: Array.from({ length: dimension }, (_, i) => i % 2) }
    : {}),
  ...(structure === "low-rank" ? { rank: 3 } : {}),
});
const dimensions = [1, 2, 5, 64];

describe.each(gdnStructures)("the start of %s", (structure) => {
  test.each(dimensions)("near the identity has small weights and exponents (%i)", (dimension) => {
    const layer = startingGdn({ ...startOf(structure, dimension), isNearIdentity: true });
    expect(gdn(layer)).toEqual(layer);
    const first = startingGdn(startOf(structure, dimension));
    layer.gamma.forEach((weight, k) => {
      expect(weight).toBeLessThan(first.gamma[k]);
    });
    layer.epsilon.forEach((exponent, k) => {
      expect(exponent).toBeLessThan(first.epsilon[k] / 8);
    });
    expect(layer.alpha).toEqual(first.alpha);
  });

  test.each(dimensions)("is valid, in Float32 (%i dimensions)", (dimension) => {
    const layer = startingGdn(startOf(structure, dimension));
    expect(layer.structure).toBe(structure);
    expect(gdn(layer)).toEqual(layer);
    for (const values of Object.values(parametersOf(layer)[0])) {
      expect(values).toBeInstanceOf(Float32Array);
    }
  });

  test.each(dimensions)(
    isNeverCertified(structure)
      ? "has q = 1, which the structure fixes (%i dimensions)"
      : "has q = 0.675, invertible for certain (%i dimensions)",
    (dimension) => {
      const q = largestExponentProduct(startingGdn(startOf(structure, dimension)));
      const expected = isNeverCertified(structure) ? 1 : 0.675;
      expectClose(q, expected, { relative: 2 * float32Epsilon });
    },
  );

  test("has a Float32 copy of the given H, or none", () => {
    const H = [2, 0, 1, 3];
    expect(startingGdn({ ...startOf(structure, 2), H }).H).toEqual(Float32Array.from(H));
    expect(startingGdn(startOf(structure, 2)).H).toBeNull();
    expect(startingGdn({ ...startOf(structure, 2), H: null }).H).toBeNull();
  });
});

test.each(gdnStructures.filter((structure) => structure !== "classic"))(
  "weights of a component add up to about 0.5, however many it pools: %s",
  (structure) => {
    for (const dimension of dimensions) {
      const gamma = pooledWeights(startingGdn(startOf(structure, dimension)));
      for (let i = 0; i < dimension; i += 1) {
        const row = gamma.subarray(i * dimension).slice(0, dimension);
        const sum = [...row].reduce((total, value) => total + value, 0);
        // Low-rank starts pool neighbours, too.
        const others = structure === "low-rank" ? 0.5 : 0;
        expectClose(sum, 0.5, { absolute: 0.001 * dimension + others + 1e-6 });
      }
    }
  },
);

test("all columns of U and V differ at the start, and none is 0", () => {
  const [n, rank] = [9, 6];
  for (const isNearIdentity of [false, true]) {
    const layer = startingGdn({ structure: "low-rank", dimension: n, rank, isNearIdentity });
    const { U, V } = lowRankParts(layer.gamma, n, rank);
    expect(new Set([...U, ...V].map(String)).size).toBe(2 * rank);
    expect(layer.gamma.every((value) => value > 0)).toBe(true);
    const again = startingGdn({ structure: "low-rank", dimension: n, rank, isNearIdentity });
    expect(again).toEqual(layer);
  }
});

test.each([
  [
    { structure: "magic" as GdnStructure, dimension: 2 },
    "Expected structure to be one of general, column, marginal, radial, lp, subspace, classic, weighted-l2, " +
      'low-rank but received "magic".',
  ],
  [
    { structure: "general", dimension: 1e9 },
    refusal("dimension", "be an integer from 1 to 4096", 1000000000),
  ],
  [
    { structure: "column", dimension: NaN },
    refusal("dimension", "be an integer from 1 to 4096", NaN),
  ],
  [
    { structure: "subspace", dimension: 3 },
    refusal("partition", "give the subspace of each of the 3 components", undefined),
  ],
  [
    { structure: "subspace", dimension: 3, partition: [0, 1] },
    refusal("partition", "give the subspace of each of the 3 components", 2),
  ],
  [
    { structure: "subspace", dimension: 2, partition: [0, 2 ** 31 - 1] },
    refusal("partition", "use every number from 0 to 1 for its 2 subspaces", "none of 1"),
  ],
  [
    { structure: "radial", dimension: 2, partition: [0, 0] },
    refusal("partition", "be left out of the structure radial", 2),
  ],
  [
    { structure: "low-rank", dimension: 2 },
    refusal("rank", "be an integer from 1 to 64", undefined),
  ],
  [
    { structure: "column", dimension: 2, rank: 3 },
    refusal("rank", "be left out of the structure column", 3),
  ],
  [{ structure: "column", dimension: 2, H: [1, 0, 0] }, refusal("H", "hold 4 values (2×2)", 3)],
] as [GdnStart, string][])("rejects %o", (start, sentence) => {
  expect(() => startingGdn(start)).toThrow(sentence);
});
