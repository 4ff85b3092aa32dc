/**
 * What a fit leaves on the disk, from its first second on:
 *
 *   config.json              what was asked for, with the images that were found: all that `--resume` needs
 *   metrics.jsonl            one line each time that progress was noted
 *   checkpoint.safetensors   where it stands; replaced whole, never half
 *   model.safetensors        what came out
 */
import { appendFile, mkdir, readFile, readdir, rm, stat, truncate } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type JsonObject, isJsonObject, parseJson } from "../src/density/model-files/json.js";
import type { Model } from "../src/density/model-files/model.js";
import { GaussianizeError } from "../src/errors.js";
import { fileError } from "./file-errors.js";
import { writeModel } from "./model-files.js";
import { writeAtomically } from "./write-atomically.js";

const fileNames = {
  config: "config.json",
  metrics: "metrics.jsonl",
  checkpoint: "checkpoint.safetensors",
  model: "model.safetensors",
} as const;

const fileKind = { format: "gaussianize-run", version: "1" } as const;

/** What is at a path before a run begins there. */
export type FolderContent = "nothing" | "run" | "other files";

export async function contentOf(folder: string): Promise<FolderContent> {
  try {
    const names = await readdir(folder);
    if (names.includes(fileNames.config)) return "run";
    // What was killed before it wrote its first file left at most that file's temporary name.
    return names.every((name) => name.startsWith(".gaussianize-")) ? "nothing" : "other files";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "nothing";
    throw fileError("write", folder, error);
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
  ) {}

  /** Begins a run; one that was there before is forgotten, other files are left alone. */
  static async create(folder: string, config: JsonObject): Promise<RunFolder> {
    const run = new RunFolder(folder, config);
    await makeFolder(folder);
    try {
      // The configuration last: without the others there is nothing to resume, and with them it would resume the wrong run.
      for (const name of ["checkpoint", "metrics", "model", "config"] as const) {
        await rm(run.path(name), { force: true });
      }
    } catch (error) {
      throw fileError("write", folder, error);
    }
    const text = `${JSON.stringify({ ...fileKind, ...config }, null, 2)}\n`;
    await writeAtomically(run.path("config"), new TextEncoder().encode(text));
    return run;
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
    if (version === fileKind.version) return new RunFolder(folder, config);
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

  writeModel(model: Model): Promise<void> {
    return writeModel(this.path("model"), model);
  }

  async appendMetrics(record: JsonObject): Promise<void> {
    const path = this.path("metrics");
    await appendFile(path, `${JSON.stringify(record)}\n`).catch((error: unknown) => {
      throw fileError("write", path, error);
    });
  }

  /** Forgets what was noted after a checkpoint that is gone on from, and a line that was cut short. */
  async keepMetricsUntil(step: number): Promise<void> {
    const path = this.path("metrics");
    const text = await readFile(path, "utf8").catch(() => "");
    let length = 0;
    for (const line of text.split(/(?<=\n)/)) {
      if (!line.endsWith("\n") || !(stepOf(line) <= step)) break;
      length += Buffer.byteLength(line);
    }
    if (length < Buffer.byteLength(text)) await truncate(path, length);
  }
}

function stepOf(line: string): number {
  try {
    return (JSON.parse(line) as { step: number }).step;
  } catch {
    return NaN;
  }
}
