/** Model files that somebody dropped: anything may be in them. */
import type { Density } from "../../src/density/density.js";
import { decodeModel } from "../../src/density/model-files/model-file.js";
import {
  type AnyModel,
  type Model,
  requirePatchModel,
} from "../../src/density/model-files/model.js";
import { GaussianizeError } from "../../src/errors.js";

/**
 * Patches of 32×32 pixels. Twice as many, 2025, took 19 s to read and 48 s for the shapes of the
 * filters, on a busy machine.
 */
const mostDimensions = 1024;

/** @throws GaussianizeError where it is no model */
export async function readAnyModelFile(file: Blob, name: string): Promise<AnyModel> {
  if (await isCheckpointFile(file)) {
    const advice =
      "drop it on Train to go on with the fit, or take the model.safetensors or preview.safetensors that is in the folder of the run";
    throw new GaussianizeError(
      "unsupported-file",
      `${name} is the checkpoint of a fit, not a model: ${advice}.`,
    );
  }
  const dimensions = await dimensionsOf(file);
  if (dimensions > mostDimensions) {
    const most = `at most ${mostDimensions}, as of patches of 32×32 pixels, are possible here`;
    throw new GaussianizeError(
      "unsupported-file",
      `${name} has ${dimensions} dimensions; ${most}.`,
    );
  }
  return decodeModel(await bytesOfFile(file, name), name);
}

/** In bytes. Larger files are none of ours, and would leave no room for anything else. */
const largestFile = 2 ** 28;

/** Reads a file up to a size; `name` is what an error calls it. */
export async function bytesOfFile(
  file: Blob,
  name: string,
  mostBytes = largestFile,
): Promise<Uint8Array<ArrayBuffer>> {
  if (file.size > mostBytes)
    throw new GaussianizeError("unsupported-file", `${name} is too large for this page.`);
  return new Uint8Array(await file.arrayBuffer());
}

/**
 * By the format that its first bytes name: what is wrong with the rest is said by whoever reads it.
 */
export async function isCheckpointFile(file: Blob): Promise<boolean> {
  const beginning = await file.slice(0, 100_000).arrayBuffer();
  return new TextDecoder("latin1").decode(beginning).includes('"format":"gaussianize-checkpoint"');
}

/** Bytes of a header: no model has more to say, and other files may claim anything. */
const longestHeader = 2 ** 20;

/**
 * By the header alone, the longest side of a parameter; 0 where it has none to read, which
 * decodeModel says better.
 */
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

/** Says why a density cannot be drawn from; null where it can. */
export async function whyNoDraws(density: Density, signal: AbortSignal): Promise<string | null> {
  const { invertible } = await density.verify(null, { signal });
  return invertible ? null : "This model is not onto: there is no density to draw from.";
}
