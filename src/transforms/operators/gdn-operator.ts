/** GDN: the kernels do it all; tied parameters are spread over the entries the kernels know, gradients collected. */
import type {
  FloatArray,
  GdnGradient,
  GdnKernel,
  GdnShape,
  InversionSettings,
  Kernels,
  SampleResults,
} from "../../kernels/kernels.js";
import { gdnLengths } from "../../kernels/kernels.js";
import { collectOnFree, formOf, spreadOverEntries } from "../gdn-structures.js";
import type { Gdn } from "../gdn.js";
import type { ParameterGroups, Stage } from "../transform.js";
import { GdnOutputs } from "./gdn-outputs.js";
import { GdnRescue, rowOf } from "./gdn-rescue.js";
import { LinearOperator, commonOfLinear, subtractTransposed } from "./linear-operator.js";
import {
  type LeafShape,
  type StageGradientResults,
  type StageInversionResults,
  type StageKind,
  type StageOperator,
  unreadResults,
} from "./operator.js";

class GdnOperator implements StageOperator<Gdn> {
  private readonly shape: GdnShape;
  private readonly kernel: GdnKernel;
  private layer: Gdn;
  /** H⁻¹, opened when it is first needed. */
  private unmixing: LinearOperator | undefined;
  private rescue: GdnRescue;
  /** Opened when it is first needed. */
  private outputs: GdnOutputs | undefined;

  constructor(
    private readonly kernels: Kernels,
    layer: Gdn,
    leaves: LeafShape,
  ) {
    const { structure, dimension, rank, H } = layer;
    this.layer = layer;
    this.shape = {
      ...{ form: formOf(structure), dimension, linear: H !== null, ...leaves },
      ...(rank !== undefined && { rank }),
    };
    this.kernel = kernels.gdn(this.shape);
    this.rescue = new GdnRescue(kernels, this.shape, layer);
  }

  fits(stage: Stage, { leafSize, maximumLeaves }: LeafShape): boolean {
    const { shape } = this;
    return (
      stage.kind === "gdn" &&
      formOf(stage.structure) === shape.form &&
      stage.dimension === shape.dimension &&
      stage.rank === shape.rank &&
      (stage.H !== null) === shape.linear &&
      leafSize === shape.leafSize &&
      // Memory for more leaves than wanted will do.
      maximumLeaves <= shape.maximumLeaves
    );
  }

  load(stage: Gdn): void {
    this.kernel.load(spreadOverEntries(stage));
    this.layer = stage;
    this.unmixing = undefined;
    this.outputs = undefined;
    this.rescue = new GdnRescue(this.kernels, this.shape, stage);
  }

  gaussianize(x: FloatArray, count: number, results: SampleResults): void {
    const n = this.shape.dimension;
    this.kernel.gaussianize(x, count, results);
    this.rescue.retry(count, results, (kernel, own, s) => {
      kernel.gaussianize(rowOf(x, s, n), 1, own);
    });
  }

  apply(x: FloatArray, count: number, y: FloatArray): void {
    // The others have no elimination to save, or as many powers as it has multiplications.
    if (this.shape.form !== "column") {
      this.gaussianize(x, count, unreadResults(count, y));
      return;
    }
    const { kernels, layer, shape } = this;
    const n = shape.dimension;
    this.outputs ??= new GdnOutputs(kernels, spreadOverEntries(layer), shape.leafSize);
    for (const s of this.outputs.compute(x, count, y)) {
      const own = unreadResults(1, rowOf(y, s, n));
      own.failedPivot[0] = 0;
      this.rescue.retry(1, own, (kernel, results) => {
        kernel.gaussianize(rowOf(x, s, n), 1, results);
      });
    }
  }

  backpropagate(
    x: FloatArray,
    upstream: FloatArray | null,
    count: number,
    results: StageGradientResults,
  ): void {
    const { sums } = results;
    const ofKernel =
      sums && ({ ...sums, H: "H" in sums ? sums.H : null } as unknown as GdnGradient);
    this.kernel.backpropagate(x, upstream, count, { ...results, sums: ofKernel });
    // A fit would rather reject the step.
    if (sums) return;
    const n = this.shape.dimension;
    const { xGradient } = results;
    this.rescue.retry(count, results, (kernel, own, s) => {
      kernel.backpropagate(rowOf(x, s, n), upstream && rowOf(upstream, s, n), 1, {
        ...own,
        xGradient: xGradient && rowOf(xGradient, s, n),
        sums: null,
      });
    });
  }

  synthesize(
    y: FloatArray,
    count: number,
    settings: InversionSettings,
    results: StageInversionResults,
  ): void {
    const { H } = this.layer;
    const { converged, iterations, residual } = results;
    const z = H ? this.kernels.floats(y.length) : results.x;
    this.kernel.synthesize(y, count, settings, { converged, iterations, residual, z });
    if (!H) return;
    this.unmixing ??= LinearOperator.ofInverse(this.kernels, H, this.shape);
    this.unmixing.apply(z, count, results.x);
  }
}

export const gdnKind: StageKind<Gdn> = {
  open: (kernels, stage, leaves) => new GdnOperator(kernels, stage, leaves),
  sumLengths({ structure, dimension, rank, H }) {
    const { H: ofLinear, ...others } = gdnLengths(formOf(structure), dimension, rank);
    return H ? { H: ofLinear, ...others } : others;
  },
  common: (kernels, { H, dimension }) => commonOfLinear(kernels, H, dimension),
  finishGradient(stage, sums, count, { inverse }) {
    const ofEntries = sums as unknown as GdnGradient;
    const { H } = ofEntries;
    const free = collectOnFree(stage, ofEntries);
    if (inverse && H) subtractTransposed(H, inverse, count);
    const groups: Record<string, FloatArray> = H && inverse ? { H, ...free } : free;
    const present = Object.entries(groups).filter(([, values]) => values.length > 0);
    return Object.fromEntries(present) satisfies ParameterGroups;
  },
  failure: (_, component) =>
    `the Jacobian is not positive definite (pivot ${component} is not positive), or beyond the range of the arithmetic`,
};
