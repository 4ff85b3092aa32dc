/** Jobs: samples of the density of patches, a walk among them, and a map of the surprise. */
import { logProb } from "../../../src/density/induced-density.js";
import { normalVectors, sampleAt } from "../../../src/density/synthesis.js";
import { patchMosaic } from "../../../src/figures/mosaics.js";
import type { GreyImage } from "../../../src/images/grey-image.js";
import type { FloatArray } from "../../../src/kernels/kernels.js";
import { meanOf } from "../../../src/numbers/means.js";
import type { TaskRunner } from "../../../src/parallel/job.js";
import { gridPatches, randomPatches } from "../../../src/patches/image-patches.js";
import { createRandom } from "../../../src/random/random-stream.js";
import type { Cascade } from "../../../src/transforms/transform.js";
import { type Bitmap, greyBitmap } from "../../components/bitmap.js";
import type { Job, JobContext } from "../../compute/job.js";
import { LastOnes } from "../../compute/last-ones.js";
import type { NamedFile } from "../../named-file.js";
import type { Place } from "../../components/drag.js";
import { planeAt } from "../../plane/normal-plane.js";
import { writeColour } from "../patches/colour-scale.js";
import { fitPatches, patchArea, patchSide } from "./patch-density.js";
import { withNoise } from "./noise.js";
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
  /** Patches on a grid of places of the plane. */
  readonly plane: Bitmap;
}

const columns = 8;
const sampleCount = columns * columns;
const planeColumns = 9;
const zoom = 6;
/** Part of the values of the photograph below black, and above white. */
const beyond = 0.01;

export const drawPatches: Job<NamedFile, PatchSamples> = async (photograph, job) => {
  const density = await patchDensity(photograph, job.runner, job.signal);
  const { image } = density;
  const random = createRandom(1, "start page", "shown patches");
  const places = Array.from({ length: planeColumns * planeColumns }, (_, k) => ({
    x: ((k % planeColumns) + 0.5) / planeColumns,
    y: (Math.floor(k / planeColumns) + 0.5) / planeColumns,
  }));
  const { draws } = await planeOf(density, job);
  const mosaicOf = (patches: ArrayLike<number>, across: number, lines: number): Bitmap =>
    greyBitmap(
      patchMosaic(patches, { size: patchSide, columns: across, zoom, lines, ...greysOf(image) }),
    );
  return {
    cut: mosaicOf(randomPatches(random, [image], patchSide, sampleCount), columns, 1),
    drawn: mosaicOf(draws, columns, 1),
    plane: mosaicOf(await patchesOnPlane(density, places, job), planeColumns, 0.5),
  };
};

type Services = Pick<JobContext<never>, "runner" | "signal">;

/** Returns samples, and the normal vectors of the two with the most contrast. */
async function planeOf({ transform }: PatchDensity, { runner, signal }: Services) {
  const y = normalVectors(runner, transform, sampleCount, 1);
  const draws = await sampleAt(runner, transform, y, { signal });
  const contrasts = Array.from({ length: sampleCount }, (_, k) => ({
    k,
    contrast: contrastOf(draws.subarray(k * patchArea, (k + 1) * patchArea)),
  }));
  const [a, b] = contrasts
    .sort((one, other) => other.contrast - one.contrast)
    .map(({ k }) => y.subarray(k * patchArea, (k + 1) * patchArea));
  return { draws, a, b };
}

/** Returns the sum of the squares of the differences from the mean. */
function contrastOf(patch: FloatArray): number {
  const mean = meanOf(patch);
  let squares = 0;
  for (const value of patch) squares += (value - mean) * (value - mean);
  return squares;
}

/** Greys of the photograph, without the few darkest and brightest pixels. */
function greysOf({ pixels }: GreyImage): { readonly black: number; readonly white: number } {
  const sorted = pixels.slice().sort();
  const at = (part: number): number => sorted[Math.round(part * (sorted.length - 1))];
  return { black: at(beyond), white: at(1 - beyond) };
}

async function patchesOnPlane(
  density: PatchDensity,
  places: readonly Place[],
  job: Services,
): Promise<FloatArray> {
  const { a, b } = await planeOf(density, job);
  const y = new Float32Array(places.length * patchArea);
  places.forEach((place, k) => {
    y.set(planeAt(a, b, place), k * patchArea);
  });
  return sampleAt(job.runner, density.transform, y, { signal: job.signal });
}

interface WalkPlace {
  readonly photograph: NamedFile;
  readonly place: Place;
}

/** Draws the patch at a place of the plane. */
export const walkPatches: Job<WalkPlace, Bitmap> = async ({ photograph, place }, job) => {
  const density = await patchDensity(photograph, job.runner, job.signal);
  const pixels = await patchesOnPlane(density, [place], job);
  const { black, white } = greysOf(density.image);
  return greyBitmap({ width: patchSide, height: patchSide, pixels }, [black, white]);
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
