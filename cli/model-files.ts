/** What the commands that work on a model file ask of it before they begin. */
import { stat } from "node:fs/promises";
import type { Density } from "../src/density/density.js";
import { readingOf } from "../src/density/model-files/model-reading.js";
import { UsageError } from "../src/errors.js";
import { thousands } from "../src/numbers/format-number.js";
import type { ImageReading } from "../src/patches/image-reading.js";
import { type NodeDensity, openDensity } from "../node/open-density.js";
import { requireWritable } from "../node/write-atomically.js";

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

/** The density of a model file, with the workers of `--workers`, which start on first use. */
export function openModel(
  path: string,
  { workers }: { readonly workers?: number },
): Promise<NodeDensity> {
  return openDensity(path, workers === undefined ? {} : { workers });
}

/**
 * Where a command needs patches, how they are cut from images; `advice` says what works without
 * them.
 */
export function requirePatches(
  { model, dimension }: Density,
  path: string,
  advice: string,
): ImageReading {
  const reading = readingOf(model);
  if (reading) return reading;
  throw new UsageError(
    `${path} does not say how its ${dimension} dimensions form a square patch; ${advice}.`,
  );
}

const ofKind = { patches: "patches", images: "whole images" } as const;

/** Refuses options that mean something for the other kind of models only. */
export function refuseOptions<T extends object>(
  { kind }: Pick<Density, "kind">,
  path: string,
  options: T,
  names: Partial<Readonly<Record<Density["kind"], readonly (keyof T & string)[]>>>,
): void {
  const other = kind === "images" ? "patches" : "images";
  const given = names[other]?.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  throw new UsageError(
    `--${given} is for models of ${ofKind[other]}; ${path} is one of ${ofKind[kind]}`,
  );
}

/**
 * Refuses what would not fit the memory, rather than to die of it; `form` says what the limit is
 * for.
 */
export function requireCount(
  option: string,
  count: number,
  dimension: number,
  mostValues: number,
  form = "",
): void {
  const most = Math.floor(mostValues / dimension);
  if (count <= most) return;
  throw new UsageError(
    `${option} must be at most ${thousands(most)} for a model of ${dimension} dimensions${form}; received ${thousands(count)}`,
  );
}
