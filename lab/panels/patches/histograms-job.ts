/** Job: measures how Gaussian models make the patches of a picture. */
import { gaussianize } from "../../../src/density/induced-density.js";
import {
  type Gaussianity,
  componentGaussianity,
  lengthGaussianity,
} from "../../../src/evaluation/gaussianity.js";
import type { Job } from "../../compute/job.js";
import type { NamedFile } from "../../named-file.js";
import type { ModelSource } from "./model-source.js";
import { openModel, openPicture, randomSamples } from "./open-sources.js";
import { histogramPatches } from "./settings.js";

export interface PatchHistograms {
  readonly title: string;
  readonly dimension: number;
  readonly components: Gaussianity;
  readonly lengths: Gaussianity;
}

/** Takes the same patches for all models of the same patch size. */
export const measureHistograms: Job<
  { readonly models: readonly ModelSource[]; readonly picture: NamedFile; readonly seed: number },
  readonly PatchHistograms[],
  /** Fraction done. */
  number
> = async ({ models, picture, seed }, { runner, signal, report }) => {
  const found: PatchHistograms[] = [];
  for (const [k, source] of models.entries()) {
    const { model, reading } = await openModel(source);
    const image = await openPicture(picture, reading);
    const x = randomSamples(image, reading, histogramPatches, seed);
    const { y } = await gaussianize(runner, model.transform, x, {
      signal,
      onProgress: (done, total) => {
        report((k + done / total) / models.length);
      },
    });
    const { dimension } = model.transform;
    found.push({
      title: model.about.name ?? (source.kind === "file" ? source.file.name : source.name),
      dimension,
      components: componentGaussianity(y, dimension),
      lengths: lengthGaussianity(y, dimension),
    });
  }
  return found;
};
