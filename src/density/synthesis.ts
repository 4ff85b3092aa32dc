/** The way back: data from normal vectors. */
import { GaussianizeError, expected } from "../errors.js";
import type { FloatArray, InversionMethod } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import { stagesOf } from "../transforms/cascade.js";
import { checkSamples } from "../transforms/checks.js";
import { type Transform, requireChecked } from "../transforms/transform.js";
import { type BatchOptions, runBatch } from "./batch-passes.js";
import { certificateOf } from "./verification/certificate.js";

export interface SynthesisOptions extends BatchOptions {
  /** "newton" (default), safeguarded; or "fixed-point", the iteration of paper §3.2 with its start. */
  readonly method?: InversionMethod;
  /** Largest |log(g(z)_i / y_i)| that counts as converged; default: what the precision of the kernels can reach. */
  readonly tolerance?: number;
  /** Default 100 for Newton's method, 10000 for the fixed point. */
  readonly maximumIterations?: number;
}

/** One entry for each sample; those of a cascade are of all its stages together. */
export interface Synthesized {
  /** count×N; where the iteration did not converge, its last finite iterate. */
  readonly x: FloatArray;
  /** 1, or 0: y has no preimage, or the iteration was not given time enough to find it. */
  readonly converged: Uint8Array;
  readonly iterations: Int32Array;
  /**
   * The largest of any stage: |log(g(z)_i / y_i)| of a GDN; of a pointwise stage, where x_i had to be rounded away from the border of
   * the interval, |g(x)_i − y_i|.
   */
  readonly residual: Float64Array;
}

/** What one array can hold. */
const mostValues = 2 ** 30;
const defaultIterations = { newton: 100, "fixed-point": 10_000 } as const;

/** x with g(x; θ) = y. Nothing is thrown for a y without preimage: look at `converged`. */
export async function synthesize(
  runner: TaskRunner,
  given: Transform,
  y: FloatArray,
  options: SynthesisOptions = {},
): Promise<Synthesized> {
  const transform = requireChecked(given);
  checkSamples(y, transform.dimension, "y");
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

/**
 * `count` independent draws from the density, count×N: the same seed gives the same samples. Throws where normal vectors have
 * no preimage: then the transform is not onto, and what it induces is no density.
 */
export async function sample(
  runner: TaskRunner,
  given: Transform,
  count: number,
  seed: Seed,
  options?: BatchOptions,
): Promise<FloatArray> {
  const transform = requireChecked(given);
  const most = Math.floor(mostValues / transform.dimension);
  if (!Number.isInteger(count) || count < 1 || count > most) {
    throw expected("count", `be an integer from 1 to ${most} (four gigabytes)`, count);
  }
  const y = runner.kernels.floats(count * transform.dimension);
  createRandom(seed, "sample").normalFill(y);
  const { x, converged } = await synthesize(runner, transform, y, options);
  const lost = converged.reduce((sum, value) => sum + (1 - value), 0);
  if (lost === 0) return x;
  const isOnto = stagesOf(transform).every(
    (stage) => stage.kind !== "gdn" || certificateOf(stage).verdict === "invertible",
  );
  const reason = isOnto
    ? "its tails are so heavy that they lie beyond the range of Float32"
    : "it is not onto, and there is no density to draw from";
  throw new GaussianizeError(
    `${lost} of ${count} normal vectors have no preimage under the transform: ${reason}.`,
  );
}
