/**
 * Fits a density of the paper to samples in memory: pairs of coefficients (§4.1), rows of a table,
 * anything of few dimensions. The first stage gives each component mean 0 and variance 1; the
 * second is a GDN that starts at the ZCA whitening of the samples.
 */
import { GaussianizeError, expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { portableLog } from "../numbers/logarithm.js";
import type { TaskRunner } from "../parallel/job.js";
import { type RandomStream, type Seed, createRandom } from "../random/random-stream.js";
import { checkRunner } from "../density/batch-passes.js";
import type { Affine } from "../transforms/affine.js";
import { cascade } from "../transforms/cascade.js";
import { checkDimension, checkFields, checkSamples } from "../transforms/checks.js";
import { startingGdn } from "../transforms/gdn-start.js";
import type { Gdn } from "../transforms/gdn.js";
import { type ModelName, namedModel } from "../transforms/model-names.js";
import type { Cascade } from "../transforms/transform.js";
import { standardizing } from "../transforms/standardizing.js";
import { zcaWhitening } from "../transforms/whitening.js";
import { judgeFit, problemText } from "./fit-problem.js";
import { fitTransform } from "./fit-transform.js";
import { logProbsOf } from "./validation.js";

export interface SampleFitOptions {
  /** Components of a sample. Required for samples in one flat array; default: length of a row. */
  readonly dimension?: number;
  /** Default "gdn-general" with all α_ij, as for the paper's pairs; "isa" is not supported. */
  readonly model?: Exclude<ModelName, "isa">;
  /** Default 600. */
  readonly steps?: number;
  /** Samples per step; default 1024. */
  readonly batch?: number;
  /** Default 0.1. */
  readonly learningRate?: number;
  /** Seed for the choice of samples; default 1. */
  readonly seed?: Seed;
  readonly signal?: AbortSignal;
  /** Receives the mean log p of the batch of a step, in nats, in the units of the samples. */
  readonly onStep?: (step: number, meanLogProb: number) => void;
  /** Steps between two snapshots; default: only start and result. */
  readonly snapshotEvery?: number;
  /** Receives the start, intermediate states and the result; the fit waits for its promise. */
  readonly onSnapshot?: (snapshot: SampleFitSnapshot) => void | Promise<void>;
}

/** An intermediate state of a fit, as a transform like the result. */
export interface SampleFitSnapshot {
  /** Steps taken. */
  readonly step: number;
  readonly transform: Cascade;
}

const optionFields = [
  "dimension",
  "model",
  "steps",
  "batch",
  "learningRate",
  "seed",
  "signal",
  "onStep",
  "snapshotEvery",
  "onSnapshot",
] as const;

/** Samples of equal length. */
export type SampleRows = readonly ArrayLike<number>[];

/**
 * Fits a cascade of an affine stage and a GDN to samples: rows of numbers, or count×dimension
 * numbers in one array. Runners with the same kernels give the same bits.
 *
 * @throws GaussianizeError if most steps are rejected, or the result is worse than the start
 *
 * @example
 * ```js
 * import { InlineRunner, loadKernels } from "gaussianize";
 * import { fitSamples } from "gaussianize/training";
 *
 * const runner = new InlineRunner((await loadKernels()).kernels);
 * const rows = Array.from({ length: 200 }, (_, k) => [Math.sin(k), Math.cos(2 * k)]);
 * const { kind, dimension } = await fitSamples(runner, rows, { steps: 20 });
 * console.log(kind, dimension); // cascade 2
 * ```
 */
export async function fitSamples(
  runner: TaskRunner,
  samples: SampleRows,
  options?: SampleFitOptions,
): Promise<Cascade>;
export async function fitSamples(
  runner: TaskRunner,
  samples: FloatArray,
  options: SampleFitOptions & { readonly dimension: number },
): Promise<Cascade>;
export async function fitSamples(
  runner: TaskRunner,
  samples: FloatArray | SampleRows,
  options: SampleFitOptions = {},
): Promise<Cascade> {
  checkRunner(runner);
  checkFields("the options", options, optionFields);
  const { model = "gdn-general", steps = 600, batch = 1024 } = options;
  const { learningRate = 0.1, seed = 1, signal, onStep, snapshotEvery, onSnapshot } = options;
  const { x, dimension } = flattened(samples, options.dimension);
  const count = checkSamples(x, dimension);
  if (!Number.isInteger(batch) || batch < 1)
    throw expected("batch", "be a positive integer", batch);
  if (count < 2 * dimension) throw expected("x", `hold at least ${2 * dimension} samples`, count);
  const first = standardizing(x, dimension);
  const standardized = applied(first, x);
  const whitening = zcaWhitening(standardized, dimension);
  const start = startOf(model, dimension, whitening);
  const look = ({ step, transform }: { step: number; transform: Gdn }): void | Promise<void> =>
    onSnapshot?.({ step, transform: cascade([first, transform]) });
  await look({ step: 0, transform: start });
  const batchAt = (step: number): Float32Array =>
    drawSamples(standardized, dimension, batch, createRandom(seed, "samples", step));
  const logDeterminant = logDeterminantOf(first);
  const fit = await fitTransform(runner, start, {
    steps,
    learningRate,
    whitening,
    batchAt,
    signal,
    onStep: (step, value) => onStep?.(step, value + logDeterminant),
    checkpointEvery: snapshotEvery,
    // The last checkpoint of an interrupted fit is not a snapshot.
    onCheckpoint: (state) => (signal?.aborted ? undefined : look(state)),
  });
  const { problem } = await judgeFit(fit, {
    start,
    dimension,
    isHeldOut: false,
    parts: [(transform) => logProbsOf(runner, transform, batchAt(steps - 1))],
  });
  if (problem) {
    const advice = `Try a learningRate below ${learningRate}.`;
    throw new GaussianizeError("fit-failed", `${problemText(problem, "dimension")} ${advice}`);
  }
  await look({ step: steps, transform: fit.transform });
  return cascade([first, fit.transform]);
}

function flattened(
  samples: FloatArray | SampleRows,
  given: number | undefined,
): { readonly x: FloatArray; readonly dimension: number } {
  if (!Array.isArray(samples)) {
    if (given === undefined) {
      throw expected("dimension", "be given for samples in one flat array", given);
    }
    checkDimension(given);
    return { x: samples as FloatArray, dimension: given };
  }
  const rows = samples as SampleRows;
  const [first] = rows as readonly (ArrayLike<number> | undefined)[];
  if (typeof first === "number") {
    throw expected("samples", "be rows of numbers, a Float32Array or a Float64Array", "numbers");
  }
  const dimension = given ?? first?.length ?? 0;
  checkDimension(dimension);
  const x = new Float64Array(rows.length * dimension);
  for (const [k, row] of rows.entries()) {
    if (row.length !== dimension) {
      throw expected(`row ${k} of the samples`, `hold ${dimension} numbers`, row.length);
    }
    x.set(row, k * dimension);
  }
  return { x, dimension };
}

function startOf(model: ModelName, dimension: number, H: Float64Array): Gdn {
  const { structure } = namedModel(model);
  if (structure === "subspace") throw expected("the model", "have no subspaces", model);
  return startingGdn({ structure, dimension, H });
}

function applied({ dimension: n, scale, shift }: Affine, x: FloatArray): Float32Array {
  return Float32Array.from(x, (value, k) => scale[k % n] * value + shift[k % n]);
}

/** Returns log |det| of the affine stage. */
function logDeterminantOf({ scale }: Affine): number {
  let sum = 0;
  for (const value of scale) sum += portableLog(value);
  return sum;
}

/** Draws samples of n values with replacement. */
export function drawSamples(
  x: FloatArray,
  n: number,
  samples: number,
  random: RandomStream,
): Float32Array {
  const count = x.length / n;
  const chosen = new Float32Array(samples * n);
  for (let s = 0; s < samples; s++) {
    const from = random.integer(count) * n;
    for (let i = 0; i < n; i++) chosen[s * n + i] = x[from + i];
  }
  return chosen;
}
