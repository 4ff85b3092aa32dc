/** Job: maps the log-density of the patches of a picture. */
import { type LikelihoodMap, likelihoodMap } from "../../../src/evaluation/likelihood-map.js";
import { encodePng } from "../../../src/figures/encode-png.js";
import { sampleMosaic } from "../../../src/figures/sample-mosaic.js";
import { type GreyImage, centralCrop } from "../../../src/images/grey-image.js";
import { linearToSrgb } from "../../../src/images/luminance.js";
import { patchesToSamples } from "../../../src/patches/patch-layout.js";
import { type Bitmap, greyBitmap } from "../../components/bitmap.js";
import type { Job } from "../../compute/job.js";
import type { NamedFile } from "../../named-file.js";
import { writeColour } from "./colour-scale.js";
import { type ModelSource, titleOf } from "./model-source.js";
import { type OpenModel, openModel, openPicture } from "./open-sources.js";
import { extremeColumns } from "./settings.js";

export interface Extremes {
  /** Indices into the map, the most extreme first. */
  readonly places: readonly number[];
  readonly bitmap: Bitmap;
}

export interface MappedPicture {
  /** Title of the model. */
  readonly title: string;
  readonly map: LikelihoodMap;
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
  readonly stride: number;
}

/** Largest side; larger pictures are cropped to their middle. */
const mostSide = 2048;
const extremeCount = 12;
const millisecondsBetweenReports = 100;

export const mapPicture: Job<MapInput, MappedPicture, { done: number; total: number }> = async (
  input,
  { runner, signal, report },
) => {
  const opened = await openModel(input.model);
  const whole = await openPicture(input.picture, opened.reading);
  const side = input.side ?? mostSide;
  const image = centralCrop(whole, {
    width: Math.min(side, whole.width),
    height: Math.min(side, whole.height),
  });
  let reported = 0;
  const map = await likelihoodMap(runner, opened.model, image, {
    stride: input.stride,
    signal,
    patchesAtOnce: 1024,
    onProgress: (done, total) => {
      if (performance.now() - reported < millisecondsBetweenReports) return;
      reported = performance.now();
      report({ done, total });
    },
  });
  const range = rangeOf(map.natsPerDimension);
  const extremes = (sign: 1 | -1): Extremes => {
    const places = extremesOf(map, sign, extremeCount);
    return { places, bitmap: patchesAt(opened, image, map, places) };
  };
  const { width, height } = image;
  return {
    title: titleOf(input.model),
    map,
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

function patchesAt(
  { model, reading }: OpenModel,
  { width, pixels }: GreyImage,
  { columns, stride, size }: LikelihoodMap,
  places: readonly number[],
): Bitmap {
  const patches = new Float32Array(Math.max(1, places.length) * size * size);
  places.forEach((place, k) => {
    const corner = Math.floor(place / columns) * stride * width + (place % columns) * stride;
    for (let row = 0; row < size; row++) {
      const from = corner + row * width;
      patches.set(pixels.subarray(from, from + size), (k * size + row) * size);
    }
  });
  const samples = patchesToSamples(patches, reading.layout);
  return greyBitmap(sampleMosaic(samples, model, { columns: extremeColumns }));
}

function pngOf({ width, height, pixels }: GreyImage, { reading }: OpenModel): Blob {
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
