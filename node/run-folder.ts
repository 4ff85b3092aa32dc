/**
 * The folder of a fit. Its files are written from the first checkpoint on, so that a fit that fails
 * before leaves nothing:
 *
 *   config.json              what was asked for, with the images that were found: all that
 *                            `--resume` needs
 *   metrics.jsonl            one line each time that progress was noted
 *   checkpoint.safetensors   where it stands; replaced whole, never half
 *   preview.safetensors      the model as it would be if the fit ended now, to look at meanwhile
 *   model.safetensors        what came out
 *   last-good.safetensors    in its place where the fit failed: the best model that it had, its
 *                            start at worst
 *   previous.safetensors     the model of the run that this one replaces, until this one has a
 *                            model
 *   lock.json                while a process is at work on it
 */
import { createHash } from "node:crypto";
import { appendFile, readFile, readdir, rename, rm, rmdir, stat, truncate } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type JsonObject, isJsonObject, parseJson } from "../src/density/model-files/json.js";
import type { AnyModel } from "../src/density/model-files/model.js";
import { GaussianizeError } from "../src/errors.js";
import { fileError } from "./file-errors.js";
import { makeFolder } from "./make-folder.js";
import { writeModel } from "./model-files.js";
import { takeLock } from "./run-lock.js";
import { isTemporary, writeAtomically } from "./write-atomically.js";

export const fileNames = {
  config: "config.json",
  metrics: "metrics.jsonl",
  checkpoint: "checkpoint.safetensors",
  preview: "preview.safetensors",
  model: "model.safetensors",
  lastGood: "last-good.safetensors",
  previous: "previous.safetensors",
  lock: "lock.json",
} as const;

const fileKind = { format: "gaussianize-run", version: "1" } as const;

/**
 * Makes the folder of a run, if need be, and keeps other processes from it until what is returned
 * is called.
 */
export async function enterFolder(folder: string): Promise<() => Promise<void>> {
  const missing = await missingFolders(folder);
  let unlock: (() => Promise<void>) | undefined;
  const leave = async (): Promise<void> => {
    await unlock?.();
    await removeEmpty(missing);
  };
  try {
    await makeFolder(folder);
    unlock = await takeLock(join(folder, fileNames.lock));
    // Of a process that was killed while it wrote.
    for (const name of (await readdir(folder)).filter(isTemporary)) {
      await rm(join(folder, name), { force: true });
    }
    return leave;
  } catch (error) {
    await leave().catch(() => undefined);
    throw error;
  }
}

/** A fit that came to nothing leaves nothing; folders with files in them, and those above, stay. */
async function removeEmpty(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const code = await rmdir(folder).then(
      () => "",
      (error: unknown) => (error as NodeJS.ErrnoException).code,
    );
    // One that could not be made is not there.
    if (code !== "" && code !== "ENOENT") return;
  }
}

/** Returns the folder and those above it that do not exist, from the innermost on. */
async function missingFolders(folder: string): Promise<string[]> {
  const missing: string[] = [];
  for (let path = folder; !(await stat(path).catch(() => undefined)); path = dirname(path)) {
    missing.push(path);
    if (dirname(path) === path) break;
  }
  return missing;
}

/** What is at a path before a run begins there. */
export type FolderContent = "nothing" | "run" | "other files" | "a file";

