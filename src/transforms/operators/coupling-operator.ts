/** Passes of couplings (coupling.ts). */
import type { FloatArray, Kernels, SampleResults } from "../../kernels/kernels.js";
import { checkFields } from "../checks.js";
import {
  type Coupling,
  type CouplingShape,
  checkCouplingShape,
  componentsGiven,
  coupling,
  couplingGroups,
  couplingLengths,
  couplingShapes,
  largestLogScale,
} from "../coupling.js";
import {
  type DimensionDescription,
  type LeafShape,
  type SampleStageKind,
  type StageGradientResults,
  type StageInversionResults,
  type StageOperator,
  firstInfinite,
  markSolved,
  overflowIn,
} from "../stage-kind.js";
import { CouplingNetwork, clearFailed } from "./coupling-network.js";

/** Results of a forward pass that gradients need. */
type Forward = ReturnType<CouplingOperator["forward"]>;

class CouplingOperator implements StageOperator<Coupling> {
  private readonly network: CouplingNetwork;
  private readonly shape: CouplingShape;
  /** Indices of the components in A, which stay, and in B, which change. */
  private readonly kept: Int32Array;
  private readonly changed: Int32Array;

  constructor(
    private readonly kernels: Kernels,
    stage: Coupling,
    private readonly leafSize: number,
  ) {
    this.shape = stage;
    this.network = new CouplingNetwork(kernels, stage, leafSize);
    ({ kept: this.kept, changed: this.changed } = componentsGiven(stage));
  }

  fits({ dimension, hidden, given }: Coupling, { leafSize }: LeafShape): boolean {
    const { shape } = this;
    return (
      dimension === shape.dimension &&
      hidden === shape.hidden &&
      given === shape.given &&
      leafSize === this.leafSize
    );
  }

  load(stage: Coupling): void {
    this.network.load(stage);
  }

  gaussianize(x: FloatArray, count: number, results: SampleResults): void {
    this.forward(x, count, results);
  }

  backpropagate(
    x: FloatArray,
    upstream: FloatArray | null,
    count: number,
    results: StageGradientResults,
  ): void {
    const forward = this.forward(x, count, results);
    const g = upstream ?? forward.y;
    const { xGradient, sums, failedPivot } = results;
    const byOutputs = this.gradientByOutputs(g, forward, failedPivot);
    clearFailed(forward.activations, failedPivot);
    const wantsGradient = xGradient !== null;
    const byKept = this.network.backward(
      forward.activations,
      byOutputs,
      count,
      sums,
      wantsGradient,
    );
    if (xGradient && byKept) this.fillGradient(xGradient, g, forward, { byKept, failedPivot });
  }

  synthesize(
    y: FloatArray,
    count: number,
    _settings: unknown,
    results: StageInversionResults,
  ): void {
    const { changed } = this;
    const n = this.shape.dimension;
    const { outputs } = this.network.forward(this.keptOf(y, count), count);
    const { scales } = this.scalesOf(outputs, 1);
    results.x.set(y.subarray(0, count * n));
    const b = changed.length;
    for (let s = 0; s < count; s++) {
      for (let i = 0; i < b; i++) {
        const k = s * n + changed[i];
        results.x[k] = y[k] * scales[s * b + i] + outputs[2 * s * b + i];
      }
    }
    markSolved(count, results);
  }

  /** Computes y and the other results of the samples. */
  private forward(x: FloatArray, count: number, results: SampleResults) {
    const { changed } = this;
    const n = this.shape.dimension;
    const activations = this.network.forward(this.keptOf(x, count), count);
    const { outputs } = activations;
    const { scales, sums } = this.scalesOf(outputs, -1);
    const y = results.y ?? this.kernels.floats(count * n);
    y.set(x.subarray(0, count * n));
    const b = changed.length;
    for (let s = 0; s < count; s++) {
      for (let i = 0; i < b; i++) {
        const k = s * n + changed[i];
        y[k] = (x[k] - outputs[2 * s * b + i]) * scales[s * b + i];
      }
      let energy = 0;
      for (let k = s * n; k < (s + 1) * n; k++) energy += y[k] * y[k];
      results.energy[s] = energy / 2;
      results.logDeterminant[s] = sums[s];
      results.failedPivot[s] = Number.isFinite(energy) ? -1 : firstInfinite(y, s * n);
    }
    return { activations, scales, y };
  }

