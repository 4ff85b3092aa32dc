/** Dropped model files. Their contents are not trusted. */
import type { Density } from "../../src/density/density.js";
import { decodeModel } from "../../src/density/model-files/model-file.js";
import type { AnyModel } from "../../src/density/model-files/model.js";
import { GaussianizeError } from "../../src/errors.js";
import { thousands } from "../../src/numbers/format-number.js";

/**
 * Dimensions of 32×32 patches. With 2025 dimensions, reading took 19 s and the filter shapes 48 s
 * on a busy machine.
 */
const mostDimensions = 1024;

/** @throws GaussianizeError if the file is not a model */
export async function readAnyModelFile(file: Blob, name: string): Promise<AnyModel> {
  if (await isCheckpointFile(file)) {
    const advice =
      "Drop it on Train to resume the fit, or use model.safetensors or preview.safetensors from its folder";
    throw new GaussianizeError(
      "unsupported-file",
      `${name} is a checkpoint, not a model. ${advice}.`,
    );
  }
  const dimensions = await dimensionsOf(file);
  if (dimensions > mostDimensions) {
    const most = `The lab reads at most ${mostDimensions} (patches or blocks of 32×32 pixels)`;
    throw new GaussianizeError(
      "unsupported-file",
      `${name} has ${dimensions} dimensions. ${most}.`,
    );
  }
  return decodeModel(await bytesOfFile(file, name), name);
}

/** In bytes. Larger files cannot be models of the lab and would fill the memory. */
const largestFile = 2 ** 28;

/** Reads a file up to a size. Errors call it `name`. */
export async function bytesOfFile(
  file: Blob,
  name: string,
  mostBytes = largestFile,
): Promise<Uint8Array<ArrayBuffer>> {
  if (file.size > mostBytes) {
    const [size, most] = [file.size, mostBytes].map((bytes) => thousands(Math.round(bytes / 1e6)));
    throw new GaussianizeError(
      "unsupported-file",
      `${name} is too large for this page: it has ${size} MB, and the page reads at most ${most} MB.`,
    );
  }
  return new Uint8Array(await file.arrayBuffer());
}

/** Returns whether the first bytes name the format of checkpoints. */
export async function isCheckpointFile(file: Blob): Promise<boolean> {
  const beginning = await file.slice(0, 100_000).arrayBuffer();
  return new TextDecoder("latin1").decode(beginning).includes('"format":"gaussianize-checkpoint"');
}

/** Longest header of a model, in bytes. Other files may claim any length. */
const longestHeader = 2 ** 20;

/**
 * Returns the longest side of a parameter, from the header alone; 0 if the header is damaged, which
 * decodeModel reports.
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

/** Returns why a density cannot be sampled; null if it can. */
export async function whyNoDraws(density: Density, signal: AbortSignal): Promise<string | null> {
  const { invertible } = await density.verify(null, { signal });
  return invertible ? null : "This model is not onto, so it cannot be sampled.";
}
