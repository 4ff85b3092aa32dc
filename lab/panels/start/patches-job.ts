/** Jobs: samples of the density of patches, a walk among them, and a map of the surprise. */
import { logProb } from "../../../src/density/induced-density.js";
import { normalVectors, sampleAt } from "../../../src/density/synthesis.js";
import { patchMosaic } from "../../../src/figures/mosaics.js";
import type { GreyImage } from "../../../src/images/grey-image.js";
import type { TaskRunner } from "../../../src/parallel/job.js";
import { gridPatches, randomPatches } from "../../../src/patches/image-patches.js";
import { createRandom } from "../../../src/random/random-stream.js";
import type { Cascade } from "../../../src/transforms/transform.js";
import { type Bitmap, greyBitmap } from "../../components/bitmap.js";
import type { Job } from "../../compute/job.js";
import { LastOnes } from "../../compute/last-ones.js";
import type { NamedFile } from "../../named-file.js";
import type { Place } from "../../components/drag.js";
import { planeAt } from "../../plane/normal-plane.js";
import { writeColour } from "../patches/colour-scale.js";
import { fitPatches, patchArea, patchSide, withNoise } from "./patch-density.js";
import { storyData } from "./responses-job.js";

interface PatchDensity {
  readonly image: GreyImage;
  readonly transform: Cascade;
}

const known = new LastOnes<PatchDensity>(1);

function patchDensity(
  photograph: NamedFile,
  runner: TaskRunner,
  signal: AbortSignal,
): Promise<PatchDensity> {
  return known.get(photograph.key, async () => {
    const image = withNoise((await storyData(photograph)).image, null);
    return { image, transform: await fitPatches(runner, image, signal) };
  });
}

export interface PatchSamples {
  /** Patches of the photograph, and samples of the density, with the same greys. */
  readonly cut: Bitmap;
  readonly drawn: Bitmap;
}

const columns = 8;
const sampleCount = columns * columns;
const zoom = 6;

export const drawPatches: Job<NamedFile, PatchSamples> = async (photograph, job) => {
  const { runner, signal } = job;
  const { image, transform } = await patchDensity(photograph, runner, signal);
  const random = createRandom(1, "start page", "shown patches");
  const y = normalVectors(runner, transform, sampleCount, 1);
  return {
    cut: mosaicOf(randomPatches(random, [image], patchSide, sampleCount)),
    drawn: mosaicOf(await sampleAt(runner, transform, y, { signal })),
  };
};

function mosaicOf(patches: ArrayLike<number>): Bitmap {
  return greyBitmap(patchMosaic(patches, { size: patchSide, columns, zoom, black: 0, white: 1 }));
}

interface WalkPlace {
  readonly photograph: NamedFile;
  readonly place: Place;
}

/** Draws the patch at a place of a plane through the normal vectors. */
export const walkPatches: Job<WalkPlace, Bitmap> = async ({ photograph, place }, job) => {
  const { runner, signal } = job;
  const { transform } = await patchDensity(photograph, runner, signal);
  const axes = normalVectors(runner, transform, 2, 5);
  const y = planeAt(axes.subarray(0, patchArea), axes.subarray(patchArea), place);
  const pixels = await sampleAt(runner, transform, y, { signal });
  return greyBitmap({ width: patchSide, height: patchSide, pixels });
};

export interface SurpriseMap {
  readonly columns: number;
  readonly rows: number;
  /** rows×columns: log p(x) / N of the patch at each place, in nats per pixel. */
  readonly natsPerPixel: Float64Array;
  readonly heat: Bitmap;
}

export const mapSurprise: Job<NamedFile, SurpriseMap> = async (photograph, { runner, signal }) => {
  const { image, transform } = await patchDensity(photograph, runner, signal);
  const x = gridPatches(image, patchSide, 1);
  const nats = (await logProb(runner, transform, x, { signal })).map((value) => value / patchArea);
  const shape = { columns: image.width - patchSide + 1, rows: image.height - patchSide + 1 };
  return { ...shape, natsPerPixel: nats, heat: heatOf(nats, shape) };
};

/** Colours span the central 98 % of the values. */
function heatOf(
  nats: Float64Array,
  shape: { readonly columns: number; readonly rows: number },
): Bitmap {
  const sorted = nats.slice().sort();
  const [least, most] = [0.01, 0.99].map((part) => sorted[Math.round(part * (nats.length - 1))]);
  const rgba = new Uint8ClampedArray(4 * nats.length);
  nats.forEach((value, k) => {
    writeColour((most - value) / (most - least), rgba, 4 * k);
  });
  return { width: shape.columns, height: shape.rows, rgba };
}
