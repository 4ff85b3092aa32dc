/** log p of every patch, or of every whole image, and where it is: the arrays of `evaluate --npz`. */
import { type NpyArray, type ScoredPatches, type WholeImageEvaluation } from "../../src/index.js";

/** One entry for each patch or image, in the order of the evaluation. */
export interface Rows {
  /** Index of the image. */
  readonly image: Int32Array;
  /** Column and row of the top left pixel, and size in pixels. */
  readonly x: Int32Array;
  readonly y: Int32Array;
  readonly width: Int32Array;
  readonly height: Int32Array;
  /** In nats; NaN where there is no density. */
  readonly logProb: Float64Array;
}

export function rowsOfPatches(chunks: readonly ScoredPatches[], size: number): Rows {
  const count = chunks.reduce((sum, { logProb }) => sum + logProb.length, 0);
  const rows = emptyRows(count);
  let at = 0;
  for (const { index, x, y, logProb } of chunks) {
    rows.image.fill(index, at, at + logProb.length);
    rows.x.set(x, at);
    rows.y.set(y, at);
    rows.logProb.set(logProb, at);
    at += logProb.length;
  }
  rows.width.fill(size);
  rows.height.fill(size);
  return rows;
}

export function rowsOfImages({ images }: WholeImageEvaluation): Rows {
  const rows = emptyRows(images.length);
  images.forEach(({ index, x, y, width, height, logLikelihood }, k) => {
    rows.image[k] = index;
    rows.x[k] = x;
    rows.y[k] = y;
    rows.width[k] = width;
    rows.height[k] = height;
    rows.logProb[k] = logLikelihood;
  });
  return rows;
}

function emptyRows(count: number): Rows {
  return {
    image: new Int32Array(count),
    x: new Int32Array(count),
    y: new Int32Array(count),
    width: new Int32Array(count),
    height: new Int32Array(count),
    logProb: new Float64Array(count),
  };
}

/**
 * Arrays for models with the same rows: log p has a column for each. Names are JSON, because .npy
 * texts have one length.
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
