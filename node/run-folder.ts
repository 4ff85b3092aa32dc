/**
 * The folder of a fit. Files are written from the first checkpoint on, so that a fit that fails
 * earlier leaves none:
 *
 *   config.json              the settings and the images that were found: all that `--resume` needs
 *   metrics.jsonl            one line per progress record
 *   checkpoint.safetensors   the state of the fit, replaced atomically
 *   preview.safetensors      the model that the fit would return if it ended now
 *   model.safetensors        the result
 *   last-good.safetensors    the best model so far (at worst the start) of a fit that failed
 *   previous.safetensors     the model of the run that this one replaces, until it has its own
 *   lock.json                present while a process works on the run
 */
import { createHash } from "node:crypto";
import { appendFile, readFile, readdir, rename, rm, rmdir, truncate } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type JsonObject, isJsonObject, parseJson } from "../src/density/model-files/json.js";
import type { AnyModel } from "../src/density/model-files/model.js";
import { GaussianizeError } from "../src/errors.js";
import { codeOf, exists, failTo, fileError } from "./files.js";
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

/** Creates the folder of a run if needed, and locks it until the returned function is called. */
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
    // Leftovers of a process that was killed while writing.
    for (const name of (await readdir(folder)).filter(isTemporary)) {
      await rm(join(folder, name), { force: true });
    }
    return leave;
  } catch (error) {
    await leave().catch(() => undefined);
    throw error;
  }
}

/** Removes the folders that a failed fit left empty, innermost first. */
async function removeEmpty(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const code = await rmdir(folder).then(() => "", codeOf);
    // A folder that could not be created does not exist.
    if (code !== "" && code !== "ENOENT") return;
  }
}

/** Returns the folder and its parents that do not exist, innermost first. */
async function missingFolders(folder: string): Promise<string[]> {
  const missing: string[] = [];
  for (let path = folder; !(await exists(path)); path = dirname(path)) {
    missing.push(path);
    if (dirname(path) === path) break;
  }
  return missing;
}

/** Content of a path before a run begins there. */
export type FolderContent = "nothing" | "run" | "other files" | "a file";

export async function contentOf(folder: string): Promise<FolderContent> {
  try {
    const names = await readdir(folder);
    // A process killed before its first file leaves at most a lock and a temporary file.
    if (names.every((name) => isTemporary(name) || name === fileNames.lock)) return "nothing";
    if (!names.includes(fileNames.config)) return "other files";
    // Other programs have a config.json, too.
    const config = configIn(await readFile(join(folder, fileNames.config), "utf8"));
    return config ? "run" : "other files";
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return "nothing";
    if (code === "ENOTDIR" && (await exists(folder))) return "a file";
    throw fileError("write", folder, error);
  }
}

/** Returns undefined if the text is not the configuration of a run. */
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
    /** Hash of the first configuration; extended runs keep it. */
    readonly id: string,
    private state: "new" | "of another process" | "begun",
  ) {}

  /**
   * Returns a new run. Its first write replaces an earlier run in the folder; other files are left
   * alone.
   */
  static create(folder: string, config: JsonObject): RunFolder {
    return new RunFolder(folder, config, hashOf(textOf(config)), "new");
  }

  /** Returns a run that another process has created or opened. */
  static known(folder: string, config: JsonObject, id: string): RunFolder {
    return new RunFolder(folder, config, id, "of another process");
  }

  static async open(folder: string): Promise<RunFolder> {
    const path = join(folder, fileNames.config);
    const text = await readFile(path, "utf8").catch(failTo("read", path));
    const value = parseJson(text, path);
    const { format, version, run, ...config } = isJsonObject(value) ? value : {};
    if (format !== fileKind.format) {
      throw new GaussianizeError(
        "unsupported-file",
        `${path} is not the configuration of a gaussianize run.`,
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

  /** Whether the run has files on the disk, as far as this process knows. */
  get isBegun(): boolean {
    return this.state === "begun";
  }

  /**
   * Returns the same run with a configuration that extends it. Its checkpoint stays valid, and its
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
      // The old model is kept, because the new fit may fail.
      await rename(this.path("model"), this.path("previous")).catch((error: unknown) => {
        if (codeOf(error) !== "ENOENT") throw error;
      });
      // Before the new configuration is written, which must not resume from an old checkpoint.
      for (const name of ["checkpoint", "metrics", "preview", "lastGood"] as const) {
        await rm(this.path(name), { force: true });
      }
    } catch (error) {
      throw fileError("write", this.folder, error);
    }
    await writeAtomically(this.path("config"), encoded(textOf(this.config)));
  }

  private isOnDisk(): Promise<boolean> {
    return RunFolder.open(this.folder).then(
      ({ id }) => id === this.id,
      () => false,
    );
  }

  async has(name: keyof typeof fileNames): Promise<boolean> {
    return this.state !== "new" && exists(this.path(name));
  }

  async writeCheckpoint(bytes: Uint8Array): Promise<void> {
    await this.begin();
    await writeAtomically(this.path("checkpoint"), bytes);
  }

  /** Returns undefined if no checkpoint has been written yet. */
  async readCheckpoint(): Promise<Uint8Array | undefined> {
    const path = this.path("checkpoint");
    if (this.state === "new") return undefined;
    try {
      return await readFile(path);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw fileError("read", path, error);
    }
  }

  async writePreview(model: AnyModel): Promise<void> {
    await this.begin();
    await writeModel(this.path("preview"), model);
  }

  /** Replaces the preview by the result: the model, or the last good model of a failed fit. */
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
    await appendFile(path, `${JSON.stringify(record)}\n`).catch(failTo("write", path));
  }

  /**
   * Drops records after the step of a checkpoint, and an incomplete line. Returns the others, last
   * first.
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
    await truncate(path, length).catch(failTo("write", path));
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
