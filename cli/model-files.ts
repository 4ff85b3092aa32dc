/** What the commands that work on a model file ask of it before they begin. */
import { stat } from "node:fs/promises";
import { type ImageReading, type Model, UsageError, readingOf } from "../src/index.js";
import { requireWritable } from "../node/index.js";
import { thousands } from "./text.js";

/** Refuses, before any work, an output that cannot be written or that is the model itself. */
export async function requireOutput(output: string | undefined, model: string): Promise<void> {
  if (output === undefined) return;
  const [target, source] = await Promise.all(
    [output, model].map((path) => stat(path).catch(() => undefined)),
  );
  if (target && target.dev === source?.dev && target.ino === source.ino) {
    throw new UsageError(`${output} is the model itself; the output must be another file.`);
  }
  await requireWritable(output);
}

/** Where a command needs patches, how they are cut from images; `advice` says what works without them. */
export function requirePatches(model: Model, path: string, advice: string): ImageReading {
  const reading = readingOf(model);
  if (reading) return reading;
  throw new UsageError(
    `${path} does not say how its ${model.transform.dimension} dimensions form a square patch; ${advice}.`,
  );
}

/** Refuses options that mean nothing for a model of whole images. */
export function refusePatchOptions<T extends object>(
  path: string,
  options: T,
  names: readonly (keyof T & string)[],
): void {
  const given = names.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  throw new UsageError(`--${given} is for models of patches; ${path} is one of whole images.`);
}

/** Refuses what would not fit the memory, rather than to die of it; `form` says what the limit is for. */
export function requireCount(
  option: string,
  count: number,
  { transform: { dimension } }: Model,
  mostValues: number,
  form = "",
): void {
  const most = Math.floor(mostValues / dimension);
  if (count <= most) return;
  throw new UsageError(
    `${option} must be at most ${thousands(most)} for a model of ${dimension} dimensions${form}; received ${thousands(count)}`,
  );
}
