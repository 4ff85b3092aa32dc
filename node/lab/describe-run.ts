/** What is known of a run, from the files in its folder. */
import { join } from "node:path";
import type { JsonObject } from "../../src/density/model-files/json.js";
import { configIn, fileNames } from "../run-folder.js";
import { isHeld } from "../run-lock.js";
import { type MetricsRecord, parseMetrics } from "../../src/runs/run-metrics.js";
import { openContained, readContained, readPart } from "./contained-file.js";
import type { FoundRun } from "./find-runs.js";
import type { RunDescription, RunStatus } from "../../src/runs/run-description.js";

/** Room for the paths of a hundred thousand images. */
const mostOfConfig = 2 ** 24;
const mostOfLock = 4096;
/** Some hundred records: among them is a validation. */
const endOfMetrics = 2 ** 16;

interface Config {
  readonly version: string;
  /** Undefined where it is not the configuration of a run. */
  readonly config: JsonObject | undefined;
  readonly images: number;
  readonly modified: number;
}

/** Describes runs again and again; configurations, which may be long, are read when they change. */
export class RunDescriber {
  private readonly configs = new Map<string, Config>();

  /** Undefined where there is no run in the folder. */
  async describe({ name, folder }: FoundRun): Promise<RunDescription | undefined> {
    const found = await this.configOf(join(folder, fileNames.config));
    if (!found?.config) return undefined;
    const { config, images } = found;
    const metrics = await lastFigures(join(folder, fileNames.metrics));
    const finished = await versionOf(join(folder, fileNames.model));
    // A run that is being extended has both.
    const preview = await versionOf(join(folder, fileNames.preview));
    const model = preview ?? finished;
    const { lastStep = null, lastHeldOut = null } = metrics ?? {};
    return {
      name,
      status: await statusOf(folder, finished !== null && preview === null),
      config,
      images,
      lastStep,
      lastHeldOut,
      modified: Math.max(found.modified, metrics?.modified ?? 0),
      model,
    };
  }

  private async configOf(path: string): Promise<Config | undefined> {
    const opened = await openContained(path);
    if (!opened) return undefined;
    const { file, size, version, modified } = opened;
    try {
      const known = this.configs.get(path);
      if (known?.version === version) return known;
      const bytes = size <= mostOfConfig ? await readPart(file, 0, size) : Buffer.alloc(0);
      const read = { version, modified, ...settingsIn(bytes.toString("utf8")) };
      this.configs.set(path, read);
      return read;
    } finally {
      await file.close();
    }
  }
}

/** Paths of images are many, and nobody's business. */
function settingsIn(text: string): Pick<Config, "config" | "images"> {
  const { images, ...rest } = configIn(text) ?? {};
  if (!Array.isArray(images)) return { config: undefined, images: 0 };
  const entries = Object.entries(rest).filter(([key]) => key !== "format" && key !== "version");
  return { config: Object.fromEntries(entries), images: images.length };
}

async function statusOf(folder: string, hasModel: boolean): Promise<RunStatus> {
  const lock = await readContained(join(folder, fileNames.lock), mostOfLock);
  if (lock && (await isHeld(lock.text, lock.modified))) return "running";
  return hasModel ? "done" : "interrupted";
}

async function versionOf(path: string): Promise<string | null> {
  const opened = await openContained(path);
  await opened?.file.close();
  return opened?.version ?? null;
}

interface LastFigures {
  readonly lastStep: MetricsRecord | null;
  readonly lastHeldOut: MetricsRecord | null;
  readonly modified: number;
}

async function lastFigures(path: string): Promise<LastFigures | undefined> {
  const opened = await openContained(path);
  if (!opened) return undefined;
  const { file, size, modified } = opened;
  try {
    const bytes = await readPart(file, Math.max(0, size - endOfMetrics), endOfMetrics);
    // The first line may lack its beginning, and is no record then; the last one may lack its end.
    const text = bytes.toString("utf8");
    const records = parseMetrics(text.slice(0, text.lastIndexOf("\n") + 1));
    return {
      lastStep: records.findLast(({ isHeldOut }) => !isHeldOut) ?? null,
      lastHeldOut: records.findLast(({ isHeldOut }) => isHeldOut) ?? null,
      modified,
    };
  } finally {
    await file.close();
  }
}
