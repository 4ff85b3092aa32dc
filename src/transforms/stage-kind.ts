/**
 * The contract of a kind of stage. One record per kind says everything about it: how it is checked,
 * named, stored and computed. A new kind is a file with such a record and a line in stage-kinds.ts.
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

/** Arrays by the names of the parameters; a gradient has the same names and lengths. */
export type ParameterGroups = Readonly<Record<string, FloatArray>>;

/** A transform that is not made of others, of any kind. */
export interface StageRecord {
  readonly kind: string;
}

/** The part of a stage that a model file keeps as JSON; it decides on the tensors of the stage. */
export interface StageDescription {
  readonly kind: string;
}

/** Everything that is known of a kind of stage S, which a file describes by a record D. */
export interface StageKind<S extends StageRecord, D extends StageDescription> {
  readonly kind: S["kind"];
  /** Returns a checked copy of a record; throws where a parameter is not sound. */
  readonly make: (record: never) => S;
  /** Names of the fields that hold parameters, in the order of gradients and digests. */
  readonly groups: readonly string[];
  describe(stage: S): D;
  /** Checks a JSON object of a file that names this kind; `name` is how messages call it. */
  checkDescription(value: Readonly<Record<string, unknown>>, name: string): D;
  /** Number of values of a sample, or of a location of a field. */
  components(described: D): number;
  /**
   * Shapes of the tensors by their names, in the order of the file. `partition` holds the values of
   * the tensor of that name, null where there is none.
   */
  shapes(described: D, partition: ArrayLike<number> | null): TensorShapes;
}

export type TensorShapes = Readonly<Record<string, readonly number[]>>;

export type StageGradientResults = GradientResults<ParameterGroups>;

/** Results of an inversion with x, the input of the stage, in place of z. */
export type StageInversionResults = Omit<InversionResults, "z"> & {
  /** count×N */
  readonly x: FloatArray;
};

/**
 * Passes of one stage; `failedPivot` holds the first component at which a sample has no density, or
 * −1.
 */
export interface StageOperator<S extends SampleStage = SampleStage> {
  /** Whether memory and code fit this stage and these leaves as well. */
  fits(stage: S, leaves: LeafShape): boolean;
  /** Takes the parameters as they are now. */
  load(stage: S): void;
  /** y and the part of log |det ∂y/∂x| that depends on the sample. */
  gaussianize(x: FloatArray, count: number, results: SampleResults): void;
  /** y alone, whether or not a sample has a density: what a fit hands on to the next stage. */
  apply(x: FloatArray, count: number, y: FloatArray): void;
  /**
   * Gradients of L = Σ over samples of (a loss of y) − log |det ∂y/∂x|, where `upstream` (count×N)
   * is the derivative of the loss by y; null for the loss ½‖y‖². With `probes`, stages that would
   * invert a matrix for each sample estimate the gradients instead.
   */
  backpropagate(
    x: FloatArray,
    upstream: FloatArray | null,
    count: number,
    results: StageGradientResults,
    probes?: Probes,
  ): void;
  /** x with g(x) = y. */
  synthesize(
    y: FloatArray,
    count: number,
    settings: InversionSettings,
    results: StageInversionResults,
  ): void;
}

/** The part of a pass that is the same for all samples. */
export interface CommonPart {
  /** Of every sample's log |det ∂y/∂x|; NaN where H is singular in the precision of the kernels. */
  readonly logDeterminant: number;
  /** H⁻¹ where there is an H. */
  readonly inverse: FloatArray | null;
}

/** A stage of samples, or of each location of a field alike. */
export interface SampleStage extends StageRecord {
  readonly dimension: number;
}

/**
 * A kind whose stages map each sample by itself. An operator does the passes over a run of samples
 * in one thread; the caller computes once a batch what all samples have in common (log |det H|, the
 * gradient of it).
 */
export interface SampleStageKind<
  S extends SampleStage,
  D extends StageDescription = DimensionDescription,
> extends StageKind<S, D> {
  /** Reason that every stage of this kind is invertible; null: that depends on its parameters. */
  readonly invertibleBecause: string | null;
  /** Approximate number of operations for one sample. */
  operations(stage: S): number;
  open(kernels: Kernels, stage: S, leaves: LeafShape): StageOperator<S>;
  /** Lengths of the sums that `backpropagate` fills. */
  sumLengths(stage: S): Readonly<Record<string, number>>;
  common(kernels: Kernels, stage: S): CommonPart;
  /**
   * The gradient of the parameters from the sums over `count` samples, the common part's included.
   */
  finishGradient(
    stage: S,
    sums: ParameterGroups,
    count: number,
    common: CommonPart,
  ): ParameterGroups;
  /** Why a sample has no density, given the component. */
  failure(stage: S, component: number): string;
}

export interface DimensionDescription extends StageDescription {
  readonly dimension: number;
}

/** The part of a record for kinds that a file describes by their dimension alone. */
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

/** Says that an inverse is exact, as closed forms are: converged, after no iterations. */
export function markSolved(
  count: number,
  { converged, iterations, residual }: StageInversionResults,
): void {
  converged.fill(1, 0, count);
  iterations.fill(0, 0, count);
  residual.fill(0, 0, count);
}

/** For a pass of which only y is wanted. */
export function unreadResults(count: number, y: FloatArray): SampleResults {
  const [unread, failedPivot] = [new Float64Array(count), new Int32Array(count)];
  return { y, logDeterminant: unread, energy: unread, failedPivot };
}
