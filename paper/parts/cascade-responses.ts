/**
 * Images as cascades take them, and the responses of each stage to them, away from the joined
 * edges.
 */
import { openImageSet } from "../../node/image-set.js";
import { imageResponses } from "../../src/density/images/image-responses.js";
import { requireReading } from "../../src/density/model-files/model-reading.js";
import { edgeMargins, interiorOf } from "../../src/evaluation/fields/interior.js";
import { type GreyImage, centralCrop } from "../../src/images/grey-image.js";
import type { Field, GridSize } from "../../src/transforms/field.js";
import type { ImageCascade } from "../../src/transforms/image-cascade.js";
import type { PaperContext, PaperImageFit } from "../experiment.js";

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
    "first CICA": [],
    "first GDN": [],
    "second CICA": [],
    "second GDN": [],
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

export const cascadeStages = ["first CICA", "first GDN", "second CICA", "second GDN"] as const;
export type CascadeStage = (typeof cascadeStages)[number];

/** Where the stages of these names are among all of a cascade, preprocessing included. */
export function placesOfStages({ stages }: ImageCascade): readonly number[] {
  const places = stages.flatMap(({ kind }, k) =>
    kind === "convolution" || kind === "gdn" ? [k] : [],
  );
  const kinds = places.map((k) => stages[k].kind).join();
  if (kinds === "convolution,gdn,convolution,gdn") return places;
  throw new Error(`a cascade of ${kinds} is not one of two stages`);
}
