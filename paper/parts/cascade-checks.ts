/** §4.3: how likely images are to one and to two stages, and whether whole images come back through them. */
import {
  GaussianizeError,
  type GreyImage,
  type ImageCascade,
  gaussianizeImage,
  logProbOfImage,
  requireReading,
  synthesizeImage,
} from "../../src/index.js";
import { decodeImage } from "../../node/index.js";
import type { PaperContext, PaperImageFit } from "../experiment.js";
import { wholeBlocks } from "./cascade-responses.js";

/** Of each image, in nats per pixel. */
export async function logProbPerPixel(
  context: PaperContext,
  title: string,
  cascade: ImageCascade,
  images: readonly GreyImage[],
): Promise<number[]> {
  const { runner, signal } = context;
  const values = new Array<number>(images.length);
  const report = context.progress(`likelihood, ${title}`, images.length);
  let done = 0;
  // The determinants of convolutions are those of all images of one size.
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

export interface RoundTrip {
  readonly path: string;
  readonly width: number;
  readonly height: number;
  /** The largest difference of a pixel, by the largest value. */
  readonly largest: number;
  /** Root mean square of the differences, by that of the values. */
  readonly typical: number;
}

/** Larger pictures of a quick run are cut to the size of the others. */
const longSide = 768;
const shortSide = 512;

/** A whole picture to its normal field and back, all in the precision of the runner's kernels. */
export async function roundTrip(
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
      `Expected all of ${path} to come back but ${unconverged} locations did not.`,
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
