/** Model files that somebody dropped: anything may be in them. */
import {
  type AnyModel,
  GaussianizeError,
  type Model,
  type TaskRunner,
  decodeModel,
  isImageModel,
  requirePatchModel,
  verify,
  verifyImageCascade,
} from "../../src/index.js";

const mostBytes = 2 ** 28;

/** @throws GaussianizeError where it is no model */
export async function readAnyModelFile(file: Blob, name: string): Promise<AnyModel> {
  if (file.size > mostBytes) throw new GaussianizeError(`${name} is too large for this page.`);
  return decodeModel(new Uint8Array(await file.arrayBuffer()), name);
}

/** @throws GaussianizeError where it is no model, or one of whole images */
export async function readModelFile(file: Blob, name: string): Promise<Model> {
  return requirePatchModel(await readAnyModelFile(file, name), name);
}

/** Why a model cannot be drawn from; null where it can. */
export async function whyNoDraws(
  runner: TaskRunner,
  model: AnyModel,
  signal: AbortSignal,
): Promise<string | null> {
  const { invertible } = isImageModel(model)
    ? await verifyImageCascade(runner, model.transform, null, { signal })
    : await verify(runner, model.transform, null, { signal });
  return invertible ? null : "This model is not onto: there is no density to draw from.";
}
