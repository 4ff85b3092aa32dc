/** Pictures of what a model of patches has learned, for the report of the paper and of the demo. */
import { partsOfRows } from "../../src/evaluation/pooling.js";
import {
  asDisplayed,
  matrixImage,
  matrixInOrder,
  patchMosaic,
  rowsInOrder,
} from "../../src/figures/mosaics.js";
import { type Figure, type Picture, pictureOf } from "../../src/figures/report-blocks.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { pooledWeights } from "../../src/transforms/gdn-structures.js";
import type { Gdn } from "../../src/transforms/gdn.js";

/** How often a pixel is repeated where so many of them have so much room. */
export function zoomFor(pixels: number, room: number): number {
  return Math.max(1, Math.floor(room / pixels));
}

/** The rows of H as patches, in an order; `width` in pixels, about. */
export function filterPicture(
  H: FloatArray,
  order: readonly number[],
  { title, width }: { readonly title: string; readonly width: number },
): Picture {
  const n = order.length;
  const size = Math.sqrt(n);
  const zoom = zoomFor(size * (size + 1), width);
  const mosaic = patchMosaic(rowsInOrder(H, order, n), { size, columns: size, zoom });
  return pictureOf(mosaic, `The ${n} filters of ${title}, from coarse to fine.`);
}

/**
 * γ, and what each response contributes to the divisors of all, each `width` pixels wide, about.
 */
export function poolFigures(
  layer: Gdn,
  order: readonly number[],
  contributions: Float64Array,
  width: number,
): Figure[] {
  const n = order.length;
  const drawn = (matrix: FloatArray, alt: string): Picture =>
    pictureOf(matrixImage(matrixInOrder(matrix, order), n, zoomFor(n, width)), alt);
  return [
    {
      ...drawn(pooledWeights(layer), `The ${n}×${n} matrix γ of the GDN.`),
      caption: "γ: row i holds the weights of the responses that divide response i.",
    },
    {
      ...drawn(
        partsOfRows(contributions, n),
        "The mean contributions to each divisor, row by row.",
      ),
      caption:
        "γ_ij times the mean of |z_j|^α_j, relative to the largest of the row: the contribution of each response to the divisor. γ itself says little, because a filter with small responses needs large weights.",
    },
  ];
}

/** Patches in a mosaic of samples. */
export const shownSamples = 25;
const columns = 5;
/** Of a mosaic on the page, about. */
const pictureWidth = 340;

/** Patches of linear light, all with the same greys. */
export function sampleFigure(title: string, values: Float32Array): Figure {
  const size = Math.sqrt(values.length / shownSamples);
  // Lines of grey: draws may be all white.
  const layout = { size, columns, zoom: zoomFor(columns * size, pictureWidth), lines: 0.5 };
  const mosaic = patchMosaic(asDisplayed(values), { ...layout, black: 0, white: 1 });
  return { ...pictureOf(mosaic, `${shownSamples} patches: ${title}.`), caption: title };
}
