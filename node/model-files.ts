/** Reads and writes .safetensors files. An error while reading names the file. */
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
import { codeOf, exists, fileError } from "./files.js";
import { writeAtomically } from "./write-atomically.js";

/** Largest file that Node reads in one piece. */
const mostBytes = 2 ** 31 - 1;

/** Writes a model file, completely or not at all. */
export async function writeModel(path: string, model: AnyModel): Promise<void> {
  await writeAtomically(path, encodeModel(model));
}

export async function readModel(path: string): Promise<AnyModel> {
  return decodeModel(await readModelBytes(path), path);
}

/** Reads a model of patches with a transform; rejects mixtures and models of whole images. */
export async function readPatchModel(path: string): Promise<Model> {
  return requirePatchModel(await readModel(path), path);
}

/** Reads a model of whole images; rejects models of patches. */
export async function readImageModel(path: string): Promise<ImageModel> {
  return requireImageModel(await readModel(path), path);
}

/** Reads guided densities and their description. */
export async function readGuided(path: string): Promise<GuidedFile> {
  return decodeGuided(await readModelBytes(path), path);
}

/** Reads a file that should be a model. */
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
    if (codeOf(error) !== "EISDIR") throw fileError("read", path, error);
    const model = join(path, "model.safetensors");
    const hint = (await exists(model)) ? `; its model is ${model}` : "";
    throw new GaussianizeError("cannot-read", `Cannot read ${path}: it is a folder${hint}.`, {
      cause: error,
    });
  }
}
