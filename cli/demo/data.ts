/** The photographs of the demo: seven for the fits, and one that is held out. */
import { type EmbeddedPhotograph, embeddedPhotographs } from "../../node/embedded-photographs.js";
import { openImageSet } from "../../node/image-set.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import { randomPatches } from "../../src/patches/image-patches.js";
import type { ImageReading, LoadedImage } from "../../src/patches/image-reading.js";
import type { ImageSet } from "../../src/patches/image-set.js";
import { withWhiteNoise } from "../../src/preprocessing/white-noise.js";
import { type Seed, createRandom } from "../../src/random/random-stream.js";

export const patchSize = 8;

/** Reads images as the paper does (§6.3): linear light, dequantised. */
export const reading: ImageReading = {
  luminance: "linear",
  dequantize: true,
  layout: { size: patchSize, removeMean: false },
};

/** Reads images as they look, without dequantisation noise: to denoise and to show. */
export const displayReading: ImageReading = { ...reading, luminance: "grey", dequantize: false };

/** A varied photograph, unlike the others: rigging, roofs, water and sky. */
const heldOutName = "nagasaki-boats";

export interface DemoData {
  readonly photographs: readonly EmbeddedPhotograph[];
  /** Encoded grey values, in the order of the photographs. */
  readonly displayed: readonly GreyImage[];
  readonly training: readonly EmbeddedPhotograph[];
  readonly heldOut: EmbeddedPhotograph;
  /** Fingerprint of the training images, for model files. */
  readonly fingerprint: string;
  readonly loadTraining: (index: number) => Promise<LoadedImage>;
  readonly loadHeldOut: () => Promise<LoadedImage>;
  readonly displayedOf: (photograph: EmbeddedPhotograph) => GreyImage;
}

export async function openPhotographs(seed: Seed): Promise<DemoData> {
  const photographs = embeddedPhotographs();
  const training = photographs.filter(({ name }) => name !== heldOutName);
  const [heldOut] = photographs.filter(({ name }) => name === heldOutName);
  const open = (some: readonly EmbeddedPhotograph[], how: ImageReading): Promise<ImageSet> =>
    openImageSet(
      some.map(({ path }) => path),
      how,
      { seed, strict: true },
    );
  const [ofTraining, ofHeldOut, asSeen] = await Promise.all([
    open(training, reading),
    open([heldOut], reading),
    open(photographs, displayReading),
  ]);
  const loadSeen = loadedOnce(asSeen);
  const displayed = await Promise.all(photographs.map((_, k) => loadSeen(k)));
  const loadHeldOut = loadedOnce(ofHeldOut);
  return {
    photographs,
    displayed,
    training,
    heldOut,
    fingerprint: ofTraining.fingerprint,
    loadTraining: loadedOnce(ofTraining),
    loadHeldOut: () => loadHeldOut(0),
    displayedOf: (photograph) => displayed[photographs.indexOf(photograph)],
  };
}

/** Loads each image once, with the dequantisation noise of its first round: three fits share it. */
function loadedOnce(set: ImageSet): (index: number) => Promise<LoadedImage> {
  const loads = new Map<number, Promise<LoadedImage>>();
  return (index) => {
    const present = loads.get(index);
    if (present) return present;
    // A strict set throws on an unusable image, so the result is never undefined.
    const loading = set.load(index, 0) as Promise<LoadedImage>;
    loads.set(index, loading);
    return loading;
  };
}

/** Returns patches of linear light at random places. */
export async function patchesOf(
  data: DemoData,
  which: "training" | "held out",
  count: number,
  seed: Seed,
): Promise<Float32Array> {
  const images =
    which === "held out"
      ? [await data.loadHeldOut()]
      : await Promise.all(data.training.map((_, k) => data.loadTraining(k)));
  return randomPatches(createRandom(seed, "demo", which), images, patchSize, count);
}

/** Adds white normal noise of standard deviation sigma, without clipping to 0 … 1. */
export function withNoise(
  { width, height, pixels }: GreyImage,
  sigma: number,
  seed: Seed,
  name: string,
): GreyImage {
  const random = createRandom(seed, "demo noise", name);
  return { width, height, pixels: withWhiteNoise(pixels, sigma, random) };
}
