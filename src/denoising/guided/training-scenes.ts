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
  /** Side to which smaller images are extended by reflection. */
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
      const how = { sigma, stride: guideStride, signal };
      const guide = await denoiseImage(densityOf(prior, runner), noisy, how);
      triples.push({ clean, noisy, guide });
    }
    onEstimate?.(done + 1, chosen.length);
  }
  if (triples.length === 0) throw expected("images", "include one that can be read", images);
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

/** Standardised images with the kinds of their patches. */
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

/**
 * Crops at random places of random scenes. `noisy` and `guide` are cut into patches, in the order
 * of `places`; `kinds` are theirs.
 */
export function cropBatch(
  random: RandomStream,
  scenes: readonly Scene[],
  places: CropPlaces,
  count: number,
) {
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
    for (const [name, crops] of Object.entries({ clean, noisy, guide })) {
      const { pixels } = scene[name as keyof Triple];
      copyPatch(pixels, width, corner, layout, crops, k * places.area);
    }
    places.corners.forEach((place, p) => {
      const at = corner + Math.floor(place / crop) * width + (place % crop);
      kinds[k * places.corners.length + p] = scene.kinds[at];
    });
  }
  return { clean, kinds, noisy: places.patchesOf(noisy), guide: places.patchesOf(guide) };
}
