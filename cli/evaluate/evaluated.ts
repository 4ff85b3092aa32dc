/** Evaluates one model on all images, and collects the arrays of `evaluate --npz`. */
import type { NpyArray } from "../../src/density/model-files/npz.js";
import { GaussianizeError } from "../../src/errors.js";
import { evaluate } from "../../src/evaluation/evaluate.js";
import type { Evaluation, Scores } from "../../src/evaluation/evaluation.js";
import { thousands } from "../../src/numbers/format-number.js";
import { gridPatchCount } from "../../src/patches/image-patches.js";
import type { ImageSet } from "../../src/patches/image-set.js";
import { losslessSizes } from "../../node/pictures/lossless-sizes.js";
import type { Effects } from "../effects.js";
import { Progress } from "../progress.js";
import type { NamedDensity } from "./models.js";

export interface Evaluated extends NamedDensity {
  readonly result: Evaluation;
  /** log p of every patch; null unless `wantsRows`. */
  readonly rows: Rows | null;
}

export interface EvaluatedOptions {
  readonly patches?: number;
  /** Stride in pixels; true for the flag alone. */
  readonly grid?: number | true;
  readonly seed: number;
}

interface Evaluating {
  readonly set: ImageSet;
  readonly options: EvaluatedOptions;
  readonly wantsRows: boolean;
  /** Whether to encode whole images in lossless formats. */
  readonly wantsSizes: boolean;
  readonly effects: Effects;
  /** Label of the progress line. */
  readonly label: string;
}

export async function evaluateModel(named: NamedDensity, work: Evaluating): Promise<Evaluated> {
  const { density, reading } = named;
  const { set, options, wantsRows, wantsSizes, effects, label } = work;
  const { seed, patches = 100_000, grid } = options;
  const stride = grid === true ? reading.layout.size : grid;
  const chunks: Scores[] = [];
  const total = totalOf(named, set, patches, stride);
  const progress = new Progress(effects, label, total, { unit: density.kind });
  const result = await evaluate(density, set, {
    seed,
    ...(stride === undefined ? { patches } : { grid: stride }),
    ...(wantsRows && { onScores: (scores) => chunks.push(scores) }),
    ...(wantsSizes && density.kind === "images" && { fileSizesOf: losslessSizes }),
    onProgress: (done) => {
      progress.report(done);
    },
  });
  progress.finish();
  return { ...named, result, rows: wantsRows ? rowsOf(chunks) : null };
}

/** Returns the number of patches or whole images, if all images are usable. */
function totalOf(
  { density, reading }: NamedDensity,
  { images }: ImageSet,
  patches: number,
  stride: number | undefined,
): number {
  if (density.kind === "images") return images.length;
  if (stride === undefined) return patches;
  const { size } = reading.layout;
  return images.reduce((sum, image) => sum + gridPatchCount(image, size, stride), 0);
}

/** @throws GaussianizeError if a patch or an image has no density under the model */
export function requireDensity({ path, result }: Evaluated): void {
  const { kind, failedSamples, samples, images } = result;
  if (failedSamples === 0) return;
  const reason = images.find(({ failure }) => failure !== null)?.failure?.replace(/\.$/, "");
  const more = reason === undefined ? ' (see "gaussianize verify")' : `: ${reason}`;
  throw new GaussianizeError(
    "no-density",
    `${path} has no density at ${thousands(failedSamples)} of ${thousands(samples)} ${kind}; the means do not include these${more}.`,
  );
}

/** Arrays with one entry for each patch or image, in the order of the evaluation. */
interface Rows {
  /** Index of the image. */
  readonly image: Int32Array;
  /** Column and row of the top left pixel, and size in pixels. */
  readonly x: Int32Array;
  readonly y: Int32Array;
  readonly width: Int32Array;
  readonly height: Int32Array;
  /** Log-likelihood in nats; NaN if there is no density. */
  readonly logProb: Float64Array;
}

function rowsOf(chunks: readonly Scores[]): Rows {
  const count = chunks.reduce((sum, { logProb }) => sum + logProb.length, 0);
  const integers = (): Int32Array => new Int32Array(count);
  const rows: Rows = {
    image: integers(),
    x: integers(),
    y: integers(),
    width: integers(),
    height: integers(),
    logProb: new Float64Array(count),
  };
  let at = 0;
  for (const { index, x, y, width, height, logProb } of chunks) {
    const end = at + logProb.length;
    rows.image.fill(index, at, end);
    rows.x.set(x, at);
    rows.y.set(y, at);
    rows.width.fill(width, at, end);
    rows.height.fill(height, at, end);
    rows.logProb.set(logProb, at);
    at = end;
  }
  return rows;
}

/**
 * Returns the arrays of models with the same rows: log p has a column for each. Names are JSON,
 * since all texts of a .npy array have the same length.
 */
export function arraysOfRows(
  rowsOfModels: readonly Rows[],
  names: { readonly models: readonly string[]; readonly images: readonly string[] },
): Record<string, NpyArray> {
  const [{ image, x, y, width, height }] = rowsOfModels;
  const [count, columns] = [image.length, rowsOfModels.length];
  const values = new Float64Array(count * columns);
  rowsOfModels.forEach(({ logProb }, column) => {
    logProb.forEach((value, row) => (values[row * columns + column] = value));
  });
  const places = Object.entries({ image, x, y, width, height }).map(
    ([name, integers]) => [name, { shape: [count], values: integers }] as const,
  );
  return {
    log_prob: { shape: [count, columns], values },
    ...Object.fromEntries(places),
    images: JSON.stringify(names.images),
    models: JSON.stringify(names.models),
  };
}
