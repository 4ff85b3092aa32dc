/** Pairs of wavelet coefficients from one picture, as in the paper's experiments (§4.1, §6.3). */
import { gaussianize } from "../../../src/density/induced-density.js";
import { GaussianizeError } from "../../../src/errors.js";
import { type GreyImage, centralCrop } from "../../../src/images/grey-image.js";
import { InlineRunner } from "../../../src/parallel/inline-runner.js";
import type { TaskRunner } from "../../../src/parallel/job.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { fitPointwise } from "../../../src/training/fit-pointwise.js";
import type { Band } from "../../../src/wavelets/filter-bank.js";
import {
  neighbourBorder,
  neighbourPairCount,
  neighbourPairs,
  orientationNames,
} from "../../../src/wavelets/coefficient-pairs.js";
import { steerableBand } from "../../../src/wavelets/steerable-pyramid.js";
import { LastOnes } from "../../compute/last-ones.js";
import type { NamedFile } from "../../named-file.js";
import type { PairSource } from "./pair-source.js";

export interface PairContext {
  readonly runner: TaskRunner;
  /** Decodes a picture in linear light: in the browser, or in Node for tests. */
  readonly decode: (picture: NamedFile) => Promise<GreyImage>;
}

type WaveletSource = PairSource & { readonly kind: "wavelets" };

/** Largest side; larger pictures are cropped to their middle, which still has plenty of pairs. */
const mostSide = 2048;
/** Number of pixels that the nonlinearity is fitted to. */
const curvePixels = 4000;
const fewestPairs = 100;

// Curves and bands are slower than pairs, and stay while other settings change.
const curved = new LastOnes<GreyImage>(2);
const bands = new LastOnes<Band>(4);

/** Returns the pairs, count×2, and a description of them. */
export async function waveletSourcePairs(source: WaveletSource, context: PairContext) {
  const { picture, orientation, separation, seed } = source;
  const image = await curved.get(`${picture.key} ${seed}`, () => curvedPicture(source, context));
  const places = neighbourPairCount(image, separation);
  if (places < fewestPairs) throw tooSmall(picture, image, separation);
  const band = await bands.get(`${picture.key} ${seed} ${orientation}`, () =>
    Promise.resolve(steerableBand(image, { orientations: orientationNames.length, orientation })),
  );
  requireEdges(band, picture);
  const random = createRandom(seed, "lab pairs", orientation, separation);
  const count = Math.min(source.count, places);
  const { width, height } = image;
  return {
    pairs: neighbourPairs(band, { separation, count, random }),
    about: `Coefficients of ${orientationNames[orientation]} edges, ${separation} to the right of each other, in ${width}×${height} pixels`,
  };
}

/** Returns the picture after the curve that makes its intensities Gaussian. */
async function curvedPicture(
  { picture, seed }: WaveletSource,
  { runner, decode }: PairContext,
): Promise<GreyImage> {
  const whole = await decode(picture);
  const image = centralCrop(whole, {
    width: Math.min(whole.width, mostSide),
    height: Math.min(whole.height, mostSide),
  });
  const { width, height, pixels } = image;
  if (pixels.every((value) => value === pixels[0])) {
    throw new GaussianizeError(
      "degenerate-data",
      `All pixels of ${picture.file.name} are equal: expected a picture that varies.`,
    );
  }
  const random = createRandom(seed, "lab pairs", "pixels");
  const values = Float32Array.from(
    { length: curvePixels },
    () => pixels[random.integer(pixels.length)],
  );
  const inline = new InlineRunner(runner.kernels);
  const curve = await fitPointwise(inline, values, { seed, holds: [0, 1] });
  const { y } = await gaussianize(runner, curve, pixels);
  return { width, height, pixels: Float32Array.from(y) };
}

function tooSmall({ file }: NamedFile, { width, height }: GreyImage, separation: number): Error {
  const least = `${2 * neighbourBorder + separation + 10}×${2 * neighbourBorder + 10}`;
  return new GaussianizeError(
    "unusable-images",
    `${file.name} is too small for pairs ${separation} pixels apart: expected at least ${least} pixels but received ${width}×${height}.`,
  );
}

/** A picture of stripes has empty bands. */
function requireEdges({ values }: Band, { file }: NamedFile): void {
  if (values.some((value) => Math.abs(value) > 1e-9)) return;
  throw new GaussianizeError(
    "degenerate-data",
    `${file.name} has no edges of this orientation: choose another orientation or picture.`,
  );
}
