/** Invertible linear map y = H x, such as a whitening (whitening.ts) or ICA (ica.ts). */
import type {
  FloatArray,
  GdnKernel,
  InversionSettings,
  Kernels,
  SampleResults,
} from "../kernels/kernels.js";
import { invert } from "../kernels/reference/matrix.js";
import {
  type Checked,
  checkDimension,
  checkFields,
  finiteCopy,
  requireNonSingular,
  trusted,
} from "./checks.js";
import {
  type CommonPart,
  type LeafShape,
  type SampleStageKind,
  type StageGradientResults,
  type StageInversionResults,
  type StageOperator,
  describedByDimension,
  markSolved,
  overflowIn,
  unreadResults,
} from "./stage-kind.js";

export interface Linear extends Checked {
  readonly kind: "linear";
  readonly dimension: number;
  /** N×N, non-singular. */
  readonly H: FloatArray;
}

export interface LinearInput {
  readonly dimension: number;
  readonly H: ArrayLike<number>;
}

/**
 * Returns a checked linear transform. It holds a copy of H, which must not be changed.
 *
 * @example
 * ```js
 * import { linear } from "gaussianize";
 *
 * console.log(linear({ dimension: 2, H: [1, 0.3, -0.2, 1] }).H.length); // 4
 * ```
 */
export function linear(input: LinearInput): Linear {
  checkFields("the parameters of a linear transform", input, ["kind", "dimension", "H"]);
  const { dimension } = input;
  checkDimension(dimension);
  const H = finiteCopy("H", input.H, { length: dimension * dimension, matrix: dimension });
  requireNonSingular("H", H, dimension);
  return trusted<Linear>({ kind: "linear", dimension, H });
}

/**
 * Passes of y = H x, by a kernel of a diagonal layer with γ = 0 and ε = 0: D^0 = 1, so that is
 * exactly y = H x, with batches and gradient sums.
 */
export class LinearOperator implements StageOperator<Linear> {
  private readonly kernel: GdnKernel;
  private H: FloatArray | undefined;
  /** H⁻¹, computed on first use. */
  private inverse: LinearOperator | undefined;

  constructor(
    private readonly kernels: Kernels,
    private readonly dimension: number,
    private readonly leaves: LeafShape,
  ) {
    this.kernel = kernels.gdn({ form: "diagonal", dimension, linear: true, ...leaves });
  }

  /** Returns an operator for x = H⁻¹ y; the inverse is always computed in Float64. */
  static ofInverse(kernels: Kernels, H: FloatArray, leaves: LeafShape): LinearOperator {
    const n = Math.sqrt(H.length);
    const inverse = new Float64Array(n * n);
    invert(H, n, inverse);
    const { leafSize, maximumLeaves } = leaves;
    const operator = new LinearOperator(kernels, n, { leafSize, maximumLeaves });
    operator.loadMatrix(inverse);
    return operator;
  }

  fits({ dimension }: Linear, { leafSize, maximumLeaves }: LeafShape): boolean {
    return (
      dimension === this.dimension &&
      leafSize === this.leaves.leafSize &&
      maximumLeaves <= this.leaves.maximumLeaves
    );
  }

  load({ H }: Linear): void {
    this.loadMatrix(H);
  }

  private loadMatrix(H: FloatArray): void {
    const { dimension } = this;
    const values = (value: number): Float32Array => new Float32Array(dimension).fill(value);
    this.kernel.load({
      form: "diagonal",
      dimension,
      H,
      alpha: values(1),
      beta: values(1),
      gamma: values(0),
      epsilon: values(0),
    });
    this.H = H;
    this.inverse = undefined;
  }

  gaussianize(x: FloatArray, count: number, results: SampleResults): void {
    this.kernel.gaussianize(x, count, results);
  }

  apply(x: FloatArray, count: number, y: FloatArray): void {
    this.kernel.gaussianize(x, count, unreadResults(count, y));
  }

  backpropagate(
    x: FloatArray,
    upstream: FloatArray | null,
    count: number,
    results: StageGradientResults,
  ): void {
    const unread = (): FloatArray => this.kernels.floats(this.dimension);
    const sums = results.sums && {
      H: results.sums.H,
      alpha: unread(),
      beta: unread(),
      gamma: unread(),
      epsilon: unread(),
    };
    this.kernel.backpropagate(x, upstream, count, { ...results, sums });
  }

  synthesize(
    y: FloatArray,
    count: number,
    _settings: InversionSettings,
    results: StageInversionResults,
  ): void {
    if (!this.H) throw new Error("Call load() before a pass.");
    this.inverse ??= LinearOperator.ofInverse(this.kernels, this.H, this.leaves);
    this.inverse.apply(y, count, results.x);
    markSolved(count, results);
  }
}

export const linearKind: SampleStageKind<Linear> = {
  ...describedByDimension,
  kind: "linear",
  make: linear,
  groups: ["H"],
  shapes: ({ dimension: n }) => ({ H: [n, n] }),
  invertibleBecause: "H is non-singular",
  operations: ({ dimension: n }) => n * n,
  open: (kernels, { dimension }, leaves) => new LinearOperator(kernels, dimension, leaves),
  sumLengths: ({ dimension }) => ({ H: dimension * dimension }),
  common: (kernels, { H, dimension }) => commonOfLinear(kernels, H, dimension),
  finishGradient(_, { H }, count, { inverse }) {
    if (inverse) subtractTransposed(H, inverse, count);
    return { H };
  },
  failure: overflowIn,
};

/**
 * Returns log |det H| and H⁻¹ in the precision of the kernels: NaN if H is singular there, even if
 * it is not in Float64.
 */
export function commonOfLinear(kernels: Kernels, H: FloatArray | null, n: number): CommonPart {
  if (!H) return { inverse: null, logDeterminant: 0 };
  const inverse = kernels.floats(n * n);
  return { logDeterminant: kernels.invert(H, n, inverse), inverse };
}

/** Rows of the target that are updated together: the source is read in whole cache lines. */
const blockRows = 16;

/** target −= times · sourceᵀ, for square matrices. */
export function subtractTransposed(target: FloatArray, source: FloatArray, times: number): void {
  const n = Math.sqrt(source.length);
  for (let first = 0; first < n; first += blockRows) {
    const end = Math.min(first + blockRows, n);
    for (let j = 0; j < n; j++) {
      for (let i = first; i < end; i++) target[i * n + j] -= times * source[j * n + i];
    }
  }
}
