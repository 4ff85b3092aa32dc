/** Passes of couplings (coupling.ts). */
import type { FloatArray, Kernels, NetworkKernel, SampleResults } from "../../kernels/kernels.js";
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

/** Weights and biases of each layer of the network. */
const layerGroups = [
  { weights: "inputWeights", bias: "inputBias" },
  { weights: "hiddenWeights", bias: "hiddenBias" },
  { weights: "outputWeights", bias: "outputBias" },
] as const;

/** Results of the network for some samples. */
interface Evaluation {
  /** (m, t), count×2b */
  readonly outputs: FloatArray;
  /** e^{−s}, count×b */
  readonly scales: FloatArray;
  /** −Σ s of each sample. */
  readonly logDeterminant: Float64Array;
  /** Values of the network for its gradients; null if there are none. */
  readonly activations: FloatArray | null;
}

/** Most activations to save, 4 MB; more are computed again for the gradients. */
const mostSaved = 2 ** 20;

class CouplingOperator implements StageOperator<Coupling> {
  private readonly network: NetworkKernel;
  private readonly shape: CouplingShape;
  /** Indices of the components in A, which stay, and in B, which change. */
  private readonly kept: Int32Array;
  private readonly changed: Int32Array;
  /** What `approximate` computed for the gradients at the same samples. */
  private saved: { readonly x: FloatArray; readonly evaluation: Evaluation } | undefined;
  /** Activations of the last gradient, whose memory the next one of as many samples reuses. */
  private spare: { readonly count: number; readonly activations: FloatArray } | undefined;

  constructor(
    private readonly kernels: Kernels,
    stage: Coupling,
    private readonly leafSize: number,
  ) {
    this.shape = stage;
    ({ kept: this.kept, changed: this.changed } = componentsGiven(stage));
    const { hidden } = stage;
    const widths = [this.kept.length, hidden, hidden, 2 * this.changed.length];
    this.network = kernels.network({ widths, leafSize });
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
    this.saved = undefined;
    this.network.load(
      layerGroups.map(({ weights, bias }) => ({ weights: stage[weights], bias: stage[bias] })),
    );
  }

  gaussianize(x: FloatArray, count: number, results: SampleResults): void {
    this.saved = undefined;
    this.finish(x, this.evaluate(x, count, null), results);
  }

  approximate(
    x: FloatArray,
    count: number,
    results: SampleResults,
    isBeforeGradient = false,
  ): void {
    const saves = isBeforeGradient && this.isSmall(count);
    const evaluation = this.evaluate(x, count, saves ? this.activationsFor(count) : null);
    this.saved = saves ? { x, evaluation } : undefined;
    this.finish(x, evaluation, results);
  }

  backpropagate(
    x: FloatArray,
    upstream: FloatArray | null,
    count: number,
    results: StageGradientResults,
  ): void {
    const evaluation =
      this.savedFor(x, count) ?? this.evaluate(x, count, this.activationsFor(count));
    this.saved = undefined;
    const { xGradient, sums, failedPivot } = results;
    const y = this.finish(x, evaluation, results);
    const g = upstream ?? y;
    const byOutputs = this.gradientByOutputs(g, y, evaluation, failedPivot);
    const byKept = xGradient && this.kernels.floats(count * this.kept.length);
    const ofLayers =
      sums &&
      layerGroups.map(({ weights, bias }) => ({ weights: sums[weights], bias: sums[bias] }));
    const activations = evaluation.activations as FloatArray;
    this.network.backpropagate(activations, byOutputs, failedPivot, {
      xGradient: byKept,
      sums: ofLayers,
    });
    this.spare = this.isSmall(count) ? { count, activations } : undefined;
    if (xGradient && byKept) this.fillGradient(xGradient, g, evaluation, { byKept, failedPivot });
  }

  synthesize(
    y: FloatArray,
    count: number,
    _settings: unknown,
    results: StageInversionResults,
  ): void {
    const { changed } = this;
    const n = this.shape.dimension;
    const { outputs, scales } = this.evaluate(y, count, null, 1);
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

  private savedFor(x: FloatArray, count: number): Evaluation | undefined {
    const { saved } = this;
    const isSame = saved?.x === x && saved.evaluation.logDeterminant.length === count;
    return isSame ? saved.evaluation : undefined;
  }

  private isSmall(count: number): boolean {
    return (this.kept.length + 2 * this.shape.hidden) * count <= mostSaved;
  }

  private activationsFor(count: number): FloatArray {
    const { spare } = this;
    return spare?.count === count ? spare.activations : this.network.activations(count);
  }

  /** Runs the network; with sign 1, the results are e^s and Σ s instead of e^{−s} and −Σ s. */
  private evaluate(
    x: FloatArray,
    count: number,
    activations: FloatArray | null,
    sign: 1 | -1 = -1,
  ): Evaluation {
    const outputs = this.kernels.floats(count * 2 * this.changed.length);
    this.network.forward(this.keptOf(x, count), count, outputs, activations);
    return { outputs, activations, ...this.scalesOf(outputs, sign) };
  }

  /** Computes the results of the samples; returns y. */
  private finish(x: FloatArray, evaluation: Evaluation, results: SampleResults): FloatArray {
    const { logDeterminant } = evaluation;
    const count = logDeterminant.length;
    const n = this.shape.dimension;
    const y = results.y ?? this.kernels.floats(count * n);
    this.shiftAndScale(x, evaluation, y);
    results.logDeterminant.set(logDeterminant);
    for (let s = 0; s < count; s++) {
      let energy = 0;
      for (let k = s * n; k < (s + 1) * n; k++) energy += y[k] * y[k];
      results.energy[s] = energy / 2;
      results.failedPivot[s] = Number.isFinite(energy) ? -1 : firstInfinite(y, s * n);
    }
    return y;
  }

  /** y_A = x_A, y_B = (x_B − m) e^{−s} */
  private shiftAndScale(x: FloatArray, { outputs, scales }: Evaluation, y: FloatArray): void {
    const { changed } = this;
    const n = this.shape.dimension;
    const b = changed.length;
    const count = scales.length / b;
    y.set(x.subarray(0, count * n));
    for (let s = 0; s < count; s++) {
      for (let i = 0; i < b; i++) {
        const k = s * n + changed[i];
        y[k] = (x[k] - outputs[2 * s * b + i]) * scales[s * b + i];
      }
    }
  }

  /** Returns the components in A, count×a. */
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
    const logDeterminant = new Float64Array(scales.length / b);
    for (let s = 0, k = 0; s < logDeterminant.length; s++) {
      for (let i = 0; i < b; i++, k++) {
        const t = outputs[2 * s * b + b + i];
        scales[k] = (sign * largestLogScale * t) / Math.sqrt(1 + t * t);
        logDeterminant[s] += scales[k];
      }
    }
    this.kernels.exp(scales, scales);
    return { scales, logDeterminant };
  }

  /** ∂L/∂m = −g e^{−s} and ∂L/∂t = (1 − g y) ∂s/∂t, with ∂s/∂t = S/(1 + t²)^{3/2} */
  private gradientByOutputs(
    g: FloatArray,
    y: FloatArray,
    { outputs, scales }: Evaluation,
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
    { scales }: Evaluation,
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
      for (let i = 0; i < a; i++) {
        xGradient[s * n + kept[i]] = g[s * n + kept[i]] + byKept[s * a + i];
      }
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
