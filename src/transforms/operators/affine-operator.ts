/** y = s x + b. The log-determinant Σ log |s_i| is common to all samples; ∂L/∂s_i = Σ g_i x_i − count/s_i, ∂L/∂b_i = Σ g_i. */
import type { FloatArray, Kernels, SampleResults } from "../../kernels/kernels.js";
import type { Affine } from "../affine.js";
import { portableLog } from "../../numbers/logarithm.js";
import type { Stage } from "../transform.js";
import { sumOverLeaves } from "./leaf-sums.js";
import {
  type LeafShape,
  type StageGradientResults,
  type StageInversionResults,
  type StageKind,
  type StageOperator,
  unreadResults,
} from "./operator.js";

class AffineOperator implements StageOperator<Affine> {
  constructor(
    private readonly kernels: Kernels,
    private stage: Affine,
    private readonly leafSize: number,
  ) {}

  fits(stage: Stage, { leafSize }: LeafShape): boolean {
    return stage.kind === "affine" && leafSize === this.leafSize;
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

  apply(x: FloatArray, count: number, y: FloatArray): void {
    this.gaussianize(x, count, unreadResults(count, y));
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
    { x, converged, iterations, residual }: StageInversionResults,
  ): void {
    const { dimension: n, scale, shift } = this.stage;
    for (let k = 0; k < count * n; k++) x[k] = (y[k] - shift[k % n]) / scale[k % n];
    converged.fill(1, 0, count);
    iterations.fill(0, 0, count);
    residual.fill(0, 0, count);
  }
}

/** Σ log |s_i| */
function logOfProduct(scale: FloatArray): number {
  let sum = 0;
  for (const value of scale) sum += portableLog(Math.abs(value));
  return sum;
}

function firstInfinite(values: FloatArray, from: number): number {
  let i = 0;
  while (Number.isFinite(values[from + i])) i++;
  return i;
}

export const affineKind: StageKind<Affine> = {
  open: (kernels, stage, { leafSize }) => new AffineOperator(kernels, stage, leafSize),
  sumLengths: ({ dimension }) => ({ scale: dimension, shift: dimension }),
  common: (_, { scale }) => ({
    inverse: null,
    logDeterminant: logOfProduct(scale),
  }),
  finishGradient({ scale }, sums, count) {
    for (let i = 0; i < scale.length; i++) sums.scale[i] -= count / scale[i];
    return { scale: sums.scale, shift: sums.shift };
  },
  failure: (_, component) => `component ${component} is beyond the range of Float32`,
};
