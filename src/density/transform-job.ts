/** A job for workers that runs a pass of a transform, all its stages, over a range of samples. */
import type {
  FloatArray,
  InversionSettings,
  Kernels,
  Probes,
  SampleResults,
} from "../kernels/kernels.js";
import { seedOfPart } from "../kernels/probes.js";
import type { Job, JobOutput } from "../parallel/job.js";
import { largestFloat32 } from "../transforms/checks.js";
import { type LeafShape, type StageOperator, unreadResults } from "../transforms/stage-kind.js";
import { OperatorShelf } from "../transforms/operators/operator-shelf.js";
import { zeroSums } from "../transforms/stage-kinds.js";
import type { ParameterGroups, Stage } from "../transforms/transform.js";

export interface TransformShared {
  readonly stages: readonly Stage[];
  readonly leaves: LeafShape;
}

export type TransformTask =
  | {
      readonly pass: "gaussianize";
      /** count×N */
      readonly x: FloatArray;
      readonly wantsY: boolean;
      /** Whether log-determinants need no eliminations (stage-kind.ts); default false. */
      readonly isApproximate?: boolean;
    }
  | {
      readonly pass: "backpropagate";
      readonly x: FloatArray;
      /** Derivative of the loss by y, count×N; null for ½‖y‖². */
      readonly upstream: FloatArray | null;
      readonly wantsY: boolean;
      readonly wantsInputGradient: boolean;
      readonly wantsSums: boolean;
      /**
       * Number of first stages without gradients; default 0. Their sums are 0, and
       * `wantsInputGradient` must be false.
       */
      readonly fixedStages?: number;
      /** Estimates gradients instead of inverting a matrix for each sample; default: exact. */
      readonly probes?: ProbeRequest;
    }
  | { readonly pass: "synthesize"; readonly y: FloatArray; readonly settings: InversionSettings };

/** Random signs of a batch, and when the iterations with them end (kernels.ts). */
export type ProbeRequest = Omit<Probes, "products" | "residual">;

/** Results per sample; null if they were not requested. */
export interface TransformTaskResult {
  readonly y: FloatArray | null;
  /** Without the part shared by all samples. */
  readonly logDeterminant: Float64Array | null;
  readonly energy: Float64Array | null;
  /** First stage at which a sample has no density, or −1. */
  readonly failedStage: Int32Array | null;
  readonly failedComponent: Int32Array | null;
  readonly xGradient: FloatArray | null;
  readonly x: FloatArray | null;
  readonly converged: Uint8Array | null;
  /** Iterations of the inversion, or products of the estimated gradient. */
  readonly iterations: Int32Array | null;
  /** Largest residual of the inversion or of the estimated gradient, over the stages. */
  readonly residual: Float64Array | null;
  /** Gradient sums of each stage. */
  readonly sums: readonly ParameterGroups[] | null;
}

export const noResult: TransformTaskResult = {
  y: null,
  logDeterminant: null,
  energy: null,
  failedStage: null,
  failedComponent: null,
  xGradient: null,
  x: null,
  converged: null,
  iterations: null,
  residual: null,
  sums: null,
};

export const transformJob: Job<TransformShared, TransformTask, TransformTaskResult> = {
  name: "transform",
  open(kernels) {
    const shelf = new OperatorShelf(kernels);
    let stages: readonly Stage[] = [];
    let operators: readonly StageOperator[] = [];
    return {
      share(shared) {
        stages = shared.stages;
        operators = shelf.open(stages, shared.leaves);
      },
      perform(task) {
        if (operators.length === 0) throw new Error("parameters come before tasks");
        const passes = new Passes(kernels, stages, operators);
        return withTransfer(passes.perform(task));
      },
    };
  },
};

class Passes {
  private readonly n: number;

  constructor(
    private readonly kernels: Kernels,
    private readonly stages: readonly Stage[],
    private readonly operators: readonly StageOperator[],
  ) {
    this.n = stages[0].dimension;
  }

  perform(task: TransformTask): TransformTaskResult {
    switch (task.pass) {
      case "gaussianize":
        return this.gaussianize(task);
      case "backpropagate":
        return this.backpropagate(task);
      case "synthesize":
        return this.synthesize(task.y, task.settings);
    }
  }

  private gaussianize({
    x,
    wantsY,
    isApproximate = false,
  }: Extract<TransformTask, { pass: "gaussianize" }>): TransformTaskResult {
    const count = x.length / this.n;
    const total = new SampleTotals(count);
    let values = x;
    this.operators.forEach((operator, k) => {
      const isLast = k === this.operators.length - 1;
      const y = isLast && !wantsY ? null : this.kernels.floats(x.length);
      const results = total.resultsOf(y);
      runForward(operator, values, results, isApproximate);
      total.add(k, results);
      if (y) values = y;
    });
    return { ...noResult, ...total.result, y: wantsY ? values : null };
  }

  private backpropagate(
    task: Extract<TransformTask, { pass: "backpropagate" }>,
  ): TransformTaskResult {
    const { kernels, operators, stages } = this;
    const count = task.x.length / this.n;
    const { fixedStages = 0 } = task;
    const total = new SampleTotals(count);
    const inputs = this.inputsOfStages(task.x, count, fixedStages, total);
    const sums = task.wantsSums ? stages.map((stage) => zeroSums(kernels, stage)) : null;
    const probes = task.probes && new ProbeTotals(count, task.probes);
    let y: FloatArray | null = null;
    let upstream = task.upstream;
    for (let k = operators.length - 1; k >= fixedStages; k--) {
      const isLast = k === operators.length - 1;
      const wantsGradient = k > fixedStages || task.wantsInputGradient;
      const xGradient = wantsGradient ? kernels.floats(task.x.length) : null;
      const output = isLast && task.wantsY ? kernels.floats(task.x.length) : null;
      const results = total.resultsOf(output);
      const all = { ...results, xGradient, sums: sums?.[k] ?? null };
      operators[k].backpropagate(inputs[k], upstream, count, all, probes?.ofStage(k));
      probes?.add();
      total.add(k, results, isLast);
      if (isLast) y = output;
      upstream = xGradient;
    }
    return {
      ...noResult,
      ...total.result,
      ...probes?.totals,
      y,
      xGradient: task.wantsInputGradient ? upstream : null,
      sums,
    };
  }

