/** Training data of guided densities: clean images, noisy ones, first estimates, and crops. */
import type { Model } from "../../density/model-files/model.js";
import { expected } from "../../errors.js";
import type { GreyImage } from "../../images/grey-image.js";
import { reflectedTo } from "../../images/reflection.js";
import type { TaskRunner } from "../../parallel/job.js";
import type { LoadImage } from "../../patches/image-window.js";
import { copyPatch } from "../../patches/patch-layout.js";
import { withWhiteNoise } from "../../preprocessing/white-noise.js";
import { type RandomStream, type Seed, createRandom } from "../../random/random-stream.js";
import type { CropPlaces } from "../../training/crop-places.js";
import { densityOf } from "../../density/density-of.js";
import { denoiseImage } from "../denoise-image.js";
import { denoiseSelfSimilar } from "../self-similar/denoise-similar.js";
import { denoiseGuided, guideStride, standardized } from "./denoise-guided.js";
import { GuideCells, cellCount, ringMargin, withRings } from "./guide-cells.js";
import type { GuidedDensities, GuidedSettings } from "./guided-density.js";
import type { GuidedFitTask } from "./guided-fit-job.js";
import { classifyPatches } from "./patch-classes.js";

export interface Triple {
  readonly clean: GreyImage;
  readonly noisy: GreyImage;
  readonly guide: GreyImage;
}

export interface TripleOptions {
  /** Makes the first estimates. */
  readonly prior: Model;
  /** Makes estimates from these, which similar patches refine. */
  readonly earlier: GuidedDensities | undefined;
  readonly sigma: number;
  readonly images: number;
  readonly load: LoadImage;
  /** Side to which smaller images are extended by reflection. */
  readonly leastSide: number;
  readonly seed: Seed;
  readonly signal?: AbortSignal | undefined;
  readonly onEstimate?: ((done: number, total: number) => void) | undefined;
}

const mostImages = 256;

export async function tripleImages(
  runner: TaskRunner,
  { prior, earlier, sigma, images, load, leastSide, seed, signal, onEstimate }: TripleOptions,
): Promise<readonly Triple[]> {
  const chosen = chooseImages(images, createRandom(seed, "guided images"));
  const triples: Triple[] = [];
  for (const [done, index] of chosen.entries()) {
    const image = await load(index, 0);
    if (image) {
      const clean = squareOf(reflectedTo(image, leastSide), createRandom(seed, "crop", index));
      const random = createRandom(seed, "noise", index);
      const noisy = { ...clean, pixels: withWhiteNoise(clean.pixels, sigma, random) };
      const how = { sigma, stride: guideStride, isExpanded: true, signal };
      const first = await denoiseImage(densityOf(prior, runner), noisy, how);
      const guide = earlier ? await secondEstimate(runner, earlier, noisy, first, how) : first;
      triples.push({ clean, noisy, guide });
    }
    onEstimate?.(done + 1, chosen.length);
  }
  if (triples.length === 0) throw expected("images", "include one that can be read", images);
  return triples;
}

/** Stride of the second round. */
const secondStride = 2;

/** Returns the estimate that the last round gets from the rounds before. */
async function secondEstimate(
  runner: TaskRunner,
  earlier: GuidedDensities,
  noisy: GreyImage,
  first: GreyImage,
  { sigma, signal }: { readonly sigma: number; readonly signal?: AbortSignal | undefined },
): Promise<GreyImage> {
  const how = { sigma, strides: [secondStride], signal };
  const second = await denoiseGuided(runner, earlier, noisy, first, how);
  return denoiseSelfSimilar(runner, noisy, second, { sigma, signal });
}

/** Side of the squares that are used of larger images: more images are worth more than pixels. */
const mostSide = 256;

/** Returns a random square of an image. */
function squareOf(image: GreyImage, random: RandomStream): GreyImage {
  const width = Math.min(mostSide, image.width);
  const height = Math.min(mostSide, image.height);
  const left = random.integer(image.width - width + 1);
  const top = random.integer(image.height - height + 1);
  const pixels = new Float32Array(width * height);
  for (let row = 0; row < height; row++) {
    const from = (top + row) * image.width + left;
    pixels.set(image.pixels.subarray(from, from + width), row * width);
  }
  return { width, height, pixels };
}

/** Returns all images, in order, or a random choice of too many. */
function chooseImages(images: number, random: RandomStream): readonly number[] {
  const all = Array.from({ length: images }, (_, k) => k);
  if (images <= mostImages) return all;
  for (let k = 0; k < Math.min(mostImages, images); k++) {
    const other = k + random.integer(images - k);
    [all[k], all[other]] = [all[other], all[k]];
  }
  return all.slice(0, mostImages);
}

/** Returns the scale and shift that give pixels mean 0 and variance 1. */
export function standardization(images: readonly GreyImage[]): { scale: number; shift: number } {
  let [count, sum, squares] = [0, 0, 0];
  for (const { pixels } of images) {
    count += pixels.length;
    for (const value of pixels) {
      sum += value;
      squares += value * value;
    }
  }
  const mean = sum / count;
  const scale = 1 / Math.sqrt(squares / count - mean * mean);
  return { scale, shift: -scale * mean };
}

/** Standardised images with the kinds of their patches; the guide has a margin. */
export interface Scene extends Triple {
  readonly kinds: Uint16Array;
}

export function sceneOf({ clean, noisy, guide }: Triple, settings: GuidedSettings): Scene {
  return {
    kinds: classifyPatches(guide, settings.size, settings.bounds),
    clean: standardized(clean, settings),
    noisy: standardized(noisy, settings),
    guide: withRings(standardized(guide, settings), settings.rings ?? 0),
  };
}

/** Crops at random places of random scenes, and their patches in the order of `places`. */
export function cropBatch(
  random: RandomStream,
  scenes: readonly Scene[],
  {
    places,
    size,
    rings,
  }: { readonly places: CropPlaces; readonly size: number; readonly rings: number },
  count: number,
): GuidedFitTask {
  const crop = Math.sqrt(places.area);
  const [perCrop, cells] = [places.corners.length, cellCount(size, rings)];
  const [clean, noisy] = [
    new Float32Array(count * places.area),
    new Float32Array(count * places.area),
  ];
  const kinds = new Uint16Array(count * perCrop);
  const guide = new Float32Array(kinds.length * cells);
  const layout = { size: crop, removeMean: false };
  const side = crop + 2 * ringMargin(rings);
  for (let k = 0; k < count; k++) {
    const scene = scenes[random.integer(scenes.length)];
    const { width, height } = scene.clean;
    const left = random.integer(width - crop + 1);
    const top = random.integer(height - crop + 1);
    const corner = top * width + left;
    copyPatch(scene.clean.pixels, width, corner, layout, clean, k * places.area);
    copyPatch(scene.noisy.pixels, width, corner, layout, noisy, k * places.area);
    const wide = { width: side, height: side, pixels: new Float32Array(side * side) };
    const from = top * scene.guide.width + left;
    copyPatch(
      scene.guide.pixels,
      scene.guide.width,
      from,
      { ...layout, size: side },
      wide.pixels,
      0,
    );
    const around = new GuideCells(wide, size, rings);
    places.corners.forEach((place, p) => {
      const patch = k * perCrop + p;
      around.copy(place, guide, patch * cells);
      kinds[patch] = scene.kinds[corner + Math.floor(place / crop) * width + (place % crop)];
    });
  }
  return { clean, kinds, noisy: places.patchesOf(noisy), guide };
}
