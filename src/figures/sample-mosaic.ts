import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { Model } from "../density/model-files/model.js";
import { readingOf } from "../density/model-files/model-reading.js";
import type { GreyImage } from "../images/grey-image.js";
import { linearToSrgb } from "../images/luminance.js";
import { samplesToPatches } from "../patches/patch-layout.js";
import { patchMosaic } from "./patch-mosaic.js";

/** About as many pixels on a side as fit a screen. */
const side = 640;

/**
 * Samples of a model of patches in rows and columns, as many of each, as files and screens have them (not in linear light). All have the
 * same display scaling: the model's black and white where it has them.
 */
export function sampleMosaic(x: FloatArray, model: Model): GreyImage {
  const { dimension } = model.transform;
  const reading = readingOf(model);
  if (!reading)
    throw expected("the model", "say how its dimensions form a square patch", dimension);
  const { layout, luminance } = reading;
  const { size } = layout;
  const values = samplesToPatches(Float32Array.from(x), layout);
  // Screens have encoded values. Without their mean, patches have no place on the curve.
  const { black, white } = model.about.patch ?? {};
  const isLight = luminance === "linear" && black !== undefined && white !== undefined;
  const patches = isLight
    ? values.map((v) => linearToSrgb(Math.max(0, (v - black) / (white - black))))
    : values;
  const range = isLight ? { black: 0, white: 1 } : { black, white };
  const columns = Math.ceil(Math.sqrt(x.length / dimension));
  const zoom = Math.max(1, Math.floor(side / (columns * (size + 1))));
  return patchMosaic(patches, { size, columns, zoom, scale: "all", ...range });
}
