/**
 * The responses of each stage of a cascade to images, away from the edges: convolutions join
 * opposite edges, so responses near them mix both.
 */
import { openImageSet } from "../../node/image-set.js";
import { imageResponses } from "../../src/density/images/image-responses.js";
import { requireReading } from "../../src/density/model-files/model-reading.js";
import { expected } from "../../src/errors.js";
import { type GreyImage, centralCrop } from "../../src/images/grey-image.js";
import type { Field, GridSize } from "../../src/transforms/field.js";
import { type ImageCascade, isConvolution } from "../../src/transforms/image-cascade.js";
import type { PaperContext, PaperImageFit } from "../experiment.js";

/** Size of the central crop of a picture in a quick run. */
const quickSize = { width: 256, height: 256 };

/** Reads images as the model requires, cropped to sides that are multiples of the stride. */
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

/** Crops an image around its centre to whole blocks, at most `most` in size. */
export function wholeBlocks(image: GreyImage, stride: number, most: GridSize): GreyImage {
  const side = (length: number): number => Math.floor(length / stride) * stride;
  return centralCrop(image, {
    width: side(Math.min(image.width, most.width)),
    height: side(Math.min(image.height, most.height)),
  });
}

/** One field for each stage and image. */
export type StageFields = Readonly<Record<CascadeStage, readonly Field[]>>;

/** The responses of all stages at the locations where the last stage reaches over no edge. */
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

/** Indices of the four named stages in a cascade, which also has preprocessing stages. */
export function placesOfStages({ stages }: ImageCascade): readonly number[] {
  const places = stages.flatMap(({ kind }, k) =>
    kind === "convolution" || kind === "gdn" ? [k] : [],
  );
  const kinds = places.map((k) => stages[k].kind).join();
  if (kinds === "convolution,gdn,convolution,gdn") return places;
  throw new Error(`a cascade of ${kinds} is not one of two stages`);
}

/** Number of locations to remove at each edge. */
interface Margins {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The margins in which the last responses of a cascade reach over an edge. */
export function edgeMargins(cascade: ImageCascade): Margins {
  const reach = { left: 0, right: 0, top: 0, bottom: 0 };
  for (const { taps } of cascade.stages.filter(isConvolution)) {
    reach.left -= taps.left;
    reach.top -= taps.top;
    reach.right += taps.left + taps.width - 1;
    reach.bottom += taps.top + taps.height - 1;
  }
  const { left, right, top, bottom } = reach;
  // Taps on one side only reach over that edge only.
  return {
    left: Math.max(0, left),
    right: Math.max(0, right),
    top: Math.max(0, top),
    bottom: Math.max(0, bottom),
  };
}

/** Removes the margins of a field; throws if no location is left. */
export function interiorOf(field: Field, { left, right, top, bottom }: Margins): Field {
  const [width, height] = [field.width - left - right, field.height - top - bottom];
  if (width < 1 || height < 1) {
    const margins = `${left} + ${right} columns and ${top} + ${bottom} rows`;
    const name = `a field of ${field.width}×${field.height}`;
    throw expected(name, "be larger than its margins", margins);
  }
  const { maps } = field;
  const values = field.values.slice(0, width * height * maps);
  for (let row = 0; row < height; row++) {
    const from = ((top + row) * field.width + left) * maps;
    values.set(field.values.subarray(from, from + width * maps), row * width * maps);
  }
  return { width, height, maps, values };
}

/** Returns one map of a field, as the pixels of a picture or the coefficients of a band. */
export function mapOf(field: Field, map: number) {
  const { width, height, maps } = field;
  const values = Float64Array.from(
    { length: width * height },
    (_, p) => field.values[p * maps + map],
  );
  return { width, height, values };
}
