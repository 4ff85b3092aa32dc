/** Job: maps the log-density of the patches of a picture. */
import { type LikelihoodMap, likelihoodMap } from "../../../src/evaluation/likelihood-map.js";
import { encodePng } from "../../../src/figures/encode-png.js";
import { sampleMosaic } from "../../../src/figures/sample-mosaic.js";
import { type GreyImage, centralCrop } from "../../../src/images/grey-image.js";
import { linearToSrgb } from "../../../src/images/luminance.js";
import { patchesToSamples } from "../../../src/patches/patch-layout.js";
import { type AnyModel, isImageModel } from "../../../src/density/model-files/model.js";
import { filterSideOf } from "../../compute/image-filters.js";
import { type Bitmap, greyBitmap } from "../../components/bitmap.js";
import type { Job } from "../../compute/job.js";
import type { NamedFile } from "../../named-file.js";
import { writeColour } from "./colour-scale.js";
import { type ModelSource, titleOf } from "./model-source.js";
import {
  type OpenModel,
  isOfImages,
  openAnyModel,
  openMiddle,
  openPicture,
} from "./open-sources.js";
import { extremeColumns } from "./settings.js";

export interface Extremes {
  /** Indices into the map, the most extreme first. */
  readonly places: readonly number[];
  readonly bitmap: Bitmap;
}

export interface MappedPicture {
  /** Title of the model. */
  readonly title: string;
  readonly subject: "patches" | "images";
  readonly map: LikelihoodMap;
  /** Side of the patches in the grids of extremes, in pixels. */
  readonly shownSide: number;
  readonly width: number;
  readonly height: number;
  /** Size of the whole picture. */
  readonly whole: { readonly width: number; readonly height: number };
  readonly picture: Blob;
  /** columns×rows */
  readonly heat: Bitmap;
  /** Values of the brightest and darkest colour, in nats per dimension. */
  readonly range: readonly [least: number, most: number];
  readonly likeliest: Extremes;
  readonly leastLikely: Extremes;
}

interface MapInput {
  readonly model: ModelSource;
  readonly picture: NamedFile;
  /** Side of the square in the middle, in pixels; null: the whole picture. */
  readonly side: number | null;
  /** Distance between patches; null for whole images. */
  readonly stride: number | null;
}

/** Largest side; larger pictures are cropped to their middle. */
const mostSide = 2048;
const extremeCount = 12;
const millisecondsBetweenReports = 100;

export const mapPicture: Job<MapInput, MappedPicture, { done: number; total: number }> = async (
  input,
  { runner, signal, report },
) => {
  const side = input.side ?? mostSide;
  const opened = await openAnyModel(input.model);
  const { image, whole } = isOfImages(opened)
    ? await openMiddle(input.picture, opened, side)
    : await openSquare(input.picture, opened, side);
  let reported = 0;
  const map = await likelihoodMap(runner, opened.model, image, {
    ...(input.stride !== null && { stride: input.stride }),
    signal,
    patchesAtOnce: 1024,
    onProgress: (done, total) => {
      if (performance.now() - reported < millisecondsBetweenReports) return;
      reported = performance.now();
      report({ done, total });
    },
  });
  const range = rangeOf(map.natsPerDimension);
  const shownSide = shownSideOf(opened, map, image);
  const extremes = (sign: 1 | -1): Extremes => {
    const places = extremesOf({ ...map, size: shownSide }, sign, extremeCount);
    return { places, bitmap: patchesAt(opened, image, { ...map, shownSide }, places) };
  };
  const { width, height } = image;
  return {
    title: titleOf(input.model),
    subject: isOfImages(opened) ? "images" : "patches",
    map,
    shownSide,
    width,
    height,
    range,
    whole: { width: whole.width, height: whole.height },
    picture: pngOf(image, opened),
    heat: heatOf(map, range),
    likeliest: extremes(1),
    leastLikely: extremes(-1),
  };
};

/** Returns the middle of a picture as a model of patches reads it. */
async function openSquare(picture: NamedFile, { reading }: OpenModel<AnyModel>, side: number) {
  const whole = await openPicture(picture, reading);
  return { image: centralCrop(whole, { width: side, height: side }), whole };
}

