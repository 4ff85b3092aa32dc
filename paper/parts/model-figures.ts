/** Pictures of the parameters and samples of a model of patches, for the paper and the demo. */
import { partsOfRows } from "../../src/evaluation/pooling.js";
import {
  asDisplayed,
  matrixImage,
  matrixInOrder,
  patchMosaic,
  rowsInOrder,
} from "../../src/figures/mosaics.js";
import { type Figure, type Picture, pictureOf } from "../../src/figures/report-blocks.js";
import { prose } from "../../src/figures/report-text.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { pooledWeights } from "../../src/transforms/gdn-structures.js";
import type { Gdn } from "../../src/transforms/gdn.js";

/** Largest integer zoom at which `pixels` fit into `room`. */
export function zoomFor(pixels: number, room: number): number {
  return Math.max(1, Math.floor(room / pixels));
}

/** The rows of H as patches, in an order, about `width` pixels wide. */
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

/** Pictures of γ and of the contributions to the divisors, each about `width` pixels wide. */
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
      caption: prose`
          γ_ij times the mean of |z_j|^α_j, relative to the largest of the row: the contribution of
          each response to the divisor. γ itself says little, because a filter with small responses
          needs large weights.
        `,
    },
  ];
}

/** Patches in a mosaic of samples. */
export const shownSamples = 25;
const columns = 5;
/** Approximate width of a mosaic in pixels. */
const pictureWidth = 340;

/** Patches of linear light, all with the same greys. */
export function sampleFigure(title: string, values: Float32Array): Figure {
  const size = Math.sqrt(values.length / shownSamples);
  // Lines of grey: draws may be all white.
  const layout = { size, columns, zoom: zoomFor(columns * size, pictureWidth), lines: 0.5 };
  const mosaic = patchMosaic(asDisplayed(values), { ...layout, black: 0, white: 1 });
  return { ...pictureOf(mosaic, `${shownSamples} patches: ${title}.`), caption: title };
}
