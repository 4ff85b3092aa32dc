/**
 * The picture of `gaussianize inspect`: filters, and the weights γ with which their responses are
 * pooled.
 */
import type { Density } from "../src/density/density.js";
import { GaussianizeError } from "../src/errors.js";
import { filtersOnPixels } from "../src/figures/filters-on-pixels.js";
import { matrixImage, patchMosaic, sideBySide } from "../src/figures/mosaics.js";
import type { GreyImage } from "../src/images/grey-image.js";
import { stagesOf } from "../src/transforms/cascade.js";
import { pooledWeights } from "../src/transforms/gdn-structures.js";

/** About as many pixels on a side as fit a screen. */
const side = 576;

export interface ModelPicture {
  readonly image: GreyImage;
  /** What is to be seen in it, from left to right. */
  readonly shows: string;
}

export function pictureOf({ model, kind }: Density, path: string): ModelPicture {
  const layers = stagesOf(model.transform).filter((stage) => stage.kind === "gdn");
  const parts: { readonly image: GreyImage; readonly name: string }[] = [];
  const filters = filtersOnPixels(model);
  if (filters) {
    const { count, width, height, values } = filters;
    const columns = Math.ceil(Math.sqrt(count));
    const zoom = Math.max(1, Math.floor(side / (columns * (width + 1))));
    const image = patchMosaic(values, { size: width, height, columns, zoom });
    const size = kind === "images" ? ` of ${width}×${height} pixels` : "";
    parts.push({ image, name: `${count} filters${size}` });
  }
  if (layers.length > 0) {
    const [layer] = layers;
    const n = layer.dimension;
    const image = matrixImage(pooledWeights(layer), n, Math.max(1, Math.floor(side / n)));
    parts.push({ image, name: `the weights γ, ${n}×${n}` });
  }
  if (parts.length === 0) {
    const what = kind === "images" ? "convolutions" : "filters of square patches";
    throw new GaussianizeError(
      "invalid-argument",
      `There is nothing to draw: ${path} has neither ${what} nor weights γ.`,
    );
  }
  const image = sideBySide(parts.map((part) => part.image));
  const both = parts.length > 1 ? "both " : "";
  const ofFirst = layers.length > 1 ? `, ${both}of the first of ${layers.length} layers` : "";
  return { image, shows: parts.map(({ name }) => name).join(", and ") + ofFirst };
}
