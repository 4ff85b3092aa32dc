/** Draws from densities of one and of two stages, beside a photograph. */
import { sampleImage, synthesizeImage } from "../../src/density/images/image-synthesis.js";
import { GaussianizeError } from "../../src/errors.js";
import { asDisplayed, patchMosaic } from "../../src/figures/mosaics.js";
import { type Figure, type ReportBlock, pictureOf } from "../../src/figures/report-blocks.js";
import { prose } from "../../src/figures/report-text.js";
import { type GreyImage, type GreyPixels, centralCrop } from "../../src/images/grey-image.js";
import { meanOf } from "../../src/numbers/means.js";
import { quantileOfSorted } from "../../src/numbers/order-statistics.js";
import { createRandom } from "../../src/random/random-stream.js";
import { type Field, imageToField } from "../../src/transforms/field.js";
import { type ImageCascade, imageCascade } from "../../src/transforms/image-cascade.js";
import type { PaperContext } from "../experiment.js";
import { type CascadeFits, stagesToCompare } from "./cascade-models.js";
import { cascadeImages } from "./cascade-responses.js";

/** Approximate side of a picture in pixels: of draws without tails, and of draws as they are. */
const sides = { full: { cut: 336, whole: 168 }, quick: { cut: 160, whole: 160 } };

/** Draws of all cascades, with the same greys. */
export async function sampleBlocks(
  context: PaperContext,
  fits: CascadeFits,
): Promise<ReportBlock[]> {
  const { stride } = fits.layered.model.transform;
  const { cut, whole } = context.quick ? sides.quick : sides.full;
  const inBlocks = (side: number): number => Math.floor(side / stride) * stride;
  const [photograph] = await cascadeImages(context, fits.layered, fits.layered.heldOut.slice(0, 1));
  const white = whiteOf(photograph, fits.set);
  return [
    await withoutTails(context, fits, { photograph, white, side: inBlocks(cut) }),
    await asTheyAre(context, fits, { white, side: inBlocks(whole) }),
  ];
}

/**
 * Returns the luminance that is displayed as white. For van Hateren's photographs, whose unit is
 * the range of the camera, only one percent of the photograph is brighter; with 1, all would be
 * nearly black.
 */
function whiteOf({ pixels }: GreyPixels, set: CascadeFits["set"]): number {
  return set === "kodak" ? 1 : quantileOfSorted(Float64Array.from(pixels).sort(), 0.99);
}

async function withoutTails(
  context: PaperContext,
  fits: CascadeFits,
  { photograph, white, side }: { photograph: GreyImage; white: number; side: number },
): Promise<ReportBlock> {
  const zoom = context.quick ? 2 : 1;
  const shown = (image: GreyPixels, caption: string): Figure => {
    const words = `${caption}, ${image.width}×${image.height} pixels.`;
    return { ...pictureOf(displayed(image, white), words, zoom), caption };
  };
  const detail = centralCrop(photograph, { width: side, height: side });
  const figures = [shown(detail, "a photograph that was left out")];
  const stages = stagesToCompare(fits);
  const report = context.progress("drawing images", stages.length);
  for (const { title, transform } of stages) {
    const drawn = await drawnWithoutTails(context, transform, side);
    figures.push(shown(withMean(drawn, meanOf(detail.pixels)), title));
    report(figures.length - 1);
  }
  return {
    kind: "figures",
    figures,
    caption: prose`
      A detail of a photograph, and draws of the same size, ${side}×${side} pixels, from the
      densities of one and of two stages. All use the same normal field (seed ${context.seed});
      linear light, displayed in sRGB. The tails are cut: before each normalization is inverted,
      vectors longer than the median length of a normal vector are shortened to it. The densities
      hardly determine the mean of a large picture, so each draw is shown with that of the detail.
    `,
  };
}

async function asTheyAre(
  { runner, seed, signal }: PaperContext,
  fits: CascadeFits,
  { white, side }: { white: number; side: number },
): Promise<ReportBlock> {
  const stages = stagesToCompare(fits);
  // Middle grey if a draw fails.
  const draws = new Float32Array(stages.length * side * side).fill(0.5);
  for (const [k, { transform }] of stages.entries()) {
    const options = { width: side, height: side, seed, signal };
    const drawn = await sampleImage(runner, transform, options).catch((error: unknown) => {
      if (error instanceof GaussianizeError) return null;
      throw error;
    });
    if (drawn) draws.set(displayed(drawn, white).pixels, k * side * side);
  }
  // Lines of grey: draws may be all white.
  const layout = { size: side, columns: stages.length, lines: 0.5 };
  const row = patchMosaic(draws, { ...layout, black: 0, white: 1 });
  const titles = stages.map(({ title }) => title).join("; ");
  return {
    kind: "figure",
    ...pictureOf(row, `Draws without this cut, from left to right: ${titles}.`),
    caption: prose`
      Draws without this cut, ${side}×${side} pixels each: ${titles}. A GDN removes nearly all of
      the contrast. So a normal vector that is slightly longer than others corresponds to a very
      large contrast. Through the filters, a few such locations turn their surroundings black or
      white.
    `,
  };
}

function withMean({ width, height, pixels }: GreyPixels, mean: number): GreyImage {
  const shift = mean - meanOf(pixels);
  return { width, height, pixels: Float32Array.from(pixels, (value) => value + shift) };
}

function displayed({ width, height, pixels }: GreyPixels, white: number): GreyImage {
  return { width, height, pixels: asDisplayed(pixels.map((value) => value / white)) };
}

/** Inverts the stages from the last to the first, each as a cascade by itself. */
async function drawnWithoutTails(
  { runner, seed, signal }: PaperContext,
  cascade: ImageCascade,
  side: number,
): Promise<GreyPixels> {
  const { stride, stages } = cascade;
  const [width, height, maps] = [side / stride, side / stride, stride * stride];
  const values = createRandom(seed, "paper cascade", "draws").normalFill(
    new Float64Array(width * height * maps),
  );
  let field: Field = { width, height, maps, values };
  let end = stages.length;
  while (end > 0) {
    const before = stages.slice(0, end - 1).findLastIndex(({ kind }) => kind === "gdn") + 1;
    const part = imageCascade({ stride, stages: stages.slice(before, end) });
    const { image } = await synthesizeImage(runner, part, shortened(field), { signal });
    field = imageToField(image, stride);
    if (before === 0) return image;
    end = before;
  }
  throw new Error("a cascade without stages");
}

/** Shortens vectors to the median length of normal ones, about √(N − 2/3). */
function shortened(field: Field): Field {
  const { maps } = field;
  const values = Float64Array.from(field.values);
  const longest = Math.sqrt(maps - 2 / 3);
  for (let from = 0; from < values.length; from += maps) {
    const vector = values.subarray(from, from + maps);
    const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    if (length > longest) vector.forEach((value, k) => (vector[k] = (value * longest) / length));
  }
  return { ...field, values };
}
