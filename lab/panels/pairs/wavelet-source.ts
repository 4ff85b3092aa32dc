/**
 * Pairs of wavelet coefficients of one picture, as the paper's experiments take them from many
 * (§4.1, §6.3).
 */
import { gaussianize } from "../../../src/density/induced-density.js";
import { GaussianizeError } from "../../../src/errors.js";
import { type GreyImage, centralCrop } from "../../../src/images/grey-image.js";
import { InlineRunner } from "../../../src/parallel/inline-runner.js";
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
import type { JobContext } from "../../compute/job.js";
import { LastOnes } from "../../compute/last-ones.js";
import type { NamedFile } from "../../named-file.js";
import type { PairSource } from "./pair-source.js";

type Context = Pick<JobContext<unknown>, "runner"> & { readonly decode: DecodePicture };

/** Decodes a picture in linear light: by the browser, or by Node in tests. */
export type DecodePicture = (picture: NamedFile) => Promise<GreyImage>;

export type WaveletSource = PairSource & { readonly kind: "wavelets" };

/**
 * Largest side: of larger pictures only the middle is taken, which has far more pairs than anybody
 * asks for.
 */
const mostSide = 2048;
/** Pixels of the picture that the nonlinearity is fitted to. */
const curvePixels = 4000;
const fewestPairs = 100;

/**
 * A slider moves, the picture stays: curves and bands take longer than pairs. Who cancels leaves
 * them to those who come later.
 */
const curved = new LastOnes<GreyImage>(2);
const bands = new LastOnes<Band>(4);

export interface WaveletPairsOfPicture {
  /** count×2 */
  readonly pairs: Float32Array;
  readonly about: string;
}

export async function waveletSourcePairs(
  source: WaveletSource,
  context: Context,
): Promise<WaveletPairsOfPicture> {
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

/** After the curve that makes its intensities Gaussian. */
async function curvedPicture(
  { picture, seed }: WaveletSource,
  { runner, decode }: Context,
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
      `Expected ${picture.file.name} to vary but all of its pixels are alike.`,
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
  const what = `${file.name} to have at least ${least} pixels for pairs ${separation} apart`;
  return new GaussianizeError(
    "unusable-images",
    `Expected ${what} but received ${width}×${height}.`,
  );
}

/** A picture of stripes has bands with nothing in them. */
function requireEdges({ values }: Band, { file }: NamedFile): void {
  if (values.some((value) => Math.abs(value) > 1e-9)) return;
  throw new GaussianizeError(
    "degenerate-data",
    `Expected ${file.name} to have edges of this orientation.`,
  );
}
