/** Images as cascades take them, and the responses of each stage to them, away from the joined edges. */
import {
  type Field,
  type GreyImage,
  type GridSize,
  centralCrop,
  edgeMargins,
  imageResponses,
  interiorOf,
  requireReading,
} from "../../src/index.js";
import { openImageSet } from "../../node/index.js";
import type { PaperContext, PaperImageFit } from "../experiment.js";
import { type CascadeStage, cascadeStages, placesOfStages } from "./cascade-stages.js";

/** Of the middle of a picture, in a quick run. */
const quickSize = { width: 256, height: 256 };

/** Codes are spread as the model wants it; sides are multiples of the stride. */
export async function cascadeImages(
  { seed, signal, quick }: PaperContext,
  { model }: PaperImageFit,
  paths: readonly string[],
): Promise<GreyImage[]> {
  const { stride } = model.transform;
  const set = await openImageSet(paths, requireReading(model), { seed, signal, strict: true });
  const images: GreyImage[] = [];
  for (const index of set.images.keys()) {
    const image = await set.load(index, 0);
    if (image) images.push(wholeBlocks(image, stride, quick ? quickSize : image));
  }
  return images;
}

/** The middle of an image, at most so large, in whole blocks. */
export function wholeBlocks(image: GreyImage, stride: number, most: GridSize): GreyImage {
  const side = (length: number): number => Math.floor(length / stride) * stride;
  return centralCrop(image, {
    width: side(Math.min(image.width, most.width)),
    height: side(Math.min(image.height, most.height)),
  });
}

/** Of each stage, one field for each image. */
export type StageFields = Readonly<Record<CascadeStage, readonly Field[]>>;

/** The same locations at every stage: those that the last one knows from one image alone. */
export async function stageFields(
  context: PaperContext,
  { model }: PaperImageFit,
  images: readonly GreyImage[],
): Promise<StageFields> {
  const { runner, signal } = context;
  const places = placesOfStages(model.transform);
  const margins = edgeMargins(model.transform);
  const fields: Record<CascadeStage, Field[]> = {
    ...{ "first CICA": [], "first GDN": [], "second CICA": [], "second GDN": [] },
  };
  const report = context.progress("responses to images", images.length);
  for (const [k, image] of images.entries()) {
    const responses = await imageResponses(runner, model.transform, image, { signal });
    cascadeStages.forEach((stage, s) => {
      fields[stage].push(interiorOf(responses[places[s]], margins));
    });
    report(k + 1);
  }
  return fields;
}
