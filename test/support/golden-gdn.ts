/**
 * Cases of test/fixtures/gdn.json, computed by an independent program with automatic
 * differentiation.
 */
import { readFileSync } from "node:fs";
import type { GdnForm } from "../../src/kernels/kernels.js";
import { type GdnStructure, gdnStructures } from "../../src/transforms/gdn-structures.js";
import { type Gdn, gdnOfAnyStructure } from "../../src/transforms/gdn.js";
import { structureOf } from "./gdn-layers.js";

type Matrix = readonly (readonly number[])[];

/** α and γ are N×N matrices, tied or not. */
export interface FixtureGroups {
  readonly H: Matrix;
  readonly alpha: Matrix;
  readonly beta: readonly number[];
  readonly gamma: Matrix;
  readonly epsilon: readonly number[];
}

export interface FixtureCase {
  readonly name: string;
  readonly N: number;
  readonly parameters: FixtureGroups;
  readonly x: Matrix;
  readonly z: Matrix;
  readonly y: Matrix;
  /** log |det ∂y/∂x|, including H. */
  readonly logAbsDetJacobian: readonly number[];
  readonly logProb: readonly number[];
  readonly score: Matrix;
  readonly gradientOfMeanNegativeLogProb: FixtureGroups;
  readonly deltaJ: number;
}

const file = new URL("../fixtures/gdn.json", import.meta.url);
export const { cases: fixtureCases } = JSON.parse(readFileSync(file, "utf8")) as {
  readonly cases: readonly FixtureCase[];
};

/** Returns the forms that can store a layer. */
export function formsOf({ alpha, gamma }: FixtureGroups): GdnForm[] {
  const forms: GdnForm[] = ["general"];
  if (alpha.every((row) => row.every((value, j) => value === alpha[0][j]))) forms.push("column");
  if (gamma.every((row, i) => row.every((value, j) => value === 0 || i === j))) {
    forms.push("diagonal");
  }
  return forms;
}

/** Free parameters by group: values, or gradients. */
type FreeGroups = Readonly<Record<"H", Float64Array>> &
  Partial<Readonly<Record<"alpha" | "beta" | "gamma" | "epsilon", Float64Array>>>;

export interface GoldenCase {
  /** Name of the case and its structure here. */
  readonly name: string;
  readonly layer: Gdn;
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly logDeterminant: Float64Array;
  readonly logProb: Float64Array;
  readonly score: Float64Array;
  readonly deltaJ: number;
  /** Gradient of the mean of −log p by the free parameters. */
  readonly gradient: FreeGroups;
}

/**
 * Combines the entries of a tied parameter: their common value (`first`), or the sum of their
 * gradients (`total`).
 */
type Fold = (entries: readonly number[]) => number;
const first: Fold = (entries) => entries[0];
const total: Fold = (entries) => entries.reduce((sum, value) => sum + value, 0);

/** Every case in all untied structures that can store it. */
export const goldenCases: readonly GoldenCase[] = fixtureCases.flatMap((given) =>
  formsOf(given.parameters).map((form) => goldenCase(given, structureOf[form])),
);

/** Every case in its own structure, with which its name starts. */
export const structuredGoldenCases: readonly GoldenCase[] = fixtureCases.map((given) => {
  const structure = gdnStructures.find((name) => given.name.startsWith(`${name}-`));
  if (!structure) throw new Error(`the case ${given.name} is of no structure`);
  return goldenCase(given, structure);
});

function goldenCase(given: FixtureCase, structure: GdnStructure): GoldenCase {
  const partition = structure === "subspace" ? partitionOf(given.parameters) : null;
  const layer = gdnOfAnyStructure({
    structure,
    dimension: given.N,
    partition,
    ...folded(structure, partition, given.parameters, first),
  });
  return {
    name: `${given.name} (${structure})`,
    layer,
    x: flat(given.x),
    y: flat(given.y),
    logDeterminant: Float64Array.from(given.logAbsDetJacobian),
    logProb: Float64Array.from(given.logProb),
    score: flat(given.score),
    deltaJ: given.deltaJ,
    gradient: folded(structure, partition, given.gradientOfMeanNegativeLogProb, total),
  };
}

function folded(
  structure: GdnStructure,
  partition: readonly number[] | null,
  { H, alpha, beta, gamma, epsilon }: FixtureGroups,
  fold: Fold,
): FreeGroups {
  const one = (entries: readonly number[]): Float64Array => Float64Array.of(fold(entries));
  const columns = (matrix: Matrix): Float64Array =>
    Float64Array.from(matrix, (_, j) => fold(matrix.map((row) => row[j])));
  const diagonal = (matrix: Matrix): Float64Array => Float64Array.from(matrix, (row, i) => row[i]);
  const free = { H: flat(H), beta: Float64Array.from(beta), epsilon: Float64Array.from(epsilon) };
  switch (structure) {
    case "general":
      return { ...free, alpha: flat(alpha), gamma: flat(gamma) };
    case "column":
      return { ...free, alpha: columns(alpha), gamma: flat(gamma) };
    case "marginal":
      return { ...free, alpha: diagonal(alpha), gamma: diagonal(gamma) };
    case "radial":
      return { H: free.H, beta: one(beta), gamma: one(gamma.flat()), epsilon: one(epsilon) };
    case "lp":
      return {
        H: free.H,
        alpha: one(alpha.flat()),
        beta: one(beta),
        gamma: one(gamma.flat()),
        epsilon: one(epsilon),
      };
    case "subspace": {
      const of = partition ?? [];
      const bySubspace = (entries: (k: number) => readonly number[]): Float64Array =>
        Float64Array.from(new Set(of), (_, k) => fold(entries(k)));
      const members = (k: number): number[] => of.flatMap((own, i) => (own === k ? [i] : []));
      return {
        H: free.H,
        beta: bySubspace((k) => members(k).map((i) => beta[i])),
        gamma: bySubspace((k) => members(k).flatMap((i) => members(k).map((j) => gamma[i][j]))),
        epsilon: bySubspace((k) => members(k).map((i) => epsilon[i])),
      };
    }
    case "classic":
      return { H: free.H, beta: one(beta) };
    case "weighted-l2":
      return { H: free.H, beta: one(beta), gamma: columns(gamma) };
    case "low-rank":
      throw new Error("no fixture has pools of low rank: their peers are full ones");
  }
}

/**
 * Returns the subspaces in the order of their first component: i and j share one if γ_ij is not 0.
 */
function partitionOf({ gamma }: FixtureGroups): number[] {
  const partition: number[] = [];
  gamma.forEach((row, i) => {
    const friend = row.findIndex((value, j) => value !== 0 && j < i);
    partition.push(friend >= 0 ? partition[friend] : new Set(partition).size);
  });
  return partition;
}

function flat(matrix: Matrix): Float64Array {
  return Float64Array.from(matrix.flat());
}