export async function contentOf(folder: string): Promise<FolderContent> {
  try {
    const names = await readdir(folder);
    // What was killed before it wrote its first file left a lock and that file's temporary name at
    // most.
    if (names.every((name) => isTemporary(name) || name === fileNames.lock)) return "nothing";
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

export class RunFolder {
  private constructor(
    readonly folder: string,
    readonly config: JsonObject,
    /** Identifies this run and its configuration; an extension keeps it. */
    readonly id: string,
    private state: "new" | "of another process" | "begun",
  ) {}

  /**
   * A run of which nothing is on the disk before it writes something. Only then it replaces a run
   * that was there before; other files are left alone.
   */
  static create(folder: string, config: JsonObject): RunFolder {
    return new RunFolder(folder, config, hashOf(textOf(config)), "new");
  }

  /** A run that another process has created or opened. */
  static known(folder: string, config: JsonObject, id: string): RunFolder {
    return new RunFolder(folder, config, id, "of another process");
  }

  static async open(folder: string): Promise<RunFolder> {
    const path = join(folder, fileNames.config);
    const text = await readFile(path, "utf8").catch((error: unknown) => {
      throw fileError("read", path, error);
    });
    const value = parseJson(text, path);
    const { format, version, run, ...config } = isJsonObject(value) ? value : {};
    if (format !== fileKind.format) {
      throw new GaussianizeError(
        "unsupported-file",
        `${path} is not the configuration of a run of gaussianize.`,
      );
    }
    const id = typeof run === "string" ? run : hashOf(text);
    if (version === fileKind.version) return new RunFolder(folder, config, id, "begun");
    throw new GaussianizeError(
      "unsupported-file",
      `${path} has version ${JSON.stringify(version)}; this program reads version "${fileKind.version}".`,
    );
  }

  path(name: keyof typeof fileNames): string {
    return join(this.folder, fileNames[name]);
  }

  /** Whether there is something of it on the disk, as far as this process knows. */
  get isBegun(): boolean {
    return this.state === "begun";
  }

  /**
   * The same run under another configuration, which extends it. Its checkpoint stays valid, and its
   * model is kept until there is another.
   */
  async extended(config: JsonObject): Promise<RunFolder> {
    await writeAtomically(this.path("config"), encoded(textOf({ ...config, run: this.id })));
    return new RunFolder(this.folder, config, this.id, "begun");
  }

  private async begin(): Promise<void> {
    if (this.isBegun) return;
    if (this.state === "new" || !(await this.isOnDisk())) await this.replace();
    this.state = "begun";
  }

  private async replace(): Promise<void> {
    try {
      await this.putAside();
      // Before the new configuration is there: it must not resume from a checkpoint of the old one.
      for (const name of ["checkpoint", "metrics", "preview", "lastGood"] as const) {
        await rm(this.path(name), { force: true });
      }
    } catch (error) {
      throw fileError("write", this.folder, error);
    }
    await writeAtomically(this.path("config"), encoded(textOf(this.config)));
  }

  /** The new fit may fail. */
  private async putAside(): Promise<void> {
    await rename(this.path("model"), this.path("previous")).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    });
  }

  private isOnDisk(): Promise<boolean> {
    return RunFolder.open(this.folder).then(
      ({ id }) => id === this.id,
      () => false,
    );
  }

  async has(name: keyof typeof fileNames): Promise<boolean> {
    if (this.state === "new") return false;
    return stat(this.path(name)).then(
      () => true,
      () => false,
    );
  }

  async writeCheckpoint(bytes: Uint8Array): Promise<void> {
    await this.begin();
    await writeAtomically(this.path("checkpoint"), bytes);
  }

  /** Undefined where none was written yet. */
  async readCheckpoint(): Promise<Uint8Array | undefined> {
    const path = this.path("checkpoint");
    if (this.state === "new") return undefined;
    try {
      return await readFile(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw fileError("read", path, error);
    }
  }

  async writePreview(model: AnyModel): Promise<void> {
    await this.begin();
    await writeModel(this.path("preview"), model);
  }

  /**
   * Writes the result in place of the preview: as the model, or as the last good model of a fit
   * that failed.
   */
  async writeModel(model: AnyModel, name: "model" | "lastGood" = "model"): Promise<void> {
    await this.begin();
    await writeModel(this.path(name), model);
    await rm(this.path("preview"), { force: true });
    if (name === "lastGood") return;
    await rm(this.path("lastGood"), { force: true });
    await rm(this.path("previous"), { force: true });
  }

  async appendMetrics(record: JsonObject): Promise<void> {
    const path = this.path("metrics");
    await this.begin();
    await appendFile(path, `${JSON.stringify(record)}\n`).catch((error: unknown) => {
      throw fileError("write", path, error);
    });
  }

  /**
   * Forgets what was noted after a checkpoint that is gone on from, and a line that was cut short.
   * What is kept, from the last to the first.
   */
  async keepMetricsUntil(step: number): Promise<JsonObject[]> {
    if (this.state === "new") return [];
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

function textOf(config: JsonObject): string {
  return `${JSON.stringify({ ...fileKind, ...config }, null, 2)}\n`;
}

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
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
