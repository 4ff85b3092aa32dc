/** A density of whole images. */
import { checkFields, expected } from "../../errors.js";
import type { GreyPixels } from "../../images/grey-image.js";
import type { TaskRunner } from "../../parallel/job.js";
import type { Field } from "../../transforms/field.js";
import { type ImageCascade, requireImageCascade } from "../../transforms/image-cascade.js";
import type { BatchOptions } from "../batch-passes.js";
import { type Listed, fieldsIn, imagesOf } from "../density-input.js";
import type {
  DensitySampleOptions,
  DensityVerifyOptions,
  Images,
  SynthesizedWhole,
} from "../density.js";
import { type ImageModel, notAMixture } from "../model-files/model.js";
import type { SynthesisOptions } from "../synthesis.js";
import {
  type ImageVerification,
  verifyImageCascade,
} from "../verification/verify-image-cascade.js";
import {
  type GaussianizedImage,
  type ImageOptions,
  gaussianizeImage,
  logProbOfImage,
} from "./image-density.js";
import { imageScore } from "./image-score.js";
import { sampleImage, synthesizeImage } from "./image-synthesis.js";

/** Processes one image or field. */
type Work<Item, Result> = (
  runner: TaskRunner,
  cascade: ImageCascade,
  item: Item,
  options: ImageOptions,
) => Promise<Result>;

export class ImageDensity {
  readonly kind = "images";
  readonly model: ImageModel;
  readonly dimension: number;
  private readonly cascade: ImageCascade;

  constructor(
    { transform, about }: ImageModel,
    readonly runner: () => Promise<TaskRunner>,
  ) {
    this.cascade = requireImageCascade(transform);
    this.model = { transform: this.cascade, about };
    this.dimension = this.cascade.stride * this.cascade.stride;
  }

  async logProb(x: GreyPixels | Images, options?: BatchOptions): Promise<number | Float64Array> {
    const found = await this.each(imagesOf(x), logProbOfImage, options);
    return typeof found === "number" ? found : Float64Array.from(found);
  }

  async score(x: GreyPixels | Images, options?: BatchOptions): Promise<GreyPixels | GreyPixels[]> {
    return this.each(imagesOf(x), imageScore, options);
  }

  responsibilities(): Promise<never> {
    return Promise.reject(notAMixture());
  }

  async gaussianize(
    x: GreyPixels | Images,
    options?: BatchOptions,
  ): Promise<GaussianizedImage | GaussianizedImage[]> {
    return this.each(imagesOf(x), gaussianizeImage, options);
  }

  async synthesize(
    y: Field | readonly Field[],
    { signal, onProgress, ...settings }: SynthesisOptions = {},
  ): Promise<SynthesizedWhole | SynthesizedWhole[]> {
    const work: Work<Field, SynthesizedWhole> = async (runner, cascade, field, options) => {
      const found = await synthesizeImage(runner, cascade, field, { ...settings, ...options });
      return { x: found.image, unconverged: found.unconverged, residual: found.residual };
    };
    return this.each(fieldsIn(y), work, { signal, onProgress });
  }

  async sample(
    count: number,
    { signal, onProgress, ...options }: DensitySampleOptions = {},
  ): Promise<GreyPixels[]> {
    const { seed = 1, ...draw } = checkedDraw(count, options);
    const work: Work<number, GreyPixels> = (runner, cascade, k, others) => {
      // The first image depends on the seed alone.
      const ofImage = k === 0 ? seed : `${seed} ${k}`;
      return sampleImage(runner, cascade, { ...draw, seed: ofImage, ...others });
    };
    const items = Array.from({ length: count }, (_, k) => k);
    return this.all(items, work, { signal, onProgress });
  }

  async verify(
    x: GreyPixels | null = null,
    { onProgress, ...options }: DensityVerifyOptions = {},
  ): Promise<ImageVerification> {
    const [image = null] = x ? imagesOf(x).items : [];
    const found = await verifyImageCascade(await this.runner(), this.cascade, image, options);
    onProgress?.(1, 1);
    return found;
  }

  private async each<Item, Result>(
    { items, isOne }: Listed<Item>,
    work: Work<Item, Result>,
    options?: BatchOptions,
  ): Promise<Result | Result[]> {
    const results = await this.all(items, work, options);
    return isOne ? results[0] : results;
  }

  private async all<Item, Result>(
    items: readonly Item[],
    work: Work<Item, Result>,
    options: BatchOptions = {},
  ): Promise<Result[]> {
    checkFields("the options", options, ["signal", "onProgress"]);
    const { signal, onProgress } = options;
    const runner = await this.runner();
    const results: Result[] = [];
    for (const item of items) {
      results.push(await work(runner, this.cascade, item, { signal }));
      onProgress?.(results.length, items.length);
    }
    return results;
  }
}

function checkedDraw(
  count: number,
  options: Pick<DensitySampleOptions, "seed" | "temperature" | "size">,
) {
  checkFields("the options", options, ["seed", "temperature", "size"]);
  const { temperature = 1, size, seed } = options;
  if (!Number.isSafeInteger(count) || count < 0) {
    throw expected("count", "be an integer of at least 0", count);
  }
  if (size === undefined) throw expected("size", "be { width, height } of the images", size);
  return { seed, temperature, width: size.width, height: size.height };
}
