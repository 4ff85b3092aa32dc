/** A summary of a fit's checkpoint: the data behind `gaussianize inspect`. */
import { basename, dirname } from "node:path";
import type { JsonObject } from "../src/density/model-files/json.js";
import { significant, thousands } from "../src/numbers/format-number.js";
import type { CheckpointDescription } from "../src/training/checkpoint-file.js";
import { type FitTerms, requireFitTerms } from "../src/runs/fit-terms.js";
import { RunFolder, fileNames } from "../node/run-folder.js";
import { counted, failureOf, isFinished } from "./fit/outcome.js";
import { quoted } from "./fit/run.js";
import { oneLine, wrapped } from "./text.js";

export interface CheckpointReport extends CheckpointDescription {
  /** The file. */
  readonly checkpoint: string;
  /** Terms of the fit without the paths of its images; null if neither file nor folder has them. */
  readonly fit: JsonObject | null;
  readonly images: number | null;
  /**
   * The file of the model, or of the model so far, in the same folder; null where there is none.
   */
  readonly model: string | null;
  /** Whether the fit has ended, and how; null where the folder is not that of its run. */
  readonly status: "unfinished" | "finished" | "failed" | null;
  /** Why the fit failed, and what to try; null where it did not. */
  readonly problem: string | null;
  /**
   * The command that resumes the fit; null where it has ended, or the folder is not that of its
   * run.
   */
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
    ...(isOwn ? await stateOf(run) : { model: null, status: null, problem: null, resume: null }),
  };
}

async function stateOf(
  run: RunFolder,
): Promise<Pick<CheckpointReport, "model" | "status" | "problem" | "resume">> {
  const problem = await failureOf(run);
  if (problem !== null) {
    return {
      model: await firstOf(run, ["model", "lastGood"]),
      status: "failed",
      problem,
      resume: null,
    };
  }
  if (await isFinished(run)) {
    return { model: run.path("model"), status: "finished", problem, resume: null };
  }
  const resume = `gaussianize fit -o ${quoted(run.folder)} --resume`;
  return { model: await firstOf(run, ["preview", "model"]), status: "unfinished", problem, resume };
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

async function firstOf(
  run: RunFolder,
  names: readonly (keyof typeof fileNames)[],
): Promise<string | null> {
  for (const name of names) if (await run.has(name)) return run.path(name);
  return null;
}

export function checkpointText(report: CheckpointReport): string {
  const { checkpoint, step, rejectedSteps, best, optimiser, fit, images } = report;
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
          `best       after ${thousands(best.step)} steps: mean log p ${significant(best.meanLogProb, 5)} nats on held-out images, preprocessed`,
        ]
      : []),
    ...endOf(report),
  ];
  return `${lines.join("\n")}\n`;
}

/** Describes the files beside the checkpoint, and what can be done with it. */
function endOf({ checkpoint, status, problem, model, resume }: CheckpointReport): string[] {
  const line = (what: string): string[] =>
    model === null ? [] : [oneLine(`model      ${model}${what}`)];
  if (problem !== null) return [...line(""), "", wrapped(problem)];
  if (status === "finished") {
    const folder = quoted(dirname(checkpoint));
    return [
      ...line(""),
      "",
      "The fit is finished. Extend it to N steps with",
      `  ${oneLine(`gaussianize fit -o ${folder} --resume --steps N`)}`,
    ];
  }
  if (resume === null) return ["", wrapped(elsewhere)];
  return [...line(", as far as the fit is"), "", "Resume the fit with", `  ${oneLine(resume)}`];
}

function whatOf({ cascade, model, patch, layers }: JsonObject): string {
  if (typeof cascade === "string") return `${cascade} cascade of whole images`;
  const [name, side, count] = [model, patch, layers].map((value) => JSON.stringify(value));
  const ofLayers = layers === undefined ? "" : `, ${count} layers`;
  return `${name.replaceAll('"', "")}${ofLayers}, ${side}×${side} patches`;
}

const elsewhere =
  "Its run is not in this folder. A checkpoint of the command is resumed in the folder of its run, beside its config.json; a checkpoint of the lab is resumed there: drop it on Train.";
