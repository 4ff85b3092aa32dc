/**
 * What a fit leaves on the disk, from its first second on:
 *
 *   config.json              what was asked for, with the images that were found: all that `--resume` needs
 *   metrics.jsonl            one line each time that progress was noted
 *   checkpoint.safetensors   where it stands; replaced whole, never half
 *   preview.safetensors      the model as it would be if the fit ended now, to look at meanwhile
 *   model.safetensors        what came out
 *   lock.json                while a process is at work on it
 */
import { createHash } from "node:crypto";
import { appendFile, mkdir, readFile, readdir, rm, rmdir, stat, truncate } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type JsonObject, isJsonObject, parseJson } from "../src/density/model-files/json.js";
import type { AnyModel } from "../src/density/model-files/model.js";
import { GaussianizeError } from "../src/errors.js";
import { fileError } from "./file-errors.js";
import { writeModel } from "./model-files.js";
import { takeLock } from "./run-lock.js";
import { isTemporary, writeAtomically } from "./write-atomically.js";

export const fileNames = {
  config: "config.json",
  metrics: "metrics.jsonl",
  checkpoint: "checkpoint.safetensors",
  preview: "preview.safetensors",
  model: "model.safetensors",
  lock: "lock.json",
} as const;

const fileKind = { format: "gaussianize-run", version: "1" } as const;

/** Makes the folder of a run, if need be, and keeps other processes from it until what is returned is called. */
export async function enterFolder(folder: string): Promise<() => Promise<void>> {
  const wasThere = await stat(folder).then(
    () => true,
    () => false,
  );
  await makeFolder(folder);
  const unlock = await takeLock(join(folder, fileNames.lock));
  // Of a process that was killed while it wrote.
  for (const name of (await readdir(folder)).filter(isTemporary)) {
    await rm(join(folder, name), { force: true });
  }
  return async () => {
    await unlock();
    // What came to nothing leaves nothing; a folder with files in it stays by itself.
    if (!wasThere) await rmdir(folder).catch(() => undefined);
  };
}

/** What is at a path before a run begins there. */
export type FolderContent = "nothing" | "run" | "other files" | "a file";

export async function contentOf(folder: string): Promise<FolderContent> {
  try {
    const names = await readdir(folder);
    // What was killed before it wrote its first file left a lock and that file's temporary name at most.
    if (names.every((name) => isOwn(name) && name !== fileNames.config)) return "nothing";
    // Others keep their configurations under that name, too.
    const isRun =
      names.includes(fileNames.config) && (await isConfig(join(folder, fileNames.config)));
    return isRun ? "run" : "other files";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "nothing";
    if (code === "ENOTDIR" && (await isFile(folder))) return "a file";
    throw fileError("write", folder, error);
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => !stats.isDirectory(),
    () => false,
  );
}

function isOwn(name: string): boolean {
  return isTemporary(name) || Object.values<string>(fileNames).includes(name);
}

async function isConfig(path: string): Promise<boolean> {
  return configIn(await readFile(path, "utf8")) !== undefined;
}

/** Undefined where it is not the configuration of a run. */
export function configIn(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text, fileNames.config);
    if (!isJsonObject(value) || value.format !== fileKind.format) return undefined;
    return value;
  } catch {
    return undefined;
  }
}

/** With all folders above it. (Node's own way of doing that never ends where the system allows no folders, as in /proc.) */
export async function makeFolder(folder: string): Promise<void> {
  try {
    if (!(await isMade(folder))) {
      await makeFolder(dirname(folder));
      await mkdir(folder);
    }
  } catch (error) {
    throw fileError("write", folder, error);
  }
}

/** False where the folder above is missing. */
async function isMade(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && !(await stat(dirname(folder)).catch(() => undefined))) return false;
    if (code === "EEXIST" && (await stat(folder)).isDirectory()) return true;
    throw error;
  }
}

export class RunFolder {
  private constructor(
    readonly folder: string,
    readonly config: JsonObject,
    /** What tells this run, with this configuration, from all others. */
    readonly id: string,
  ) {}

  /** Begins a run; one that was there before is forgotten, other files are left alone. */
  static async create(folder: string, config: JsonObject): Promise<RunFolder> {
    const text = `${JSON.stringify({ ...fileKind, ...config }, null, 2)}\n`;
    const run = new RunFolder(folder, config, hashOf(text));
    try {
      // Before the new configuration is there: it must not go on with a checkpoint of the old one.
      for (const name of ["checkpoint", "metrics", "preview", "model"] as const) {
        await rm(run.path(name), { force: true });
      }
    } catch (error) {
      throw fileError("write", folder, error);
    }
    await writeAtomically(run.path("config"), new TextEncoder().encode(text));
    return run;
  }

  /** Of another process, which has opened it. */
  static known(folder: string, config: JsonObject, id: string): RunFolder {
    return new RunFolder(folder, config, id);
  }

  static async open(folder: string): Promise<RunFolder> {
    const path = join(folder, fileNames.config);
    const text = await readFile(path, "utf8").catch((error: unknown) => {
      throw fileError("read", path, error);
    });
    const value = parseJson(text, path);
    const { format, version, ...config } = isJsonObject(value) ? value : {};
    if (format !== fileKind.format) {
      throw new GaussianizeError(`${path} is not the configuration of a run of gaussianize.`);
    }
    if (version === fileKind.version) return new RunFolder(folder, config, hashOf(text));
    throw new GaussianizeError(
      `${path} has version ${JSON.stringify(version)}; this program reads version "${fileKind.version}".`,
    );
  }

  path(name: keyof typeof fileNames): string {
    return join(this.folder, fileNames[name]);
  }

  async has(name: keyof typeof fileNames): Promise<boolean> {
    return stat(this.path(name)).then(
      () => true,
      () => false,
    );
  }

  writeCheckpoint(bytes: Uint8Array): Promise<void> {
    return writeAtomically(this.path("checkpoint"), bytes);
  }

  /** Undefined where none was written yet. */
  async readCheckpoint(): Promise<Uint8Array | undefined> {
    const path = this.path("checkpoint");
    try {
      return await readFile(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw fileError("read", path, error);
    }
  }

  writePreview(model: AnyModel): Promise<void> {
    return writeModel(this.path("preview"), model);
  }

  /** In place of the preview. */
  async writeModel(model: AnyModel): Promise<void> {
    await writeModel(this.path("model"), model);
    await rm(this.path("preview"), { force: true });
  }

  async appendMetrics(record: JsonObject): Promise<void> {
    const path = this.path("metrics");
    await appendFile(path, `${JSON.stringify(record)}\n`).catch((error: unknown) => {
      throw fileError("write", path, error);
    });
  }

  /**
   * Forgets what was noted after a checkpoint that is gone on from, and a line that was cut short. What is kept, from the last to
   * the first.
   */
  async keepMetricsUntil(step: number): Promise<JsonObject[]> {
    const path = this.path("metrics");
    const text = await readFile(path, "utf8").catch(() => "");
    const kept: JsonObject[] = [];
    let length = 0;
    for (const line of text.split(/(?<=\n)/)) {
      const record = line.endsWith("\n") ? recordOf(line) : undefined;
      if (!record || !(Number(record.step) <= step)) break;
      length += Buffer.byteLength(line);
      kept.unshift(record);
    }
    if (length === Buffer.byteLength(text)) return kept;
    await truncate(path, length).catch((error: unknown) => {
      throw fileError("write", path, error);
    });
    return kept;
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function recordOf(line: string): JsonObject | undefined {
  try {
    return JSON.parse(line) as JsonObject;
  } catch {
    return undefined;
  }
}
