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
import { bytesOfFile } from "./bytes-of-file.js";

/** Patches of 32×32 pixels. Twice as many, 2025, took 19 s to read and 48 s for the shapes of the filters, on a busy machine. */
const mostDimensions = 1024;

/** @throws GaussianizeError where it is no model */
export async function readAnyModelFile(file: Blob, name: string): Promise<AnyModel> {
  if (await isCheckpointFile(file)) {
    const advice =
      "drop it on Train to go on with the fit, or take the model.safetensors or preview.safetensors that is in the folder of the run";
    throw new GaussianizeError(`${name} is the checkpoint of a fit, not a model: ${advice}.`);
  }
  const dimensions = await dimensionsOf(file);
  if (dimensions > mostDimensions) {
    const most = `at most ${mostDimensions}, as of patches of 32×32 pixels, are possible here`;
    throw new GaussianizeError(`${name} has ${dimensions} dimensions; ${most}.`);
  }
  return decodeModel(await bytesOfFile(file, name), name);
}

/** By the format that its first bytes name: what is wrong with the rest is said by whoever reads it. */
export async function isCheckpointFile(file: Blob): Promise<boolean> {
  const beginning = await file.slice(0, 100_000).arrayBuffer();
  return new TextDecoder("latin1").decode(beginning).includes('"format":"gaussianize-checkpoint"');
}

/** Of the header: no model has as much to say, and other files may claim anything. */
const longestHeader = 2 ** 20;

/** By the header alone, the longest side of a parameter; 0 where it has none to read, which decodeModel says better. */
async function dimensionsOf(file: Blob): Promise<number> {
  try {
    const [length] = new BigUint64Array(await file.slice(0, 8).arrayBuffer());
    if (length > longestHeader) return 0;
    const header = JSON.parse(await file.slice(8, 8 + Number(length)).text()) as object;
    const sides = Object.values(header).flatMap(
      (entry: { shape?: readonly number[] } | null) => entry?.shape ?? [],
    );
    return sides.reduce((most, side) => Math.max(most, side), 0);
  } catch {
    return 0;
  }
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
