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
import { referenceKernels } from "../../kernels/reference/index.js";
import { collectOnFree, formOf, spreadOverEntries } from "../gdn-structures.js";
import type { Gdn } from "../gdn.js";
import type { ParameterGroups, Stage } from "../transform.js";
import { LinearOperator, commonOfLinear, subtractTransposed } from "./linear-operator.js";
import type {
  LeafShape,
  StageGradientResults,
  StageInversionResults,
  StageKind,
  StageOperator,
} from "./operator.js";

const largestFloat32 = 3.4028234663852886e38;

class GdnOperator implements StageOperator<Gdn> {
  private readonly shape: GdnShape;
  private readonly kernel: GdnKernel;
  private layer: Gdn;
  /** H⁻¹, opened when it is first needed. */
  private unmixing: LinearOperator | undefined;
  /** The specification, opened for the first sample that leaves the range of Float32. */
  private rescuer: GdnKernel | undefined;

  constructor(
    private readonly kernels: Kernels,
    layer: Gdn,
    leaves: LeafShape,
  ) {
    const { structure, dimension, H } = layer;
    this.layer = layer;
    this.shape = { form: formOf(structure), dimension, linear: H !== null, ...leaves };
    this.kernel = kernels.gdn(this.shape);
  }

  fits(stage: Stage, { leafSize, maximumLeaves }: LeafShape): boolean {
    const { shape } = this;
    return (
      stage.kind === "gdn" &&
      formOf(stage.structure) === shape.form &&
      stage.dimension === shape.dimension &&
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
    this.rescuer = undefined;
  }

  gaussianize(x: FloatArray, count: number, results: SampleResults): void {
    this.kernel.gaussianize(x, count, results);
    this.rescue(
      count,
      (s) => results.failedPivot[s] < 0,
      (rescuer, s) => {
        rescuer.gaussianize(this.rowOf(x, s), 1, this.resultsOf(results, s));
      },
    );
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
    this.rescue(
      count,
      (s) => results.failedPivot[s] < 0,
      (rescuer, s) => {
        rescuer.backpropagate(this.rowOf(x, s), upstream && this.rowOf(upstream, s), 1, {
          ...this.resultsOf(results, s),
          xGradient: results.xGradient && this.rowOf(results.xGradient, s),
          sums: null,
        });
      },
    );
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
    this.rescue(
      count,
      // In Float64 a fixed point that goes on for thousands of iterations would take seconds.
      (s) => converged[s] === 1 || settings.method === "fixed-point",
      (rescuer, s) => {
        rescuer.synthesize(this.rowOf(y, s), 1, settings, {
          converged: converged.subarray(s, s + 1),
          iterations: iterations.subarray(s, s + 1),
          residual: residual.subarray(s, s + 1),
          z: this.rowOf(z, s),
        });
      },
    );
    if (H) {
      this.unmixing ??= LinearOperator.ofInverse(this.kernels, H, this.shape);
      this.unmixing.apply(z, count, results.x);
    }
    for (let s = 0; s < count; s++) {
      if (this.rowOf(results.x, s).every(Number.isFinite)) continue;
      // What was found does not fit into Float32: no better than nothing found.
      converged[s] = 0;
      residual[s] = Infinity;
      this.rowOf(results.x, s).forEach((value, i, row) => {
        row[i] = Number.isFinite(value) ? value : Math.sign(value) * largestFloat32;
      });
    }
  }

  /**
   * Heavy tails: |z|^α of a sample far out may leave the range of Float32 where z and y do not. The few samples that failed
   * are done again by the specification, in Float64.
   */
  private rescue(
    count: number,
    isFine: (sample: number) => boolean,
    again: (rescuer: GdnKernel, sample: number) => void,
  ): void {
    if (this.kernels === referenceKernels) return;
    for (let s = 0; s < count; s++) {
      if (isFine(s)) continue;
      if (!this.rescuer) {
        this.rescuer = referenceKernels.gdn(this.shape);
        this.rescuer.load(spreadOverEntries(this.layer));
      }
      again(this.rescuer, s);
    }
  }

  private rowOf<T extends FloatArray>(rows: T, s: number): T {
    const n = this.shape.dimension;
    return rows.subarray(s * n, (s + 1) * n) as T;
  }

  private resultsOf({ y, logDeterminant, energy, failedPivot }: SampleResults, s: number) {
    return {
      y: y && this.rowOf(y, s),
      logDeterminant: logDeterminant.subarray(s, s + 1),
      energy: energy.subarray(s, s + 1),
      failedPivot: failedPivot.subarray(s, s + 1),
    };
  }
}

export const gdnKind: StageKind<Gdn> = {
  open: (kernels, stage, leaves) => new GdnOperator(kernels, stage, leaves),
  sumLengths({ structure, dimension, H }) {
    const { H: ofLinear, ...others } = gdnLengths(formOf(structure), dimension);
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
    `the Jacobian is not positive definite: pivot ${component} is not positive, or beyond the range of Float32`,
};
