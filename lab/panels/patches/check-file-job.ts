/** Jobs: whether dropped files are any use here, before they take the place of what is there. */
import { GaussianizeError } from "../../../src/index.js";
import type { LabJob, Perform } from "../../compute/job.js";
import type { NamedFile } from "../../named-file.js";
import type { ModelSource } from "./model-source.js";
import { openModel } from "./open-model.js";
import { openPicture } from "./picture-source.js";

/** Fails where it is no model of patches. */
export type CheckModel = LabJob<ModelSource, { readonly patchSide: number }>;

export const checkModel: Perform<CheckModel> = async (source) => {
  const { reading } = await openModel(source);
  return { patchSide: reading.layout.size };
};

/** Fails where it is no picture, or has no room for a patch of the model. */
export type CheckPatchesPicture = LabJob<
  { readonly model: ModelSource; readonly picture: NamedFile },
  null
>;

export const checkPatchesPicture: Perform<CheckPatchesPicture> = async ({ model, picture }) => {
  const { reading } = await openModel(model);
  const { width, height } = await openPicture(picture, reading);
  const { size } = reading.layout;
  if (Math.min(width, height) >= size) return null;
  throw new GaussianizeError(
    `${picture.file.name} is ${width}×${height} pixels, smaller than the ${size}×${size} patches of the model.`,
  );
};
