/** Memory blocks of one GDN kernel, and the record that holds their addresses. */
import type { GdnShape } from "../kernels.js";
import { inverseWorkspaceBytes, paddedCount, paddedDimension, rowStride } from "./padding.js";

/** Address fields of `Layer` in kernels/gdn-layer.ts, in its order. */
export const layerAddresses = [
  "linear",
  "linearStrips",
  "alpha",
  "alphaTransposed",
  "gamma",
  "gammaTransposed",
  "poolStrips",
  "pullStrips",
  "beta",
  "epsilon",
  "leftRows",
  "rightRows",
  "left",
  "right",
  "diagonal",
  "ownStrips",
  "pairStrips",
  "units",
  "otherStrips",
  "couplingStrips",
  "x",
  "z",
  "logMagnitude",
  "power",
  "pool",
  "logPool",
  "gain",
  "y",
  "upstream",
  "poolGradient",
  "pulled",
  "zGradient",
  "xGradient",
  "shares",
  "columnPools",
  "columnGradients",
  "inner",
  "rowScales",
  "columnScales",
  "cycles",
  "signs",
  "series",
  "basis",
  "hessenberg",
  "levels",
  "poolLengths",
  "ownSums",
  "logDeterminant",
  "energy",
  "failedPivot",
  "matrix",
  "workspace",
  "rowScale",
  "columnScale",
  "rowSums",
  "transposed",
  "powers",
  "powersTransposed",
  "target",
  "logarithm",
  "trial",
  "exponent",
  "defect",
  "trialDefect",
  "step",
  "coarse",
  "directions",
  "scaled",
  "iterations",
  "residual",
  "linearSum",
  "alphaSum",
  "betaSum",
  "gammaSum",
  "epsilonSum",
] as const;

export type LayerAddress = (typeof layerAddresses)[number];

/** Size fields of `Layer`, which precede the addresses. */
export const headerFields = [
  "n",
  "stride",
  "count",
  "paddedCount",
  "components",
  "wantsSums",
  "fixedAlpha",
  "rank",
  "rankStride",
  "pairStride",
] as const;

/** Consecutive parts of the block `sums`: a whole level of the tree is added in one loop. */
export type SumField = Extract<LayerAddress, `${string}Sum`>;

export type GdnBlock = "layer" | "sums" | Exclude<LayerAddress, SumField>;

/** MAXIMUM_DIRECTIONS of kernels/krylov.ts. */
export const krylovDirections = 16;
/** Vectors in its workspace. */
const krylovVectors = 2 + 4 * krylovDirections;

/** MOST_PRODUCTS of kernels/krylov-sums.ts. */
export const mostProducts = 16;

export interface GdnLayout {
  readonly n: number;
  readonly paddedN: number;
  /** Floats from row to row. */
  readonly stride: number;
  /** R, padded R, strides of rows of R and of R² floats; 0 unless the form is "low-rank". */
  readonly factors: number;
  readonly rank: number;
  readonly rankStride: number;
  readonly pairStride: number;
  readonly blocks: Readonly<Record<GdnBlock, number>>;
  /** Offset of each sum in a level of the tree, and the length of a level, in floats. */
  readonly sumOffsets: Readonly<Record<SumField, number>>;
  readonly sumFloats: number;
}

