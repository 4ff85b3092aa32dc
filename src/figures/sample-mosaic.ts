import { readingOf } from "../density/model-files/model-reading.js";
import {
  type AnyModel,
  type ImageModel,
  type PatchModel,
  isImageModel,
} from "../density/model-files/model.js";
import { expected } from "../errors.js";
import { type GreyImage, type GreyPixels, cropOf } from "../images/grey-image.js";
import { linearToSrgb } from "../images/luminance.js";
import type { FloatArray } from "../kernels/kernels.js";
import { samplesToPatches } from "../patches/patch-layout.js";
import { patchMosaic } from "./mosaics.js";

/** Approximate width of a mosaic in pixels. */
const side = 640;

export interface SampleMosaicOptions {
  /** Number of columns; by default a square. */
  readonly columns?: number;
  /** Each pixel of a whole image becomes zoom×zoom pixels; default 1. */
  readonly zoom?: number;
}

type ImageSize = Pick<GreyImage, "width" | "height">;

/**
 * Draws samples of a model in rows and columns: enlarged patches, or whole images, which need
 * `width` and `height`. Greys are encoded for a screen (not linear light), with the same scaling
 * for all samples: the model's black and white if it has them.
 */
export function sampleMosaic(
  x: FloatArray,
  model: AnyModel,
  options: Partial<ImageSize> & SampleMosaicOptions = {},
): GreyImage {
  const { width, height, values } = isImageModel(model)
    ? wholeImages(x, options)
    : patches(x, model);
  const count = values.length / (width * height);
  const columns = options.columns ?? Math.ceil(Math.sqrt(count));
  const zoom = isImageModel(model)
    ? (options.zoom ?? 1)
    : Math.max(1, Math.floor(side / (columns * (width + 1))));
  const layout = { size: width, height, columns, zoom };
  // Only values with a known black and white can be encoded; patches without their mean cannot.
  const { black, white, luminance } = model.about.patch ?? {};
  const isLight = luminance === "linear" && black !== undefined && white !== undefined;
  if (!isLight) return patchMosaic(values, { ...layout, scale: "all", black, white });
  const encoded = values.map((v) => linearToSrgb(Math.max(0, (v - black) / (white - black))));
  return patchMosaic(encoded, { ...layout, black: 0, white: 1 });
}

/** Draws one whole image like {@link sampleMosaic}, but without the lines around it. */
export function shownImage({ width, height, pixels }: GreyPixels, model: ImageModel): GreyImage {
  const framed = sampleMosaic(pixels, model, { width, height });
  return cropOf(framed, 1, 1, { width, height });
}

interface Tiles extends ImageSize {
  readonly values: FloatArray;
}

function wholeImages(values: FloatArray, { width, height }: Partial<ImageSize>): Tiles {
  if (width !== undefined && height !== undefined) return { width, height, values };
  throw expected("size", "be the size of the images", undefined);
}

function patches(x: FloatArray, model: PatchModel): Tiles {
  const layout = readingOf(model)?.layout;
  const { dimension } = model.transform;
  if (!layout) throw expected("the model", "say how its dimensions form a square patch", dimension);
  const { size } = layout;
  return { width: size, height: size, values: samplesToPatches(Float32Array.from(x), layout) };
}
