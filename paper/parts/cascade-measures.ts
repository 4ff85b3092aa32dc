/** The measurements of one cascade, in parts that survive an interruption. */
import { decodeImage } from "../../node/decode-image.js";
import { gaussianizeImage, logProbOfImage } from "../../src/density/images/image-density.js";
import { synthesizeImage } from "../../src/density/images/image-synthesis.js";
import { requireReading } from "../../src/density/model-files/model-reading.js";
import { GaussianizeError } from "../../src/errors.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import type { ImageCascade } from "../../src/transforms/image-cascade.js";
import type { PaperContext, PaperImageFit } from "../experiment.js";
import { type CascadeInformation, cascadeInformation } from "./cascade-information.js";
import { type CascadeMarginals, cascadeMarginals } from "./cascade-marginals.js";
import { type CascadeFits, stagesToCompare } from "./cascade-models.js";
import { cascadeImages, stageFields, wholeBlocks } from "./cascade-responses.js";

export interface Likelihoods {
  /** "one stage" */
  readonly title: string;
  readonly fit: PaperImageFit;
  /** Log-likelihood of each image, in nats per pixel. */
  readonly fitted: readonly number[];
  readonly heldOut: readonly number[];
}

/** Measurements of one cascade. */
export interface MeasuredCascade {
  readonly fits: CascadeFits;
  /** Marginals of the training images, as in the paper. */
  readonly fitted: CascadeMarginals;
  readonly heldOut: CascadeMarginals;
  /** Mutual information in the held-out images. */
  readonly information: CascadeInformation;
  readonly likelihoods: readonly Likelihoods[];
  readonly trips: readonly { readonly fit: PaperImageFit; readonly trip: RoundTrip }[];
}

export async function measureCascade(
  context: PaperContext,
  fits: CascadeFits,
): Promise<MeasuredCascade> {
  const { layered, joint, experiment, size } = fits;
  const part = <T>(key: string, make: () => Promise<T>): Promise<T> =>
    context.part(experiment, `${size}-${key}`, make);
  const heldOutFields = async () =>
    stageFields(context, layered, await cascadeImages(context, layered, layered.heldOut));
  const fitted = await part("fitted", async () => {
    const images = await cascadeImages(context, layered, layered.images);
    return cascadeMarginals(await stageFields(context, layered, images));
  });
  const heldOut = await part("held-out", async () => cascadeMarginals(await heldOutFields()));
  const information = await part("information", async () =>
    cascadeInformation(context, await heldOutFields()),
  );
  const likelihoods: Likelihoods[] = [];
  for (const each of stagesToCompare(fits)) {
    const { title, fit, transform } = each;
    const values = (paths: readonly string[]) => async () =>
      logProbPerPixel(context, title, transform, await cascadeImages(context, fit, paths));
    likelihoods.push({
      title,
      fit,
      fitted: await part(`likelihood-${likelihoods.length}-fitted`, values(fit.images)),
      heldOut: await part(`likelihood-${likelihoods.length}-held-out`, values(fit.heldOut)),
    });
  }
  const trips: { fit: PaperImageFit; trip: RoundTrip }[] = [];
  for (const fit of joint ? [layered, joint] : [layered]) {
    const trip = await part(`trip-${trips.length}`, () => roundTrip(context, fit, fit.heldOut[0]));
    trips.push({ fit, trip });
  }
  return { fits, fitted, heldOut, information, likelihoods, trips };
}

/** Log-likelihood of each image, in nats per pixel. */
async function logProbPerPixel(
  context: PaperContext,
  title: string,
  cascade: ImageCascade,
  images: readonly GreyImage[],
): Promise<number[]> {
  const { runner, signal } = context;
  const values = new Array<number>(images.length);
  const report = context.progress(`likelihood, ${title}`, images.length);
  let done = 0;
  // Images of one size share the determinants of convolutions.
  for (const index of bySize(images)) {
    const { width, height } = images[index];
    const logProb = await logProbOfImage(runner, cascade, images[index], { signal });
    values[index] = logProb / (width * height);
    report(++done);
  }
  return values;
}

function bySize(images: readonly GreyImage[]): number[] {
  const width = (k: number): number => images[k].width;
  const height = (k: number): number => images[k].height;
  return [...images.keys()].sort((a, b) => width(a) - width(b) || height(a) - height(b));
}

interface RoundTrip {
  readonly path: string;
  readonly width: number;
  readonly height: number;
  /** Largest difference of a pixel / largest value. */
  readonly largest: number;
  /** Root mean square of the differences / root mean square of the values. */
  readonly typical: number;
}

/** Larger pictures are cropped to this size. */
const longSide = 768;
const shortSide = 512;

/** Transforms a whole picture and inverts the result, in the precision of the runner's kernels. */
async function roundTrip(
  { runner, signal }: PaperContext,
  { model }: PaperImageFit,
  path: string,
): Promise<RoundTrip> {
  const { luminance } = requireReading(model);
  const { transform } = model;
  const image = upTo(await decodeImage(path, luminance), transform.stride);
  const { y } = await gaussianizeImage(runner, transform, image, { signal });
  const { image: back, unconverged } = await synthesizeImage(runner, transform, y, { signal });
  if (unconverged > 0) {
    throw new GaussianizeError(
      "not-invertible",
      `Could not invert the cascade for ${path}: ${unconverged} locations did not converge.`,
    );
  }
  const { width, height, pixels } = image;
  let [difference, value, differences, values] = [0, 0, 0, 0];
  pixels.forEach((pixel, k) => {
    const lost = back.pixels[k] - pixel;
    difference = Math.max(difference, Math.abs(lost));
    value = Math.max(value, Math.abs(pixel));
    differences += lost * lost;
    values += pixel * pixel;
  });
  const typical = Math.sqrt(differences / values);
  return { path, width, height, largest: difference / value, typical };
}

function upTo(image: GreyImage, stride: number): GreyImage {
  const isWide = image.width >= image.height;
  const [width, height] = isWide ? [longSide, shortSide] : [shortSide, longSide];
  return wholeBlocks(image, stride, { width, height });
}