export function layoutOf(shape: GdnShape): GdnLayout {
  const n = shape.dimension;
  const paddedN = paddedDimension(n);
  const stride = rowStride(n);
  const vector = 4 * stride;
  const matrix = 4 * stride * paddedN;
  const rows = paddedCount(shape.leafSize);
  const batch = 4 * stride * rows;
  const general = shape.form === "general";
  const column = shape.form === "column";
  const dense = general || column;
  const factors = shape.form === "low-rank" ? (shape.rank ?? 0) : 0;
  const rank = paddedDimension(factors);
  const [rankStride, pairStride] = rank > 0 ? [rowStride(rank), rowStride(rank * rank)] : [0, 0];
  const factor = vector * rank;
  const factorRows = 4 * rankStride * paddedN;
  const rankBatch = 4 * rankStride * rows;
  const linear = shape.linear ? matrix : 0;
  const { sumOffsets, sumFloats } = sumLayout(shape, stride, paddedN, rank);
  return {
    n,
    paddedN,
    stride,
    factors,
    rank,
    rankStride,
    pairStride,
    sumOffsets,
    sumFloats,
    blocks: {
      layer: 4 * (headerFields.length + layerAddresses.length),
      linear,
      linearStrips: linear,
      alpha: general ? matrix : vector,
      alphaTransposed: general ? matrix : 0,
      gamma: dense ? matrix : vector,
      gammaTransposed: dense ? matrix : 0,
      poolStrips: column ? matrix : 0,
      pullStrips: column ? matrix : 0,
      beta: vector,
      epsilon: vector,
      leftRows: factor,
      rightRows: factor,
      left: factorRows,
      right: factorRows,
      diagonal: rank > 0 || column ? vector : 0,
      ownStrips: 4 * paddedN * rank * rank,
      pairStrips: 4 * paddedN * rank * rank,
      units: column ? vector : 0,
      otherStrips: column ? matrix / 2 : 0,
      couplingStrips: column ? matrix : 0,
      x: batch,
      z: shape.linear ? batch : 0,
      logMagnitude: batch,
      power: general ? 0 : batch,
      pool: batch,
      logPool: batch,
      gain: batch,
      y: batch,
      upstream: batch,
      poolGradient: batch,
      pulled: batch,
      zGradient: batch,
      xGradient: shape.linear ? batch : 0,
      shares: rank > 0 ? batch : 0,
      columnPools: rankBatch,
      columnGradients: rankBatch,
      inner: 4 * pairStride * rows,
      rowScales: column ? batch : 0,
      columnScales: column ? batch : 0,
      cycles: column ? batch : 0,
      signs: column ? batch : 0,
      series: column ? batch : 0,
      basis: column ? (mostProducts + 1) * batch : 0,
      hessenberg: column ? 8 * rows * mostProducts * (mostProducts + 2) : 0,
      levels: column ? 4 * rows * mostProducts : 0,
      poolLengths: column ? 8 * rows : 0,
      ownSums: column ? vector : 0,
      logDeterminant: 8 * shape.leafSize,
      energy: 8 * shape.leafSize,
      failedPivot: 4 * shape.leafSize,
      // In the form "low-rank": R² values for each of eight components.
      matrix: dense ? matrix : 32 * rank * rank,
      workspace: dense ? inverseWorkspaceBytes(paddedN) : inverseWorkspaceBytes(rank),
      rowScale: vector,
      columnScale: vector,
      rowSums: vector,
      // A transposed batch, or two that are packed in 16 bits, and a strip of eight columns.
      transposed: Math.max(batch, 4 * rank * rank * rows) + 32 * paddedN,
      powers: general ? matrix : 0,
      powersTransposed: general ? matrix : 0,
      target: 2 * vector,
      logarithm: 2 * vector,
      trial: 2 * vector,
      exponent: vector,
      defect: vector,
      trialDefect: vector,
      step: vector,
      // The diagonal, a unit for each row, and 16 bits per entry (kernels/coarse-matrix.ts).
      coarse: dense ? 8 * paddedN + 2 * paddedN * paddedN : 0,
      directions: dense ? krylovVectors * vector : 0,
      scaled: factorRows,
      iterations: 4 * shape.leafSize,
      residual: 8 * shape.leafSize,
      sums: 4 * sumFloats * levelsFor(shape.maximumLeaves),
    },
  };
}

function sumLayout(shape: GdnShape, stride: number, paddedN: number, rank: number) {
  const isDense = shape.form === "general" || shape.form === "column";
  const lengths: Record<SumField, number> = {
    // First what kernels overwrite, H always and γ with probes: gdn.ts clears only what follows.
    linearSum: shape.linear ? stride * paddedN : 0,
    // Low-rank: g, then the columns of U and V.
    gammaSum: isDense ? stride * paddedN : stride * (1 + 2 * rank),
    alphaSum: shape.form === "general" ? stride * paddedN : stride,
    betaSum: stride,
    epsilonSum: stride,
  };
  const sumOffsets = {} as Record<SumField, number>;
  let sumFloats = 0;
  for (const field of Object.keys(lengths) as SumField[]) {
    sumOffsets[field] = sumFloats;
    sumFloats += lengths[field];
  }
  return { sumOffsets, sumFloats };
}

/** Largest number of unfinished sums while a tree of `leaves` leaves is added from the left. */
export function levelsFor(leaves: number): number {
  return leaves > 1 ? 33 - Math.clz32(leaves - 1) : 1;
}