  /** Returns the input of each stage, and adds the log-determinants of fixed stages. */
  private inputsOfStages(
    x: FloatArray,
    count: number,
    fixedStages: number,
    total: SampleTotals,
  ): readonly FloatArray[] {
    const inputs = [x];
    this.operators.slice(0, -1).forEach((operator, k) => {
      const y = this.kernels.floats(x.length);
      if (k < fixedStages) {
        const results = total.resultsOf(y);
        operator.gaussianize(inputs[k], count, results);
        total.add(k, results, false);
      } else {
        const results = unreadResults(count, y);
        if (operator.approximate) operator.approximate(inputs[k], count, results, true);
        else operator.gaussianize(inputs[k], count, results);
      }
      inputs.push(y);
    });
    return inputs;
  }

  private synthesize(y: FloatArray, settings: InversionSettings): TransformTaskResult {
    const count = y.length / this.n;
    const converged = new Uint8Array(count).fill(1);
    const iterations = new Int32Array(count);
    const residual = new Float64Array(count);
    let values = y;
    for (const operator of [...this.operators].reverse()) {
      const results = {
        x: this.kernels.floats(y.length),
        converged: new Uint8Array(count),
        iterations: new Int32Array(count),
        residual: new Float64Array(count),
      };
      operator.synthesize(values, count, settings, results);
      for (let s = 0; s < count; s++) {
        // Stages without an iteration, such as H⁻¹, may also exceed the range of Float32.
        const wasFinite = makeFinite(results.x.subarray(s * this.n, (s + 1) * this.n));
        converged[s] &= wasFinite ? results.converged[s] : 0;
        iterations[s] += results.iterations[s];
        residual[s] = Math.max(residual[s], wasFinite ? results.residual[s] : Infinity);
      }
      values = results.x;
    }
    return { ...noResult, x: values, converged, iterations, residual };
  }
}

function runForward(
  operator: StageOperator,
  x: FloatArray,
  results: SampleResults,
  isApproximate: boolean,
): void {
  const count = results.energy.length;
  if (isApproximate && operator.approximate) operator.approximate(x, count, results);
  else operator.gaussianize(x, count, results);
}

/** Replaces infinities by the largest Float32; returns whether all values were finite. */
function makeFinite(values: FloatArray): boolean {
  if (values.every(Number.isFinite)) return true;
  for (let k = 0; k < values.length; k++) {
    if (!Number.isFinite(values[k])) values[k] = values[k] < 0 ? -largestFloat32 : largestFloat32;
  }
  return false;
}

/** Sum of log-determinants, energy after the last stage, and first failure of each sample. */
class SampleTotals {
  readonly result;

  constructor(private readonly count: number) {
    this.result = {
      logDeterminant: new Float64Array(count),
      energy: new Float64Array(count),
      failedStage: new Int32Array(count).fill(-1),
      failedComponent: new Int32Array(count).fill(-1),
    };
  }

  /** Returns new arrays for one stage. */
  resultsOf(y: FloatArray | null): SampleResults {
    const { count } = this;
    return {
      y,
      logDeterminant: new Float64Array(count),
      energy: new Float64Array(count),
      failedPivot: new Int32Array(count),
    };
  }

  add(stage: number, { logDeterminant, energy, failedPivot }: SampleResults, isLast = true): void {
    const total = this.result;
    if (isLast) total.energy.set(energy);
    for (let s = 0; s < this.count; s++) {
      total.logDeterminant[s] += logDeterminant[s];
      const isFirst = total.failedStage[s] < 0 || stage < total.failedStage[s];
      if (failedPivot[s] < 0 || !isFirst) continue;
      total.failedStage[s] = stage;
      total.failedComponent[s] = failedPivot[s];
    }
  }
}

/** Adds the products of a sample over the stages, and keeps its largest residual. */
class ProbeTotals {
  readonly totals: { readonly iterations: Int32Array; readonly residual: Float64Array };
  private readonly own: Pick<Probes, "products" | "residual">;

  constructor(
    count: number,
    private readonly request: ProbeRequest,
  ) {
    this.totals = { iterations: new Int32Array(count), residual: new Float64Array(count) };
    this.own = { products: new Int32Array(count), residual: new Float64Array(count) };
  }

  /** Every stage has signs of its own. */
  ofStage(stage: number): Probes {
    const seed = seedOfPart(this.request.seed, stage);
    this.own.products.fill(0);
    this.own.residual.fill(0);
    return { ...this.request, ...this.own, seed };
  }

  add(): void {
    const { iterations, residual } = this.totals;
    for (let s = 0; s < residual.length; s++) {
      iterations[s] += this.own.products[s];
      residual[s] = Math.max(residual[s], this.own.residual[s]);
    }
  }
}

function withTransfer(result: TransformTaskResult): JobOutput<TransformTaskResult> {
  const { sums, ...samples } = result;
  const buffers = new Set<ArrayBuffer>();
  for (const array of Object.values(samples)) if (array) buffers.add(array.buffer as ArrayBuffer);
  for (const groups of sums ?? []) {
    for (const group of Object.values(groups)) buffers.add(group.buffer as ArrayBuffer);
  }
  return { result, transfer: [...buffers] };
}
