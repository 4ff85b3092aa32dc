/**
 * Which picture becomes which file: everything that can be refused before the first one is read.
 */
import { stat } from "node:fs/promises";
import { basename, extname, join, parse, relative, resolve } from "node:path";
import { GaussianizeError, UsageError } from "../../src/errors.js";
import { findImages } from "../../node/find-images.js";
import { pictureFormatOf } from "../../node/pictures/write-picture.js";
import { requireWritable } from "../../node/write-atomically.js";
import type { PassedOver } from "../passed-over.js";
import type { DenoiseOptions } from "./options.js";

export interface DenoisingTask {
  readonly path: string;
  readonly output?: string;
  /** The picture beside the output that shows both. */
  readonly comparison?: string;
  /** The same picture without noise. */
  readonly reference?: string;
}

interface Input {
  readonly path: string;
  /** Below the folder that was named, or without any. */
  readonly name: string;
}

/** Endings of what can be read and not be written, or of nothing: those pictures become PNG. */
const writableEnding = /\.(png|jpe?g|webp|tiff?)$/i;

export async function planOf(
  patterns: readonly string[],
  options: DenoiseOptions,
  passedOver: PassedOver,
): Promise<readonly DenoisingTask[]> {
  const inputs = await inputsOf(patterns, passedOver);
  const outputs = await outputsOf(inputs, options.output);
  const tasks: DenoisingTask[] = [];
  for (const [k, { path, name }] of inputs.entries()) {
    const output = outputs?.[k];
    const reference = await referenceOf(name, inputs.length, options.reference);
    tasks.push({
      path,
      ...(output !== undefined && { output }),
      ...(output !== undefined && options.compare && { comparison: comparisonOf(output) }),
      ...(reference !== undefined && { reference }),
    });
  }
  requireDistinct(tasks);
  await requireKept(tasks, options);
  await requireOutputs(tasks, options);
  return tasks;
}

/** A folder is made where it was asked for; a file must be in one that is there. */
async function requireOutputs(
  tasks: readonly DenoisingTask[],
  { output: given }: DenoiseOptions,
): Promise<void> {
  for (const { output, comparison } of tasks) {
    for (const file of [output, comparison]) {
      if (file !== undefined) await requireWritable(file, { makesFolders: output !== given });
    }
  }
}

async function inputsOf(
  patterns: readonly string[],
  { add: onPassedOver }: PassedOver,
): Promise<readonly Input[]> {
  const inputs = new Map<string, Input>();
  for (const pattern of patterns) {
    const isNamed = await isFolder(pattern);
    for (const path of await findImages([pattern], { archives: false, onPassedOver })) {
      const name = isNamed ? relative(pattern, path) : basename(path);
      if (!inputs.has(resolve(path))) inputs.set(resolve(path), { path, name });
    }
  }
  return [...inputs.values()];
}

/** A file for one picture; a folder for several, or where the name is one of a folder. */
async function outputsOf(
  inputs: readonly Input[],
  output: string | undefined,
): Promise<readonly string[] | undefined> {
  if (output === undefined) return undefined;
  const isThere = await isFolder(output);
  const isMeant = isThere || /[/\\]$/.test(output) || extname(output) === "";
  if (inputs.length === 1 && !isMeant) {
    pictureFormatOf(output);
    return [output];
  }
  if (!isThere && (await exists(output))) {
    throw new UsageError(`-o must be a folder for ${inputs.length} pictures; ${output} is a file`);
  }
  if (!isMeant && writableEnding.test(output)) {
    throw new UsageError(
      `-o must be a folder for ${inputs.length} pictures; received the file name ${output}`,
    );
  }
  return inputs.map(({ name }) => join(output, writableEnding.test(name) ? name : `${name}.png`));
}

function comparisonOf(output: string): string {
  const { dir, name } = parse(output);
  return join(dir, `${name}-compare.png`);
}

/**
 * The file itself for one picture, or the one of the same name in a folder, whatever the ending.
 */
async function referenceOf(
  name: string,
  count: number,
  reference: string | undefined,
): Promise<string | undefined> {
  if (reference === undefined) return undefined;
  if (!(await isFolder(reference))) {
    if (count === 1) return reference;
    throw new UsageError(
      `--reference must be a folder for ${count} pictures; received ${reference}`,
    );
  }
  const { dir, name: stem } = parse(name);
  const endings = [extname(name), ".png", ".tif", ".tiff", ".webp", ".jpg", ".jpeg"];
  for (const ending of endings) {
    const path = join(reference, dir, `${stem}${ending}`);
    if (await exists(path)) return path;
  }
  throw new GaussianizeError(
    "cannot-read",
    `Found no reference for ${name}: there is no ${stem} in ${join(reference, dir)}.`,
  );
}

/** Two pictures of the same name would become one file. */
function requireDistinct(tasks: readonly DenoisingTask[]): void {
  const sources = new Map<string, string>();
  for (const { path, output, comparison } of tasks) {
    for (const file of [output, comparison]) {
      if (file === undefined) continue;
      const other = sources.get(resolve(file));
      if (other !== undefined) {
        throw new UsageError(`${other} and ${path} would both become ${file}`);
      }
      sources.set(resolve(file), path);
    }
  }
}

/** What is read is not written over, unless the picture itself is to be replaced. */
async function requireKept(
  tasks: readonly DenoisingTask[],
  { force, model }: DenoiseOptions,
): Promise<void> {
  const others = [model, ...tasks.map(({ reference }) => reference)];
  const [inputs, kept] = await Promise.all([
    identitiesOf(tasks.map(({ path }) => path)),
    identitiesOf(others.flatMap((path) => (path === undefined ? [] : [path]))),
  ]);
  for (const { output, comparison } of tasks) {
    for (const file of [output, comparison]) {
      const identity = file === undefined ? undefined : await identityOf(file);
      if (file === undefined || identity === undefined) continue;
      if (kept.has(identity)) {
        throw new UsageError(
          `${file} is the reference or the model; the output must be another file`,
        );
      }
      if (inputs.has(identity) && (file === comparison || !force)) {
        throw new UsageError(
          `${file} is one of the pictures to denoise: give another -o, or --force to replace it`,
        );
      }
    }
  }
}

async function identitiesOf(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await Promise.all(paths.map(identityOf));
  return new Set(found.flatMap((identity) => identity ?? []));
}

/** The same for all names and links of a file; undefined where there is none. */
async function identityOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && `${found.dev}:${found.ino}`;
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
