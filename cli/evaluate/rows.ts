/** The arrays of `evaluate --npz`: log p and position of every patch or whole image. */
import type { NpyArray } from "../../src/density/model-files/npz.js";
import type { Scores } from "../../src/evaluation/evaluation.js";

/** Arrays with one entry for each patch or image, in the order of the evaluation. */
export interface Rows {
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

export function rowsOf(chunks: readonly Scores[]): Rows {
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
