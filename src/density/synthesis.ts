/** Synthesis: data from normal vectors. */
import { GaussianizeError, expected } from "../errors.js";
import type { FloatArray, InversionMethod } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import { stagesOf } from "../transforms/cascade.js";
import { checkBatch, checkFields } from "../transforms/checks.js";
import { requireChecked } from "../transforms/checked-transform.js";
import type { Transform } from "../transforms/transform.js";
import { type BatchOptions, checkCall, checkRunner, runBatch } from "./batch-passes.js";
import { certificateOf } from "./verification/certificate.js";

export interface SynthesisOptions extends BatchOptions {
  /** "newton" (default), safeguarded, or "fixed-point", the iteration of paper §3.2. */
  readonly method?: InversionMethod;
  /** Largest |log(g(z)_i / y_i)| of a converged sample; default: the precision of the kernels. */
  readonly tolerance?: number;
  /** Default 100 for Newton's method, 10000 for the fixed point. */
  readonly maximumIterations?: number;
}

/** One entry per sample, over all stages of a cascade. */
export interface Synthesized {
  /** Samples, count×N; the last finite iterate if the iteration did not converge. */
  readonly x: FloatArray;
  /**
   * 1 if the iteration converged. 0 if y has no preimage, or none in the range of Float32, or the
   * iteration ended too early.
   */
  readonly converged: Uint8Array;
  readonly iterations: Int32Array;
  /**
   * Largest residual of any stage: |log(g(z)_i / y_i)| of a GDN, |g(x)_i − y_i| of a pointwise
   * stage, which includes the rounding of x near the ends of its interval. Linear and affine stages
   * count as 0.
   */
  readonly residual: Float64Array;
}

/** Most values of one array. */
const mostValues = 2 ** 30;
const defaultIterations = { newton: 100, "fixed-point": 10_000 } as const;

/**
 * Returns x with g(x; θ) = y. It does not throw if there is none: check `converged`.
 *
 * @example
 * ```js
 * import { InlineRunner, affine, loadKernels } from "gaussianize";
 * import { synthesize } from "gaussianize/density";
 *
 * const runner = new InlineRunner((await loadKernels()).kernels);
 * const twice = affine({ dimension: 1, scale: [2] });
 * const { x, converged } = await synthesize(runner, twice, Float32Array.of(1));
 * console.log(x[0], converged[0]); // 0.5 1
 * ```
 */
export async function synthesize(
  runner: TaskRunner,
  given: Transform,
  y: FloatArray,
  options: SynthesisOptions = {},
): Promise<Synthesized> {
  checkCall(runner, options, "method", "tolerance", "maximumIterations");
  const transform = requireChecked(given);
  checkBatch(y, transform.dimension, "y");
  const settings = checkedSettings(runner, options);
  const batch = await runBatch(runner, transform, { pass: "synthesize", y, settings }, options);
  const { x, converged, iterations, residual } = batch;
  return { x, converged, iterations, residual } as Synthesized;
}

function checkedSettings(
  { kernels }: TaskRunner,
  { method = "newton", tolerance = kernels.tolerance, maximumIterations }: SynthesisOptions,
) {
  const methods = Object.keys(defaultIterations);
  if (!methods.includes(method))
    throw expected("method", `be one of ${methods.join(", ")}`, method);
  if (!(tolerance > 0)) throw expected("tolerance", "be a positive number", tolerance);
  const most = maximumIterations ?? defaultIterations[method];
  if (!Number.isInteger(most) || most < 1) {
    throw expected("maximumIterations", "be an integer of at least 1", most);
  }
  return { method, tolerance, maximumIterations: most };
}

export interface NormalOptions {
  /**
   * Positive factor of the normal vectors, default 1. Below 1, samples are more typical of the
   * density and miss its tails; above 1, they come from the tails more often.
   */
  readonly temperature?: number;
}

export interface SampleOptions extends BatchOptions, NormalOptions {}

/**
 * Draws `count` independent samples, count×N; the same seed gives the same samples. A sample from a
 * heavy tail beyond the range of Float32 gets a value at the end of the range.
 *
 * @throws GaussianizeError if the transform is not onto, so that normal vectors have no preimage
 *
 * @example
 * ```js
 * import { InlineRunner, affine, loadKernels } from "gaussianize";
 * import { sample } from "gaussianize/density";
 *
 * const runner = new InlineRunner((await loadKernels()).kernels);
 * const x = await sample(runner, affine({ dimension: 2 }), 3, 1);
 * console.log(x.length); // 6
 * ```
 */
export async function sample(
  runner: TaskRunner,
  transform: Transform,
  count: number,
  seed: Seed,
  options: SampleOptions = {},
): Promise<FloatArray> {
  checkCall(runner, options, "temperature");
  const { temperature = 1, ...batch } = options;
  const y = normalVectors(runner, transform, count, seed, { temperature });
  return sampleAt(runner, transform, y, batch);
}

/** Returns the normal vectors of {@link sample}, count×N, multiplied by the temperature. */
export function normalVectors(
  runner: TaskRunner,
  given: Transform,
  count: number,
  seed: Seed,
  options: NormalOptions = {},
): FloatArray {
  checkRunner(runner);
  checkFields("the options", options, ["temperature"]);
  const { dimension } = requireChecked(given);
  const { temperature = 1 } = options;
  const most = Math.floor(mostValues / dimension);
  if (!Number.isInteger(count) || count < 0 || count > most) {
    throw expected("count", `be an integer from 0 to ${most} (four gigabytes)`, count);
  }
  requireTemperature(temperature);
  const y = runner.kernels.floats(count * dimension);
  createRandom(seed, "sample").normalFill(y);
  for (let k = 0; k < y.length; k++) y[k] *= temperature;
  return y;
}

/** Requires a positive factor of normal vectors. */
export function requireTemperature(temperature: number): void {
  if (temperature > 0 && temperature < Infinity) return;
  throw expected("temperature", "be a positive number", temperature);
}

/** Returns the samples at normal vectors y, count×N, as {@link sample} does. */
export async function sampleAt(
  runner: TaskRunner,
  given: Transform,
  y: FloatArray,
  options?: BatchOptions,
): Promise<FloatArray> {
  checkCall(runner, options);
  const transform = requireChecked(given);
  const { x, converged } = await synthesize(runner, transform, y, options);
  const lost = [...converged.keys()].filter((s) => converged[s] === 0);
  if (lost.length === 0) return x;
  if (!isOnto(transform)) {
    throw new GaussianizeError(
      "not-invertible",
      `${lost.length} of ${converged.length} normal vectors have no preimage: the transform is not onto, so it has no density to sample from.`,
    );
  }
  await drawAgain(runner, transform, y, x, lost, options?.signal);
  return x;
}

function isOnto(transform: Transform): boolean {
  return stagesOf(transform).every(
    (stage) => stage.kind !== "gdn" || certificateOf(stage).verdict === "invertible",
  );
}

/**
 * Inverts samples again by the paper's iteration, which contracts if the transform is invertible:
 * it ends at the solution or at the end of the range.
 */
async function drawAgain(
  runner: TaskRunner,
  transform: Transform,
  y: FloatArray,
  x: FloatArray,
  lost: readonly number[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const n = transform.dimension;
  const rows = runner.kernels.floats(lost.length * n);
  lost.forEach((s, k) => {
    rows.set(y.subarray(s * n, (s + 1) * n), k * n);
  });
  const again = await synthesize(runner, transform, rows, { method: "fixed-point", signal });
  lost.forEach((s, k) => {
    x.set(again.x.subarray(k * n, (k + 1) * n), s * n);
  });
}
