/** Model files that somebody dropped: anything may be in them. */
import {
  type AnyModel,
  type Model,
  type TaskRunner,
  decodeModel,
  isImageModel,
  requirePatchModel,
  verify,
  verifyImageCascade,
} from "../../src/index.js";
import { bytesOfFile } from "./bytes-of-file.js";

/** @throws GaussianizeError where it is no model */
export async function readAnyModelFile(file: Blob, name: string): Promise<AnyModel> {
  return decodeModel(await bytesOfFile(file, name), name);
}

/** @throws GaussianizeError where it is no model, or one of whole images */
export async function readModelFile(file: Blob, name: string): Promise<Model> {
  return requirePatchModel(await readAnyModelFile(file, name), name);
}

/** Why a model cannot be drawn from; null where it can. */
export async function whyNoDraws(runner: TaskRunner, model: AnyModel): Promise<string | null> {
  const { invertible } = isImageModel(model)
    ? await verifyImageCascade(runner, model.transform, null)
    : await verify(runner, model.transform, null);
  return invertible ? null : "This model is not onto: there is no density to draw from.";
}
