/**
 * What guided densities are fitted to: clean images, with noise, and with a first estimate; and
 * crops of all three.
 */
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
import { guideStride, standardized } from "./denoise-guided.js";
import type { GuidedSettings } from "./guided-density.js";
import { classifyPatches } from "./patch-classes.js";

export interface Triple {
  readonly clean: GreyImage;
  readonly noisy: GreyImage;
  readonly guide: GreyImage;
}

export interface TripleOptions {
  /** Makes the first estimates. */
  readonly prior: Model;
  readonly sigma: number;
  readonly images: number;
  readonly load: LoadImage;
  /** Smaller images are continued by reflection to this side. */
  readonly leastSide: number;
  readonly seed: Seed;
  readonly signal?: AbortSignal | undefined;
  readonly onEstimate?: ((done: number, total: number) => void) | undefined;
}

const mostImages = 256;

export async function tripleImages(
  runner: TaskRunner,
  { prior, sigma, images, load, leastSide, seed, signal, onEstimate }: TripleOptions,
): Promise<readonly Triple[]> {
  const chosen = chooseImages(images, createRandom(seed, "guided images"));
  const triples: Triple[] = [];
  for (const [done, index] of chosen.entries()) {
    const image = await load(index, 0);
    if (image) {
      const clean = reflectedTo(image, leastSide);
      const random = createRandom(seed, "guided noise", index);
      const noisy = { ...clean, pixels: withWhiteNoise(clean.pixels, sigma, random) };
      const how = { sigma, stride: guideStride, ...(signal && { signal }) };
      triples.push({
        clean,
        noisy,
        guide: await denoiseImage(densityOf(prior, runner), noisy, how),
      });
    }
    onEstimate?.(done + 1, chosen.length);
  }
  if (triples.length === 0) throw expected("images", "be some that can be read", images);
  return triples;
}

function chooseImages(images: number, random: RandomStream): readonly number[] {
  const all = Array.from({ length: images }, (_, k) => k);
  for (let k = 0; k < Math.min(mostImages, images); k++) {
    const other = k + random.integer(images - k);
    [all[k], all[other]] = [all[other], all[k]];
  }
  return all.slice(0, mostImages);
}

/** What makes pixels of mean 0 and variance 1. */
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

/** Standardized, with the kinds of its patches. */
export interface Scene extends Triple {
  readonly kinds: Uint16Array;
}

export function sceneOf({ clean, noisy, guide }: Triple, settings: GuidedSettings): Scene {
  return {
    kinds: classifyPatches(guide, settings.size, settings.bounds),
    clean: standardized(clean, settings),
    noisy: standardized(noisy, settings),
    guide: standardized(guide, settings),
  };
}

export interface CropBatch {
  readonly clean: Float32Array;
  readonly kinds: Uint16Array;
  /** Patches. */
  readonly noisy: Float32Array;
  readonly guide: Float32Array;
}

/** Crops at random places of random scenes, their patches in the order of `places`. */
export function cropBatch(
  random: RandomStream,
  scenes: readonly Scene[],
  places: CropPlaces,
  count: number,
): CropBatch {
  const crop = Math.sqrt(places.area);
  const cropsOf = (): Float32Array => new Float32Array(count * places.area);
  const [clean, noisy, guide] = [cropsOf(), cropsOf(), cropsOf()];
  const kinds = new Uint16Array(count * places.corners.length);
  const layout = { size: crop, removeMean: false };
  for (let k = 0; k < count; k++) {
    const scene = scenes[random.integer(scenes.length)];
    const { width, height } = scene.clean;
    const left = random.integer(width - crop + 1);
    const corner = random.integer(height - crop + 1) * width + left;
    copyPatch(scene.clean.pixels, width, corner, layout, clean, k * places.area);
    copyPatch(scene.noisy.pixels, width, corner, layout, noisy, k * places.area);
    copyPatch(scene.guide.pixels, width, corner, layout, guide, k * places.area);
    places.corners.forEach((place, p) => {
      const at = corner + Math.floor(place / crop) * width + (place % crop);
      kinds[k * places.corners.length + p] = scene.kinds[at];
    });
  }
  return { clean, kinds, noisy: places.patchesOf(noisy), guide: places.patchesOf(guide) };
}
