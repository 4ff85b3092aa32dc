/** `gaussianize verify` with a model of whole images. */
import {
  GaussianizeError,
  type GreyPixels,
  type ImageModel,
  type ImageVerification,
  type TaskRunner,
  cropToBlocks,
  requireReading,
  sampleImage,
  verifyImageCascade,
} from "../../src/index.js";
import { openImageSet, openRunner } from "../../node/index.js";
import type { Effects } from "../effects.js";
import { titleOf } from "../model-summary.js";
import { imagesAt } from "../passed-over.js";
import { Progress } from "../progress.js";
import { wrapped } from "../text.js";

interface Options {
  readonly samples: number;
  readonly seed: number;
  readonly workers?: number;
  readonly json?: true;
}

interface Observed {
  readonly source: string;
  readonly size: string;
  readonly result: ImageVerification;
}

export async function verifyWhole(
  path: string,
  model: ImageModel,
  images: readonly string[],
  options: Options,
  effects: Effects,
): Promise<void> {
  const { workers } = options;
  const runner = await openRunner(workers === undefined ? {} : { workers });
  try {
    const alone = await verifyImageCascade(runner, model.transform, null);
    const observed: Observed[] = [];
    let progress: Progress | undefined;
    const data = dataOf(runner, model, alone, images, options, effects);
    for await (const { source, image, count } of data) {
      progress ??= new Progress(effects, "verify", count);
      const locations = options.samples;
      const result = await verifyImageCascade(runner, model.transform, image, { locations });
      observed.push({ source, size: `${image.width}×${image.height}`, result });
      // Of a single one, there is nothing to say but that it is done.
      if (count > 1) progress.report(observed.length);
    }
    progress?.finish();
    print(path, model, alone, observed, options, effects);
    requireSound(path, alone, observed);
  } finally {
    await runner.close();
  }
}

interface Data {
  readonly source: string;
  readonly image: GreyPixels;
  /** How many there will be. */
  readonly count: number;
}

/** What images must have room for, in sentences. */
export const blocksOfModel = "blocks of the model";

/** Blocks along each side of a sample. */
const blocksOfSample = 16;

/** The middle of each image, read as the model was fitted; a sample of the model, where it has any, if there are no images. */
async function* dataOf(
  runner: TaskRunner,
  model: ImageModel,
  { invertible }: ImageVerification,
  images: readonly string[],
  { seed }: Options,
  effects: Effects,
): AsyncGenerator<Data, void> {
  const { stride } = model.transform;
  if (images.length > 0) {
    const paths = await imagesAt(images, effects);
    const options = { strict: true, seed, pieces: blocksOfModel };
    const set = await openImageSet(paths, requireReading(model), options);
    for (const [index, { path }] of set.images.entries()) {
      const image = await set.load(index, 0);
      if (image)
        yield { source: path, image: cropToBlocks(image, stride), count: set.images.length };
    }
  } else if (invertible) {
    const side = blocksOfSample * stride;
    const sampled = sampleImage(runner, model.transform, { width: side, height: side, seed });
    yield { source: "a sample of the model itself", image: await sampled, count: 1 };
  }
}

function print(
  path: string,
  model: ImageModel,
  { proven, ...alone }: ImageVerification,
  observed: readonly Observed[],
  { seed, json }: Options,
  { stdout }: Effects,
): void {
  if (json) {
    const { certificate, certified, cycleMean, invertible } = alone;
    const data = observed.map(({ source, size, result }) => ({ source, size, ...result }));
    const proof = { certificate, certified, cycleMean, invertible, proven };
    stdout.write(`${JSON.stringify({ model: path, seed, ...proof, data }, null, 2)}\n`);
    return;
  }
  const seen = observed.map(({ source, size, result }) => [
    `Data: ${source}, ${size} pixels.`,
    ...result.observed,
    ...result.notes,
  ]);
  const none = seen.length === 0 ? [["Data: none, since the model has no samples."]] : [];
  const paragraphs = [proven, ...seen, ...none].map((sentences) =>
    sentences.map((sentence) => wrapped(sentence)).join("\n"),
  );
  const shown = paragraphs.filter((text) => text !== "");
  stdout.write(`${[titleOf(path, model), ...shown].join("\n\n")}\n`);
}

function requireSound(path: string, alone: ImageVerification, observed: readonly Observed[]): void {
  if (!alone.invertible) {
    throw new GaussianizeError(`${path} is not invertible, so that it induces no density.`);
  }
  const failed = observed.find(({ result }) => !result.passed);
  if (!failed) return;
  const { result, source, size } = failed;
  if (!result.invertible) {
    throw new GaussianizeError(
      `${path} is not invertible on images of ${size} pixels: a convolution is singular there.`,
    );
  }
  throw new GaussianizeError(`${path} fails on ${source}: what was observed is not as it must be.`);
}
