/** Opens models and pictures in the compute worker, and keeps the last ones. */
import { requireReading } from "../../../src/density/model-files/model-reading.js";
import type { Model } from "../../../src/density/model-files/model.js";
import type { GreyImage } from "../../../src/images/grey-image.js";
import {
  type ImageReading,
  type LoadedImage,
  imageAsRead,
} from "../../../src/patches/image-reading.js";
import { randomPatches } from "../../../src/patches/image-patches.js";
import { patchesToSamples } from "../../../src/patches/patch-layout.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { decodeInRange } from "../../compute/decode-picture.js";
import { LastOnes } from "../../compute/last-ones.js";
import { readModelFile } from "../../compute/model-file.js";
import { fetchBytes } from "../../fetch-bytes.js";
import type { NamedFile } from "../../named-file.js";
import { type ModelSource, keyOfModel } from "./model-source.js";

export interface OpenModel {
  readonly model: Model;
  readonly reading: ImageReading;
}

const urls = import.meta.glob<string>("../../../models/*.safetensors", {
  query: "?url",
  import: "default",
  eager: true,
});
/** Room for those of the package and one of the user. */
const models = new LastOnes<OpenModel>(4);
const pictures = new LastOnes<LoadedImage>(2);

export function openModel(source: ModelSource): Promise<OpenModel> {
  return models.get(keyOfModel(source), async () => {
    const name = source.kind === "file" ? source.file.name : `kodak16-${source.name}.safetensors`;
    const file = source.kind === "file" ? source.file : await packageFile(name);
    const model = await readModelFile(file, name);
    return { model, reading: requireReading(model, name) };
  });
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
