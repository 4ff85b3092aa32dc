/**
 * Affine map of each component, y_i = s_i x_i + b_i, which can remove or learn a mean. All samples
 * share the log-determinant Σ log |s_i|; ∂L/∂s_i = Σ g_i x_i − count/s_i, ∂L/∂b_i = Σ g_i.
 */
import type { FloatArray, Kernels, SampleResults } from "../kernels/kernels.js";
import { portableLog } from "../numbers/logarithm.js";
import {
  type Checked,
  checkDimension,
  checkFields,
  finiteCopy,
  requireEach,
  trusted,
} from "./checks.js";
import { sumOverLeaves } from "../kernels/reduction-tree.js";
import {
  type LeafShape,
  type SampleStageKind,
  type StageGradientResults,
  type StageInversionResults,
  type StageOperator,
  describedByDimension,
  firstInfinite,
  markSolved,
  overflowIn,
} from "./stage-kind.js";

export interface Affine extends Checked {
  readonly kind: "affine";
  readonly dimension: number;
  /** N nonzero values. */
  readonly scale: FloatArray;
  /** N */
  readonly shift: FloatArray;
}

export interface AffineInput {
  readonly dimension: number;
  /** N values; default 1. */
  readonly scale?: ArrayLike<number>;
  /** N values; default 0. */
  readonly shift?: ArrayLike<number>;
}

/** Smallest normal Float32; its reciprocal is finite. */
const smallestScale = 1.1754943508222875e-38;

/**
 * Returns a checked affine transform. It holds copies, which must not be changed.
 *
 * @example
 * ```js
 * import { affine } from "gaussianize";
 *
 * const standardizing = affine({ dimension: 2, scale: [2, 0.5], shift: [0, -1] });
 * console.log(standardizing.kind, standardizing.scale); // affine Float64Array(2) [ 2, 0.5 ]
 * ```
 */
export function affine(input: AffineInput): Affine {
  const fields = ["kind", "dimension", "scale", "shift"] as const;
  checkFields("the parameters of an affine transform", input, fields);
  const { dimension } = input;
  checkDimension(dimension);
  const shape = { length: dimension };
  const scale = finiteCopy("scale", input.scale ?? new Float64Array(dimension).fill(1), shape);
  const shift = finiteCopy("shift", input.shift ?? new Float64Array(dimension), shape);
  const isUsable = (value: number): boolean => Math.abs(value) >= smallestScale;
  requireEach("scale", scale, shape, isUsable, `be at least ${smallestScale} in size`);
  return trusted<Affine>({ kind: "affine", dimension, scale, shift });
}

class AffineOperator implements StageOperator<Affine> {
  constructor(
    private readonly kernels: Kernels,
    private stage: Affine,
    private readonly leafSize: number,
  ) {}

  fits(_: Affine, { leafSize }: LeafShape): boolean {
    return leafSize === this.leafSize;
  }

  load(stage: Affine): void {
    this.stage = stage;
  }

  gaussianize(x: FloatArray, count: number, results: SampleResults): void {
    const { dimension: n, scale, shift } = this.stage;
    const y = results.y ?? this.kernels.floats(count * n);
    for (let s = 0; s < count; s++) {
      let energy = 0;
      for (let i = 0, k = s * n; i < n; i++, k++) {
        y[k] = scale[i] * x[k] + shift[i];
        energy += y[k] * y[k];
      }
      results.energy[s] = energy / 2;
      results.logDeterminant[s] = 0;
      results.failedPivot[s] = Number.isFinite(energy) ? -1 : firstInfinite(y, s * n);
    }
  }

  backpropagate(
    x: FloatArray,
    upstream: FloatArray | null,
    count: number,
    results: StageGradientResults,
  ): void {
    const { dimension: n, scale } = this.stage;
    const y = results.y ?? this.kernels.floats(count * n);
    this.gaussianize(x, count, { ...results, y });
    const g = upstream ?? y;
    const { xGradient, sums, failedPivot } = results;
    for (let k = 0; xGradient && k < count * n; k++) {
      const usable = failedPivot[Math.floor(k / n)] < 0;
      xGradient[k] = usable ? scale[k % n] * g[k] : 0;
    }
    if (!sums) return;
    const both = this.kernels.floats(2 * n);
    sumOverLeaves(this.kernels, count, this.leafSize, both, (s, within) => {
      if (failedPivot[s] >= 0) return;
      for (let i = 0, k = s * n; i < n; i++, k++) {
        within[i] += g[k] * x[k];
        within[n + i] += g[k];
      }
    });
    sums.scale.set(both.subarray(0, n));
    sums.shift.set(both.subarray(n));
  }

  synthesize(
    y: FloatArray,
    count: number,
    _settings: unknown,
    results: StageInversionResults,
  ): void {
    const { dimension: n, scale, shift } = this.stage;
    for (let k = 0; k < count * n; k++) results.x[k] = (y[k] - shift[k % n]) / scale[k % n];
    markSolved(count, results);
  }
}

export const affineKind: SampleStageKind<Affine> = {
  ...describedByDimension,
  kind: "affine",
  make: affine,
  groups: ["scale", "shift"],
  shapes: ({ dimension: n }) => ({ scale: [n], shift: [n] }),
  invertibleBecause: "no scale is 0",
  operations: ({ dimension: n }) => n * n,
  open: (kernels, stage, { leafSize }) => new AffineOperator(kernels, stage, leafSize),
  sumLengths: ({ dimension }) => ({ scale: dimension, shift: dimension }),
  common(_, { scale }) {
    let logDeterminant = 0;
    for (const value of scale) logDeterminant += portableLog(Math.abs(value));
    return { inverse: null, logDeterminant };
  },
  finishGradient({ scale }, sums, count) {
    for (let i = 0; i < scale.length; i++) sums.scale[i] -= count / scale[i];
    return { scale: sums.scale, shift: sums.shift };
  },
  failure: overflowIn,
};
