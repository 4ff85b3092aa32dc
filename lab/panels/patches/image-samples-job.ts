/** Jobs: an image drawn from a density of whole images, and a part of a picture beside it. */
import { densityOf } from "../../../src/density/density-of.js";
import { sampleImage, usualSide } from "../../../src/density/images/image-synthesis.js";
import { GaussianizeError } from "../../../src/errors.js";
import { shownImage } from "../../../src/figures/sample-mosaic.js";
import { type Bitmap, greyBitmap } from "../../components/bitmap.js";
import type { Job } from "../../compute/job.js";
import { whyNoDraws } from "../../compute/model-file.js";
import type { NamedFile } from "../../named-file.js";
import { drawnModel, shownSamples } from "./hot-samples.js";
import { type ModelSource, titleOf } from "./model-source.js";
import { openImageModel, openMiddle } from "./open-sources.js";
import { type Clipped, type DrawInput, clippedOf } from "./samples-job.js";

export interface DrawnImage extends Omit<DrawInput, "model"> {
  /** Title of the model. */
  readonly title: string;
  readonly bitmap: Bitmap;
  /** Null if the model does not define black and white. */
  readonly clipped: Clipped | null;
}

const millisecondsBetweenReports = 100;

/** Draws the image of `gaussianize sample`. Reports the fraction done. */
export const drawImage: Job<DrawInput, DrawnImage, number> = async (
  { model: source, ...draw },
  { runner, signal, report },
) => {
  const { model } = await openImageModel(source);
  const reason = await whyNoDraws(densityOf(model, runner), signal);
  if (reason !== null) throw new GaussianizeError("not-invertible", reason);
  const side = usualSide(model.transform.stride);
  const drawn = drawnModel(model, draw.temperature);
  let last = 0;
  const { pixels } = await sampleImage(runner, drawn.transform, {
    ...draw,
    width: side,
    height: side,
    signal,
    onPart: (part) => {
      if (performance.now() - last < millisecondsBetweenReports) return;
      last = performance.now();
      report(part);
    },
  });
  const image = { width: side, height: side, pixels: Float32Array.from(pixels) };
  const shown = shownSamples(image.pixels, drawn, {
    temperature: draw.temperature,
    dimension: image.pixels.length,
  });
  return {
    ...draw,
    title: titleOf(source),
    bitmap: greyBitmap(shownImage({ ...image, pixels: shown }, drawn)),
    clipped: clippedOf(image.pixels, drawn),
  };
};

/** Cuts the middle of a picture as the model reads it, and draws it like a sample. */
export const cutImage: Job<
  { readonly model: ModelSource; readonly picture: NamedFile },
  Bitmap
> = async (input, { signal }) => {
  const opened = await openImageModel(input.model);
  const { image } = await openMiddle(
    input.picture,
    opened,
    usualSide(opened.model.transform.stride),
  );
  signal.throwIfAborted();
  return greyBitmap(shownImage(image, opened.model));
};
