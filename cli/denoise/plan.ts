/** Plans which picture becomes which file, and rejects impossible plans before any work. */
import { stat } from "node:fs/promises";
import { basename, extname, join, parse, relative, resolve } from "node:path";
import { GaussianizeError, UsageError } from "../../src/errors.js";
import { findImages } from "../../node/find-images.js";
import { pictureFormatOf } from "../../node/pictures/write-picture.js";
import { requireWritable } from "../../node/write-atomically.js";
import type { SkippedFiles } from "../skipped-files.js";
import type { DenoiseOptions } from "./options.js";

export interface DenoisingTask {
  readonly path: string;
  readonly output?: string;
  /** File of --compare. */
  readonly comparison?: string;
  /** File of the clean picture. */
  readonly reference?: string;
}

interface Input {
  readonly path: string;
  /** Path below the named folder, or the bare file name. */
  readonly name: string;
}

/** Pictures with other endings become PNG. */
const writableEnding = /\.(png|jpe?g|webp|tiff?)$/i;

export async function planOf(
  patterns: readonly string[],
  options: DenoiseOptions,
  skipped: SkippedFiles,
): Promise<readonly DenoisingTask[]> {
  const inputs = await inputsOf(patterns, skipped);
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

/** Checks that outputs can be written. Only an output folder is created, not that of a file. */
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
  { add: onPassedOver }: SkippedFiles,
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

/** Returns a file for one picture; files in a folder for several, or if `output` is a folder. */
async function outputsOf(
  inputs: readonly Input[],
  output: string | undefined,
): Promise<readonly string[] | undefined> {
  if (output === undefined) return undefined;
  const isOld = await isFolder(output);
  const isMeant = isOld || /[/\\]$/.test(output) || extname(output) === "";
  if (inputs.length === 1 && !isMeant) {
    pictureFormatOf(output);
    return [output];
  }
  if (!isOld && (await exists(output))) {
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

/** Returns the reference itself, or the picture of the same name, with any ending, in a folder. */
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
    `No reference for ${name}: there is no ${stem} in ${join(reference, dir)}.`,
  );
}

/** Rejects pictures that would become the same file. */
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

/** Rejects outputs that would overwrite an input, except a picture with --force. */
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

/** Returns the same text for all names and links of a file; undefined if it does not exist. */
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
