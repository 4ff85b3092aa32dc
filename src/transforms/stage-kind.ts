/**
 * Contract of a kind of stage. One record per kind defines how its stages are checked, named,
 * stored and computed. To add a kind, write such a record and add a line to stage-kinds.ts.
 */
import { checkFields } from "../errors.js";
import type {
  FloatArray,
  GradientResults,
  InversionResults,
  InversionSettings,
  Kernels,
  LeafShape,
  Probes,
  SampleResults,
} from "../kernels/kernels.js";
import { checkDimension } from "./checks.js";

export type { LeafShape };

/** Arrays by parameter name; a gradient has the same names and lengths. */
export type ParameterGroups = Readonly<Record<string, FloatArray>>;

/** A single transform, not a cascade, of any kind. */
export interface StageRecord {
  readonly kind: string;
}

/** The part of a stage that a model file keeps as JSON; it determines the tensors. */
export interface StageDescription {
  readonly kind: string;
}

/** Definition of a kind of stage S, which a file describes by a record D. */
export interface StageKind<S extends StageRecord, D extends StageDescription> {
  readonly kind: S["kind"];
  /** Returns a checked copy of a record; throws if a parameter is invalid. */
  readonly make: (record: never) => S;
  /** Names of the parameter fields, in the order of gradients and digests. */
  readonly groups: readonly string[];
  describe(stage: S): D;
  /** Checks a JSON object of a file; messages call it `name`. */
  checkDescription(value: Readonly<Record<string, unknown>>, name: string): D;
  /** Number of values per sample, or per location of a field. */
  components(described: D): number;
  /**
   * Shapes of the tensors by name, in the order of the file. `partition` holds the values of the
   * tensor of that name, or null.
   */
  shapes(described: D, partition: ArrayLike<number> | null): TensorShapes;
}

export type TensorShapes = Readonly<Record<string, readonly number[]>>;

export type StageGradientResults = GradientResults<ParameterGroups>;

/** Results of an inversion, with the input x of the stage in place of z. */
export type StageInversionResults = Omit<InversionResults, "z"> & {
  /** count×N */
  readonly x: FloatArray;
};

/** Passes of one stage. `failedPivot` is the first component without a density, or −1. */
export interface StageOperator<S extends SampleStage = SampleStage> {
  /** Whether this operator can be reused for another stage and other leaves. */
  fits(stage: S, leaves: LeafShape): boolean;
  /** Copies the current parameters. */
  load(stage: S): void;
  /** Computes y and the part of log |det ∂y/∂x| that depends on the sample. */
  gaussianize(x: FloatArray, count: number, results: SampleResults): void;
  /**
   * Computes the same y, even for samples without a density, and log-determinants without an
   * elimination for each sample (kernels.ts). If absent, `gaussianize` needs none. If it is called
   * `isBeforeGradient`, x does not change before `backpropagate` at the same x, which may then
   * reuse what this pass has computed.
   */
  approximate?(
    x: FloatArray,
    count: number,
    results: SampleResults,
    isBeforeGradient?: boolean,
  ): void;
  /**
   * Computes gradients of L = Σ over samples of (a loss of y) − log |det ∂y/∂x|, where `upstream`
   * (count×N) is the derivative of the loss by y; null for the loss ½‖y‖². With
   * `probes`, stages that would invert a matrix for each sample estimate the gradients instead.
   */
  backpropagate(
    x: FloatArray,
    upstream: FloatArray | null,
    count: number,
    results: StageGradientResults,
    probes?: Probes,
  ): void;
  /** Finds x with g(x) = y. */
  synthesize(
    y: FloatArray,
    count: number,
    settings: InversionSettings,
    results: StageInversionResults,
  ): void;
}

/** Results that are the same for all samples. */
export interface CommonPart {
  /** Common part of log |det ∂y/∂x|; NaN if H is singular in the precision of the kernels. */
  readonly logDeterminant: number;
  /** H⁻¹ of a stage with an H, else null. */
  readonly inverse: FloatArray | null;
}

/** A stage that maps samples, or the locations of a field, one by one. */
export interface SampleStage extends StageRecord {
  readonly dimension: number;
}

/**
 * A kind whose stages map each sample independently. An operator runs the passes over some samples
 * in one thread; the caller computes the part common to all samples (log |det H| and its gradient)
 * once per batch.
 */
export interface SampleStageKind<
  S extends SampleStage,
  D extends StageDescription = DimensionDescription,
> extends StageKind<S, D> {
  /** Reason why every stage of this kind is invertible; null if it depends on the parameters. */
  readonly invertibleBecause: string | null;
  /** Approximate number of operations for one sample. */
  operations(stage: S): number;
  open(kernels: Kernels, stage: S, leaves: LeafShape): StageOperator<S>;
  /** Lengths of the sums that `backpropagate` fills. */
  sumLengths(stage: S): Readonly<Record<string, number>>;
  common(kernels: Kernels, stage: S): CommonPart;
  /** Returns the gradient of the parameters: the sums over `count` samples plus the common part. */
  finishGradient(
    stage: S,
    sums: ParameterGroups,
    count: number,
    common: CommonPart,
  ): ParameterGroups;
  /** Explains why a sample has no density, given the component. */
  failure(stage: S, component: number): string;
}

export interface DimensionDescription extends StageDescription {
  readonly dimension: number;
}

/** Functions shared by the kinds that a file describes by their dimension alone. */
export const describedByDimension = {
  describe: ({ kind, dimension }: SampleStage): DimensionDescription => ({ kind, dimension }),
  checkDescription(value: Readonly<Record<string, unknown>>, name: string): DimensionDescription {
    checkFields(name, value, ["kind", "dimension"]);
    const { kind, dimension } = value as unknown as DimensionDescription;
    checkDimension(dimension);
    return { kind, dimension };
  },
  components: ({ dimension }: DimensionDescription): number => dimension,
};

/** Reports an exact inverse, as from a closed form: converged after 0 iterations. */
export function markSolved(
  count: number,
  { converged, iterations, residual }: StageInversionResults,
): void {
  converged.fill(1, 0, count);
  iterations.fill(0, 0, count);
  residual.fill(0, 0, count);
}

/** Failure of a stage that multiplies and adds only. */
export function overflowIn(_: SampleStage, component: number): string {
  return `component ${component} overflows in Float32`;
}

/** Returns the index, counted from `from`, of the first value that is not finite. */
export function firstInfinite(values: FloatArray, from: number): number {
  let i = 0;
  while (Number.isFinite(values[from + i])) i++;
  return i;
}

/** Results for a pass of which only y is used. */
export function unreadResults(count: number, y: FloatArray): SampleResults {
  const [unread, failedPivot] = [new Float64Array(count), new Int32Array(count)];
  return { y, logDeterminant: unread, energy: unread, failedPivot };
}