  /** Returns the kept components, count×a. */
  private keptOf(x: FloatArray, count: number): FloatArray {
    const { kept } = this;
    const n = this.shape.dimension;
    const values = this.kernels.floats(count * kept.length);
    for (let s = 0, k = 0; s < count; s++) {
      for (let i = 0; i < kept.length; i++) values[k++] = x[s * n + kept[i]];
    }
    return values;
  }

  /** Returns e^{sign·s} of the changed components, count×b, and Σ sign·s of each sample. */
  private scalesOf(outputs: FloatArray, sign: 1 | -1) {
    const b = this.changed.length;
    const scales = this.kernels.floats(outputs.length / 2);
    const sums = new Float64Array(scales.length / b);
    for (let s = 0, k = 0; s < sums.length; s++) {
      for (let i = 0; i < b; i++, k++) {
        const t = outputs[2 * s * b + b + i];
        scales[k] = (sign * largestLogScale * t) / Math.sqrt(1 + t * t);
        sums[s] += scales[k];
      }
    }
    this.kernels.exp(scales, scales);
    return { scales, sums };
  }

  /** ∂L/∂m = −g e^{−s} and ∂L/∂t = (1 − g y) ∂s/∂t, with ∂s/∂t = S/(1 + t²)^{3/2} */
  private gradientByOutputs(
    g: FloatArray,
    { activations: { outputs }, scales, y }: Forward,
    failedPivot: Int32Array,
  ): FloatArray {
    const { changed } = this;
    const n = this.shape.dimension;
    const b = changed.length;
    const gradient = this.kernels.floats(outputs.length);
    for (let s = 0; s * 2 * b < outputs.length; s++) {
      if (failedPivot[s] >= 0) continue;
      for (let i = 0; i < b; i++) {
        const k = s * n + changed[i];
        const ofM = 2 * s * b + i;
        const t = outputs[ofM + b];
        const root = Math.sqrt(1 + t * t);
        gradient[ofM] = -g[k] * scales[s * b + i];
        gradient[ofM + b] = ((1 - g[k] * y[k]) * largestLogScale) / (root * root * root);
      }
    }
    return gradient;
  }

  /** ∂L/∂x_B = g_B e^{−s}; ∂L/∂x_A = g_A plus the gradient through the network. */
  private fillGradient(
    xGradient: FloatArray,
    g: FloatArray,
    { scales }: Forward,
    { byKept, failedPivot }: { byKept: FloatArray; failedPivot: Int32Array },
  ): void {
    const { kept, changed } = this;
    const n = this.shape.dimension;
    const [a, b] = [kept.length, changed.length];
    for (let s = 0; s * a < byKept.length; s++) {
      if (failedPivot[s] >= 0) {
        xGradient.fill(0, s * n, (s + 1) * n);
        continue;
      }
      for (let i = 0; i < a; i++)
        xGradient[s * n + kept[i]] = g[s * n + kept[i]] + byKept[s * a + i];
      for (let i = 0; i < b; i++) {
        xGradient[s * n + changed[i]] = g[s * n + changed[i]] * scales[s * b + i];
      }
    }
  }
}

/** The part of a coupling that determines the shapes of its tensors. */
export interface CouplingDescription extends DimensionDescription, CouplingShape {}

export const couplingKind: SampleStageKind<Coupling, CouplingDescription> = {
  kind: "coupling",
  make: coupling,
  groups: couplingGroups,
  describe: ({ kind, dimension, hidden, given }) => ({ kind, dimension, hidden, given }),
  checkDescription(value, name) {
    checkFields(name, value, ["kind", "dimension", "hidden", "given"]);
    const described = value as unknown as CouplingDescription;
    checkCouplingShape(described);
    return described;
  },
  components: ({ dimension }) => dimension,
  shapes: couplingShapes,
  invertibleBecause: "it shifts and scales components by functions of components that it keeps",
  operations: (stage) =>
    Object.values<number>(couplingLengths(stage)).reduce((sum, length) => sum + length, 0),
  open: (kernels, stage, { leafSize }) => new CouplingOperator(kernels, stage, leafSize),
  sumLengths: (stage) => ({ ...couplingLengths(stage) }),
  common: () => ({ inverse: null, logDeterminant: 0 }),
  finishGradient: (_, sums) => sums,
  failure: overflowIn,
};
