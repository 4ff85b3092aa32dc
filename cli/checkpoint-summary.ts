/** What a checkpoint of a fit is: the data behind `gaussianize inspect`. */
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { CheckpointDescription, JsonObject } from "../src/index.js";
import { type FitTerms, requireFitTerms } from "../src/runs/fit-terms.js";
import { RunFolder, fileNames } from "../node/run-folder.js";
import { counted, quoted } from "./fit/run.js";
import { oneLine, short, thousands, wrapped } from "./text.js";

export interface CheckpointReport extends CheckpointDescription {
  /** The file. */
  readonly checkpoint: string;
  /** What the fit was asked for, without the paths of its images; null where neither the file nor its folder says. */
  readonly fit: JsonObject | null;
  readonly images: number | null;
  /** The file of the model so far, in the same folder; null where there is none. */
  readonly model: string | null;
  /** The command that resumes the fit; null where the folder is not that of its run. */
  readonly resume: string | null;
}

/** Looks for the rest of the run in the folder of the checkpoint. */
export async function checkpointReport(
  description: CheckpointDescription,
  path: string,
): Promise<CheckpointReport> {
  const folder = dirname(path);
  const run = await RunFolder.open(folder).catch(() => null);
  const isOwn = run?.id === description.run && basename(path) === fileNames.checkpoint;
  const terms = isOwn ? termsOf(run.config, path) : termsOfLab(description.run, path);
  const { images, ...fit } = terms ?? { images: null };
  return {
    checkpoint: path,
    ...description,
    fit: terms && fit,
    images: images?.length ?? null,
    model: isOwn ? await modelIn(folder) : null,
    resume: isOwn ? `gaussianize fit -o ${quoted(folder)} --resume` : null,
  };
}

/** The lab keeps the terms of a fit in its checkpoint. */
function termsOfLab(run: string, path: string): FitTerms | null {
  try {
    return termsOf((JSON.parse(run) as { readonly terms?: unknown }).terms, path);
  } catch {
    return null;
  }
}

function termsOf(value: unknown, path: string): FitTerms | null {
  try {
    return requireFitTerms(value, path);
  } catch {
    return null;
  }
}

async function modelIn(folder: string): Promise<string | null> {
  for (const name of [fileNames.model, fileNames.preview]) {
    const path = join(folder, name);
    if (await stat(path).catch(() => undefined)) return path;
  }
  return null;
}

export function checkpointText(report: CheckpointReport): string {
  const { checkpoint, step, rejectedSteps, best, optimiser, fit, images, model, resume } = report;
  const rejected = rejectedSteps > 0 ? `, ${thousands(rejectedSteps)} of them rejected` : "";
  const all = fit ? ` of ${thousands(Number(fit.steps))}` : "";
  const lines = [
    oneLine(`${checkpoint}: a checkpoint of a fit, not a model`),
    "",
    `steps      ${thousands(step)}${all}${rejected}`,
    ...(fit ? [`fit        ${whatOf(fit)}, ${counted(images ?? 0, "image")}`] : []),
    `optimiser  ${optimiser}`,
    ...(best
      ? [
          `best       after ${thousands(best.step)} steps: mean log p ${short(best.meanLogProb, 5)} nats on held-out images, preprocessed`,
        ]
      : []),
    ...(model === null ? [] : [oneLine(`model      ${model}, as far as the fit is`)]),
    "",
    ...(resume === null ? [wrapped(elsewhere)] : ["Resume the fit with", `  ${oneLine(resume)}`]),
  ];
  return `${lines.join("\n")}\n`;
}

function whatOf({ cascade, model, patch, layers }: JsonObject): string {
  if (typeof cascade === "string") return `${cascade} cascade of whole images`;
  const [name, side, count] = [model, patch, layers].map((value) => JSON.stringify(value));
  const ofLayers = layers === undefined ? "" : `, ${count} layers`;
  return `${name.replaceAll('"', "")}${ofLayers}, ${side}×${side} patches`;
}

const elsewhere =
  "Its run is not in this folder. A checkpoint of the command is resumed in the folder of its run, beside its config.json; a checkpoint of the lab is resumed there: drop it on Train.";
