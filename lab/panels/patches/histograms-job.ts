/** How normal a model makes the patches of a picture. */
import {
  type Gaussianity,
  componentGaussianity,
  gaussianize,
  lengthGaussianity,
} from "../../../src/index.js";
import type { LabJob, Perform } from "../../compute/job.js";
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

export type MeasureHistograms = LabJob<
  { readonly models: readonly ModelSource[]; readonly picture: NamedFile; readonly seed: number },
  readonly PatchHistograms[],
  /** Part that is done. */
  number
>;

/** Of the same patches for all models, as far as they are of one size. */
export const measureHistograms: Perform<MeasureHistograms> = async (input, context) => {
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
      ...{ title, dimension },
      components: componentGaussianity(y, dimension),
      lengths: lengthGaussianity(y, dimension),
    });
  }
  return found;
};
