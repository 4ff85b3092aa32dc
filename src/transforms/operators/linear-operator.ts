/**
 * y = H x. The kernels' layer with diagonal γ = 0 and ε = 0 is exactly that (D^0 = 1), batches and gradient sums
 * included, so there is no second way to multiply a batch by a matrix.
 */
import type {
  FloatArray,
  GdnKernel,
  InversionSettings,
  Kernels,
  SampleResults,
} from "../../kernels/kernels.js";
import { invert } from "../../kernels/reference/matrix.js";
import type { Linear } from "../linear.js";
import type { Stage } from "../transform.js";
import {
  type CommonPart,
  type LeafShape,
  type StageGradientResults,
  type StageInversionResults,
  type StageKind,
  type StageOperator,
  unreadResults,
} from "./operator.js";

export class LinearOperator implements StageOperator<Linear> {
  private readonly kernel: GdnKernel;
  private H: FloatArray | undefined;
  /** H⁻¹, opened when it is first needed. */
  private inverse: LinearOperator | undefined;

  constructor(
    private readonly kernels: Kernels,
    private readonly dimension: number,
    private readonly leaves: LeafShape,
  ) {
    this.kernel = kernels.gdn({ form: "diagonal", dimension, linear: true, ...leaves });
  }

  /** x = H⁻¹ y, with the inverse computed in Float64 whatever the kernels. */
  static ofInverse(kernels: Kernels, H: FloatArray, leaves: LeafShape): LinearOperator {
    const n = Math.sqrt(H.length);
    const inverse = new Float64Array(n * n);
    invert(H, n, inverse);
    const { leafSize, maximumLeaves } = leaves;
    const operator = new LinearOperator(kernels, n, { leafSize, maximumLeaves });
    operator.loadMatrix(inverse);
    return operator;
  }

  fits(stage: Stage, { leafSize, maximumLeaves }: LeafShape): boolean {
    return (
      stage.kind === "linear" &&
      stage.dimension === this.dimension &&
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
    { x, converged, iterations, residual }: StageInversionResults,
  ): void {
    if (!this.H) throw new Error("load() comes before a pass");
    this.inverse ??= LinearOperator.ofInverse(this.kernels, this.H, this.leaves);
    this.inverse.apply(y, count, x);
    converged.fill(1, 0, count);
    iterations.fill(0, 0, count);
    residual.fill(0, 0, count);
  }
}

export const linearKind: StageKind<Linear> = {
  open: (kernels, { dimension }, leaves) => new LinearOperator(kernels, dimension, leaves),
  sumLengths: ({ dimension }) => ({ H: dimension * dimension }),
  common: (kernels, { H, dimension }) => commonOfLinear(kernels, H, dimension),
  finishGradient(_, { H }, count, { inverse }) {
    if (inverse) subtractTransposed(H, inverse, count);
    return { H };
  },
  failure: (_, component) => `component ${component} is beyond the range of Float32`,
};

/** log |det H| and H⁻¹ in the precision of the kernels, where an H may be singular that is not in Float64: NaN then. */
export function commonOfLinear(kernels: Kernels, H: FloatArray | null, n: number): CommonPart {
  if (!H) return { inverse: null, logDeterminant: 0 };
  const inverse = kernels.floats(n * n);
  return { logDeterminant: kernels.invert(H, n, inverse), inverse };
}

/** target −= times · sourceᵀ, for square matrices. */
export function subtractTransposed(target: FloatArray, source: FloatArray, times: number): void {
  const n = Math.sqrt(source.length);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) target[i * n + j] -= times * source[j * n + i];
  }
}
