/** Checks and steps that the commands for model files share. */
import { stat } from "node:fs/promises";
import type { Density } from "../src/density/density.js";
import { readingOf } from "../src/density/model-files/model-reading.js";
import { UsageError } from "../src/errors.js";
import { thousands } from "../src/numbers/format-number.js";
import type { TaskRunner } from "../src/parallel/job.js";
import type { ImageReading } from "../src/patches/image-reading.js";
import { type NodeDensity, openDensity } from "../node/open-density.js";
import { requireWritable } from "../node/write-atomically.js";
import { openRunner } from "../node/worker-threads.js";
import type { RunnerOptions } from "../src/parallel/open-runner.js";

/** Rejects, before any work, an output that cannot be written or that is the model itself. */
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

interface Workers {
  readonly workers?: number;
}

/** Opens the density of a model file; its workers start on first use. */
export function openModel(path: string, { workers }: Workers): Promise<NodeDensity> {
  return openDensity(path, workers === undefined ? {} : { workers });
}

/** Works with the threads of --workers, this one included, and closes them afterwards. */
export async function withRunner<Result>(
  { workers }: Workers,
  work: (runner: TaskRunner) => Promise<Result>,
  kernels: RunnerOptions = {},
): Promise<Result> {
  const threads = workers === undefined ? {} : { workers };
  const runner = await openRunner({ callerWorks: true, ...threads, ...kernels });
  try {
    return await work(runner);
  } finally {
    await runner.close();
  }
}

/** Returns how a model's patches are cut from images; an error adds `advice`. */
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

/** Rejects options that only the other kind of models has. */
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
    `--${given} is for models of ${ofKind[other]}; ${path} is a model of ${ofKind[kind]}`,
  );
}

/** Rejects a count that would not fit into memory; `form` names the output with this limit. */
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
