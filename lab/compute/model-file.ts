/** Model files that somebody dropped: anything may be in them. */
import {
  GaussianizeError,
  type Model,
  type TaskRunner,
  decodeModel,
  requirePatchModel,
  verify,
} from "../../src/index.js";

const mostBytes = 2 ** 28;

/** @throws GaussianizeError where it is no model, or one of whole images */
export async function readModelFile(file: Blob, name: string): Promise<Model> {
  if (file.size > mostBytes) throw new GaussianizeError(`${name} is too large for this page.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  return requirePatchModel(decodeModel(bytes, name), name);
}

/** Why a model cannot be drawn from; null where it can. */
export async function whyNoDraws(runner: TaskRunner, { transform }: Model): Promise<string | null> {
  const { invertible } = await verify(runner, transform, null);
  return invertible ? null : "This model is not onto: there is no density to draw from.";
}
