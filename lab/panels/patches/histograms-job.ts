/** Job: measures how normal models make the patches of a picture. */
import { gaussianize } from "../../../src/density/induced-density.js";
import {
  type Gaussianity,
  componentGaussianity,
  lengthGaussianity,
} from "../../../src/evaluation/gaussianity.js";
import type { Job } from "../../compute/job.js";
import type { NamedFile } from "../../named-file.js";
import type { ModelSource } from "./model-source.js";
import { openModel } from "./open-model.js";
import { openPicture, randomSamples } from "./picture-source.js";
import { histogramPatches } from "./settings.js";

export interface PatchHistograms {
  readonly title: string;
  readonly dimension: number;
  readonly components: Gaussianity;
  readonly lengths: Gaussianity;
}

/** Takes the same patches for all models, as far as they are of one size. */
export const measureHistograms: Job<
  { readonly models: readonly ModelSource[]; readonly picture: NamedFile; readonly seed: number },
  readonly PatchHistograms[],
  /** Part that is done. */
  number
> = async (input, context) => {
  const { models, picture, seed } = input;
  const found: PatchHistograms[] = [];
  for (const [k, source] of models.entries()) {
    const { model, reading } = await openModel(source);
    const image = await openPicture(picture, reading);
    const x = randomSamples(image, reading, histogramPatches, seed);
    const { y } = await gaussianize(context.runner, model.transform, x, {
      signal: context.signal,
      onProgress: (done, total) => {
        context.report((k + done / total) / models.length);
      },
    });
    const { dimension } = model.transform;
    const title = model.about.name ?? (source.kind === "file" ? source.file.name : source.name);
    found.push({
      title,
      dimension,
      components: componentGaussianity(y, dimension),
      lengths: lengthGaussianity(y, dimension),
    });
  }
  return found;
};
