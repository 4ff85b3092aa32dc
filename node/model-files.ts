import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { decodeModel, encodeModel } from "../src/density/model-files/model-file.js";
import {
  type AnyModel,
  type ImageModel,
  type Model,
  requireImageModel,
  requirePatchModel,
} from "../src/density/model-files/model.js";
import { type GuidedFile, decodeGuided } from "../src/denoising/guided/guided-file.js";
import { GaussianizeError } from "../src/errors.js";
import { fileError } from "./file-errors.js";
import { writeAtomically } from "./write-atomically.js";

/** What Node reads in one piece. */
const mostBytes = 2 ** 31 - 1;

/** Writes a .safetensors file, completely or not at all. */
export async function writeModel(path: string, model: AnyModel): Promise<void> {
  await writeAtomically(path, encodeModel(model));
}

/**
 * Reads a .safetensors file; what is wrong with it is said in one sentence that begins with its
 * path.
 */
export async function readModel(path: string): Promise<AnyModel> {
  return decodeModel(await readModelBytes(path), path);
}

/** The same for callers who work on patches: models of whole images are refused. */
export async function readPatchModel(path: string): Promise<Model> {
  return requirePatchModel(await readModel(path), path);
}

/** The same for callers who work on whole images. */
export async function readImageModel(path: string): Promise<ImageModel> {
  return requireImageModel(await readModel(path), path);
}

/**
 * Reads guided densities, and what the file tells about them; what is wrong with the file is said
 * in one sentence that begins with its path.
 */
export async function readGuided(path: string): Promise<GuidedFile> {
  return decodeGuided(await readModelBytes(path), path);
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Reads a file that should be one of ours. */
export async function readModelBytes(path: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    if (size > mostBytes) {
      throw new GaussianizeError(
        "unsupported-file",
        `Cannot read ${path}: it has ${size} bytes, more than 2 GB.`,
      );
    }
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EISDIR") {
      const model = join(path, "model.safetensors");
      const hint = (await isThere(model)) ? `; its model is ${model}` : "";
      throw new GaussianizeError("cannot-read", `Cannot read ${path}: it is a folder${hint}.`, {
        cause: error,
      });
    }
    throw fileError("read", path, error);
  }
}
