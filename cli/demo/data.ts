/** The photographs of the demo: what is fitted to, and the one that is kept for the comparison. */
import { type EmbeddedPhotograph, embeddedPhotographs } from "../../node/embedded-photographs.js";
import { openImageSet } from "../../node/image-set.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import { randomPatches } from "../../src/patches/image-patches.js";
import type { ImageReading, LoadedImage } from "../../src/patches/image-reading.js";
import type { ImageSet } from "../../src/patches/image-set.js";
import { withWhiteNoise } from "../../src/preprocessing/white-noise.js";
import { type Seed, createRandom } from "../../src/random/random-stream.js";

export const patchSize = 8;

/**
 * As in the paper, §6.3: linear light, the codes of the files spread by noise; pixels then become
 * normal one by one.
 */
export const reading: ImageReading = {
  luminance: "linear",
  dequantize: true,
  layout: { size: patchSize, removeMean: false },
};

/** Pictures as they are seen, without noise of their codes: for denoising, and to show. */
const displayReading: ImageReading = { ...reading, luminance: "grey", dequantize: false };

/** Rigging, roofs, water and sky: much to see in it, and unlike the others. */
const heldOutName = "nagasaki-boats";

export interface DemoData {
  readonly photographs: readonly EmbeddedPhotograph[];
  /** Encoded grey values, in the order of the photographs. */
  readonly displayed: readonly GreyImage[];
  readonly training: readonly EmbeddedPhotograph[];
  readonly heldOut: EmbeddedPhotograph;
  /** Of the images that are fitted to, for the file of a model. */
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

/**
 * Three fits read the same few images: they stay in memory, with the noise of their first round.
 */
function loadedOnce(set: ImageSet): (index: number) => Promise<LoadedImage> {
  const loads = new Map<number, Promise<LoadedImage>>();
  return (index) => {
    const present = loads.get(index);
    if (present) return present;
    // Strict: what cannot be used is an error, never undefined.
    const loading = set.load(index, 0) as Promise<LoadedImage>;
    loads.set(index, loading);
    return loading;
  };
}

/** Patches of linear light at random places. */
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

/** White normal noise of standard deviation sigma; beyond 0 to 1, too, as formulas have it. */
export function withNoise(
  { width, height, pixels }: GreyImage,
  sigma: number,
  seed: Seed,
  name: string,
): GreyImage {
  const random = createRandom(seed, "demo noise", name);
  return { width, height, pixels: withWhiteNoise(pixels, sigma, random) };
}
