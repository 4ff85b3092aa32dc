/** `gaussianize evaluate` with a model of whole images. */
import {
  GaussianizeError,
  type ImageModel,
  type WholeImageEvaluation,
  evaluateWholeImages,
} from "../../src/index.js";
import { type ImageSet, openRunner } from "../../node/index.js";
import type { Effects } from "../effects.js";
import { titleOf } from "../model-summary.js";
import { Progress } from "../progress.js";
import { thousands } from "../text.js";
import { wholeImagesText } from "./evaluation-text.js";

interface Options {
  readonly seed: number;
  readonly workers?: number;
  readonly json?: true;
}

/** One image at a time is in memory, and the next one. */
export async function evaluateWhole(
  path: string,
  model: ImageModel,
  set: ImageSet,
  options: Options,
  effects: Effects,
): Promise<void> {
  const { workers } = options;
  const runner = await openRunner(workers === undefined ? {} : { workers });
  try {
    const { length } = set.images;
    const progress = new Progress(effects, "evaluate", length);
    const result = await evaluateWholeImages(runner, model, {
      images: length,
      load: set.load,
      onProgress: (done) => {
        progress.report(done, done === 1 ? "1 image" : `${done} images`);
      },
    });
    progress.finish();
    print(path, model, set, result, options, effects);
    requireDensity(path, result);
  } finally {
    await runner.close();
  }
}

function print(
  path: string,
  model: ImageModel,
  { images, skipped }: ImageSet,
  result: WholeImageEvaluation,
  { seed, json }: Options,
  { stdout }: Effects,
): void {
  const pathOf = (index: number): string => images[index].path;
  if (json) {
    const { images: ofImages, ...totals } = result;
    const named = ofImages.map(({ index, ...image }) => ({ path: pathOf(index), ...image }));
    const everything = { model: path, ...totals, seed, images: named, skipped };
    stdout.write(`${JSON.stringify(everything, null, 2)}\n`);
    return;
  }
  const text = wholeImagesText(result, pathOf, model.transform.stride);
  stdout.write(`${titleOf(path, model)}\n\n${text}\n`);
}

function requireDensity(path: string, { failedImages, images }: WholeImageEvaluation): void {
  const reason = images.find(({ failure }) => failure !== null)?.failure;
  if (!reason) return;
  const first = reason.replace(/\.$/, "");
  throw new GaussianizeError(
    `${path} has no density at ${thousands(failedImages)} of ${thousands(images.length)} images, which are not in the means: ${first}.`,
  );
}
