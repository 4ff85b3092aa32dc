/** Opens models and pictures in the compute worker, and keeps the last ones. */
import { requireReading } from "../../../src/density/model-files/model-reading.js";
import {
  type AnyModel,
  type ImageModel,
  type Model,
  type PatchModel,
  isImageModel,
  isMixtureModel,
  requireImageModel,
  requirePatchModel,
} from "../../../src/density/model-files/model.js";
import { GaussianizeError } from "../../../src/errors.js";
import { cropToBlocks } from "../../../src/evaluation/evaluate-whole-images.js";
import { type GreyImage, centralCrop } from "../../../src/images/grey-image.js";
import {
  type ImageReading,
  type LoadedImage,
  imageAsRead,
} from "../../../src/patches/image-reading.js";
import { randomPatches } from "../../../src/patches/image-patches.js";
import { tooSmall } from "../../../src/patches/image-set.js";
import { patchesToSamples } from "../../../src/patches/patch-layout.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { decodeInRange } from "../../compute/decode-picture.js";
import { LastOnes } from "../../compute/last-ones.js";
import { filterSideOf } from "../../compute/image-filters.js";
import { readAnyModelFile } from "../../compute/model-file.js";
import { fetchBytes } from "../../fetch-bytes.js";
import type { NamedFile } from "../../named-file.js";
import { type ModelSource, keyOfModel, titleOf } from "./model-source.js";
import { piecesOfImages } from "./settings.js";

export interface OpenModel<M extends AnyModel = Model> {
  readonly model: M;
  readonly reading: ImageReading;
}

const urls = import.meta.glob<string>("../../../models/*.safetensors", {
  query: "?url",
  import: "default",
  eager: true,
});
/** Room for those of the package and one of the user. */
const models = new LastOnes<OpenModel<AnyModel>>(4);
const pictures = new LastOnes<LoadedImage>(2);

/** Opens a model of patches or of whole images. */
export function openAnyModel(source: ModelSource): Promise<OpenModel<AnyModel>> {
  return models.get(keyOfModel(source), async () => {
    const name = source.kind === "file" ? source.file.name : `kodak16-${source.name}.safetensors`;
    const file = source.kind === "file" ? source.file : await packageFile(name);
    const model = await readAnyModelFile(file, name);
    return { model, reading: requireReading(model, name) };
  });
}

export function isOfImages(opened: OpenModel<AnyModel>): opened is OpenModel<ImageModel> {
  return isImageModel(opened.model);
}

/** Opens a model of patches or a mixture of such. */
export async function openPatchModel(source: ModelSource): Promise<OpenModel<PatchModel>> {
  const { model, reading } = await openAnyModel(source);
  return isMixtureModel(model) ? { model, reading } : openModel(source);
}

/** Opens a model of patches; rejects mixtures, which have no single transform. */
export async function openModel(source: ModelSource): Promise<OpenModel> {
  const { model, reading } = await openAnyModel(source);
  return { model: requirePatchModel(model, titleOf(source)), reading };
}

/** Opens a model of whole images. */
export async function openImageModel(source: ModelSource): Promise<OpenModel<ImageModel>> {
  const { model, reading } = await openAnyModel(source);
  return { model: requireImageModel(model, titleOf(source)), reading };
}

async function packageFile(name: string): Promise<Blob> {
  return new Blob([await fetchBytes(urls[`../../../models/${name}`], `The model ${name}`)]);
}

/** Returns a picture as a model reads it. */
export function openPicture(picture: NamedFile, reading: ImageReading): Promise<LoadedImage> {
  const { luminance, dequantize, noiseLevel = 0 } = reading;
  const key = JSON.stringify([picture.key, luminance, dequantize, noiseLevel]);
  return pictures.get(key, async () =>
    imageAsRead(await decodeInRange(picture, luminance), reading),
  );
}

/**
 * Returns the middle of a picture as a model of whole images reads it: at most side×side pixels,
 * cropped to whole blocks.
 *
 * @throws GaussianizeError if the picture is smaller than a filter
 */
export async function openMiddle(
  picture: NamedFile,
  { model, reading }: OpenModel<ImageModel>,
  side: number,
): Promise<{ readonly image: GreyImage; readonly whole: LoadedImage }> {
  const whole = await openPicture(picture, reading);
  const { width, height } = whole;
  const header = { path: picture.file.name, width, height };
  const problem = tooSmall(header, filterSideOf(model), piecesOfImages);
  if (problem) throw new GaussianizeError("unusable-images", problem.reason);
  const middle = centralCrop(whole, { width: side, height: side });
  return { image: cropToBlocks(middle, model.transform.stride), whole };
}

/** Cuts samples at random places, the same for the same seed. */
export function randomSamples(
  image: GreyImage,
  { layout }: ImageReading,
  count: number,
  seed: number,
): Float32Array {
  const random = createRandom(seed, "lab patches");
  return patchesToSamples(randomPatches(random, [image], layout.size, count), layout);
}