/** Smallest surroundings of a block that show what is there, in pixels. */
const leastSurroundings = 32;

/** Returns the side of a patch, or of the pixels around a block that its filters see. */
function shownSideOf(
  opened: OpenModel<AnyModel>,
  { size }: LikelihoodMap,
  { width, height }: GreyImage,
): number {
  if (!isOfImages(opened)) return size;
  return Math.min(Math.max(filterSideOf(opened.model), leastSurroundings), width, height);
}

/** Returns the central 98 %: otherwise a few patches would use up all colours. */
function rangeOf(values: Float64Array): readonly [number, number] {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  if (sorted.length === 0) return [0, 1];
  const at = (part: number): number => sorted[Math.round(part * (sorted.length - 1))];
  const [least, most] = [at(0.01), at(0.99)];
  return most > least ? [least, most] : [least - 1, least];
}

function heatOf(
  { columns, rows, natsPerDimension }: LikelihoodMap,
  [least, most]: readonly number[],
): Bitmap {
  const rgba = new Uint8ClampedArray(4 * columns * rows);
  natsPerDimension.forEach((value, k) => {
    // A patch without a density is as surprising as possible.
    const part = Number.isNaN(value) ? 1 : (most - value) / (most - least);
    writeColour(part, rgba, 4 * k);
  });
  return { width: columns, height: rows, rgba };
}

/** Draws the squares of pixels around places, moved into the image if they would leave it. */
function patchesAt(
  { model, reading }: OpenModel<AnyModel>,
  { width, height, pixels }: GreyImage,
  { columns, stride, size, shownSide: side }: LikelihoodMap & Pick<MappedPicture, "shownSide">,
  places: readonly number[],
): Bitmap {
  const patches = new Float32Array(Math.max(1, places.length) * side * side);
  const from = (k: number, length: number): number =>
    Math.max(0, Math.min(length - side, k * stride + Math.floor((size - side) / 2)));
  places.forEach((place, k) => {
    const top = from(Math.floor(place / columns), height);
    const left = from(place % columns, width);
    for (let row = 0; row < side; row++) {
      const start = (top + row) * width + left;
      patches.set(pixels.subarray(start, start + side), (k * side + row) * side);
    }
  });
  const layout = { columns: extremeColumns };
  if (!isImageModel(model)) {
    return greyBitmap(sampleMosaic(patchesToSamples(patches, reading.layout), model, layout));
  }
  const zoom = Math.max(1, Math.floor(widthOfExtremes / (extremeColumns * (side + 1))));
  return greyBitmap(sampleMosaic(patches, model, { ...layout, width: side, height: side, zoom }));
}

/** In pixels, about. */
const widthOfExtremes = 640;

function pngOf({ width, height, pixels }: GreyImage, { reading }: OpenModel<AnyModel>): Blob {
  const shown =
    reading.luminance === "linear"
      ? pixels.map((value) => linearToSrgb(Math.min(1, Math.max(0, value))))
      : pixels;
  const bytes = encodePng({ width, height, channels: [shown] }, { level: 6 });
  return new Blob([bytes], { type: "image/png" });
}

/**
 * Returns at most `count` places whose patches do not overlap, most extreme first: the likeliest
 * for `sign` 1, the least likely for −1.
 */
export function extremesOf(
  { columns, stride, size, natsPerDimension }: Omit<LikelihoodMap, "rows" | "mean">,
  sign: 1 | -1,
  count: number,
): number[] {
  const order = [...natsPerDimension.keys()]
    .filter((place) => !Number.isNaN(natsPerDimension[place]))
    .sort((a, b) => sign * (natsPerDimension[b] - natsPerDimension[a]) || a - b);
  const found: number[] = [];
  const isApart = (a: number, b: number): boolean =>
    Math.abs((a % columns) - (b % columns)) * stride >= size ||
    Math.abs(Math.floor(a / columns) - Math.floor(b / columns)) * stride >= size;
  for (const place of order) {
    if (found.length === count) break;
    if (found.every((other) => isApart(place, other))) found.push(place);
  }
  return found;
}
