/** Describes the checkpoint of a fit, and its run, for `gaussianize inspect`. */
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { JsonObject } from "../../src/density/model-files/json.js";
import { significant, thousands } from "../../src/numbers/format-number.js";
import type { CheckpointDescription } from "../../src/training/checkpoint-file.js";
import { type FitTerms, requireFitTerms } from "../../src/runs/fit-terms.js";
import { parseMetrics } from "../../src/runs/run-metrics.js";
import { readModel } from "../../node/model-files.js";
import { RunFolder, fileNames } from "../../node/run-folder.js";
import { failureOf, isFinished, outcomeOf } from "../fit/outcome.js";
import { counted, oneLine, quoted, wrapped } from "../text.js";

export interface CheckpointReport extends CheckpointDescription {
  /** Path of the checkpoint. */
  readonly checkpoint: string;
  /** Terms of the fit without the paths of its images; null if neither file nor folder has them. */
  readonly fit: JsonObject | null;
  readonly images: number | null;
  /** ΔJ of the best validation so far, in nats per pixel; null if the run does not record it. */
  readonly bestNegentropyDifference: number | null;
  /** Path of the model, or of the model so far, in the same folder; null if there is none. */
  readonly model: string | null;
  /** Steps of a finished model, more than those of its last checkpoint; else null. */
  readonly modelSteps: number | null;
  /** ΔJ of a finished model on held-out images, in nats per pixel; else null. */
  readonly modelNegentropyDifference: number | null;
  /** State of the fit; null if its run is in another folder. */
  readonly status: "unfinished" | "finished" | "failed" | null;
  /** Why the fit failed, and what to try; null if it did not fail. */
  readonly problem: string | null;
  /** Command that resumes the fit; null if it has ended, or its run is in another folder. */
  readonly resume: string | null;
}

/** Adds what the folder of the checkpoint says about its run. */
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
    bestNegentropyDifference: isOwn ? await differenceAt(run, description.best?.step) : null,
    ...unknown,
    ...(isOwn && (await stateOf(run))),
  };
}

/** State of a run that is in another folder. */
const unknown = {
  model: null,
  modelSteps: null,
  modelNegentropyDifference: null,
  status: null,
  problem: null,
  resume: null,
} as const;

async function stateOf(run: RunFolder): Promise<Partial<CheckpointReport>> {
  const problem = await failureOf(run);
  if (problem !== null) {
    return { model: await firstOf(run, ["model", "lastGood"]), status: "failed", problem };
  }
  if (await isFinished(run)) {
    const path = run.path("model");
    const { steps, heldOut } = outcomeOf(await readModel(path), path);
    return {
      model: path,
      modelSteps: steps,
      modelNegentropyDifference: heldOut?.negentropyDifferencePerDimension ?? null,
      status: "finished",
    };
  }
  const resume = `gaussianize fit -o ${quoted(run.folder)} --resume`;
  return { model: await firstOf(run, ["preview", "model"]), status: "unfinished", resume };
}

/** Returns ΔJ of the validation at a step, from the metrics of the run. */
async function differenceAt(run: RunFolder, step: number | undefined): Promise<number | null> {
  const records = parseMetrics(await readFile(run.path("metrics"), "utf8").catch(() => ""));
  const found = records.findLast((record) => record.isHeldOut && record.step === step);
  return found?.negentropyDifferencePerDimension ?? null;
}

/** Returns the terms that the lab keeps in its checkpoints. */
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
  const { checkpoint, step, rejectedSteps, optimiser, fit, images, status } = report;
  const rejected = rejectedSteps > 0 ? `, ${thousands(rejectedSteps)} of them rejected` : "";
  const all = fit ? ` of ${thousands(Number(fit.steps))}` : "";
  const lines = [
    oneLine(`${checkpoint}: a checkpoint of a fit, not a model`),
    "",
    `steps      ${thousands(step)}${all}${rejected}${status === "finished" ? " (the last checkpoint before the end)" : ""}`,
    ...(fit ? [`fit        ${whatOf(fit)}, ${counted(images ?? 0, "image")}`] : []),
    `optimiser  ${optimiser}`,
    ...(status === "finished" ? [] : bestOf(report)),
    ...endOf(report),
  ];
  return `${lines.join("\n")}\n`;
}

function bestOf({ best, bestNegentropyDifference: difference }: CheckpointReport): string[] {
  if (best === null) return [];
  return [`best       after ${counted(best.step, "step")}${differenceText(difference)}`];
}

function differenceText(difference: number | null): string {
  if (difference === null) return "";
  return `, ΔJ ${significant(difference, 4)} nats per pixel on held-out images`;
}

/** Returns lines about the model beside the checkpoint, and how to resume or extend the fit. */
function endOf(report: CheckpointReport): string[] {
  const { checkpoint, status, problem, model, modelSteps, resume } = report;
  const line = (what: string): string[] =>
    model === null ? [] : [oneLine(`model      ${model}${what}`)];
  if (problem !== null) return [...line(""), "", wrapped(problem)];
  if (status === "finished") {
    const folder = quoted(dirname(checkpoint));
    const difference = differenceText(report.modelNegentropyDifference);
    return [
      ...line(`: ${counted(modelSteps ?? 0, "step")}${difference}`),
      "",
      "The fit is finished. Extend it to N steps with:",
      `  ${oneLine(`gaussianize fit -o ${folder} --resume --steps N`)}`,
    ];
  }
  if (resume === null) return ["", wrapped(elsewhere)];
  return [...line(" (so far)"), "", "Resume the fit with:", `  ${oneLine(resume)}`];
}

/** Names what is fitted, by the options in config.json: "gdn, 2 layers, 8×8 patches". */
function whatOf(config: JsonObject): string {
  const { cascade, model, patch, layers, couplings, components, symmetric } = config;
  if (typeof cascade === "string") return `${cascade} cascade of whole images`;
  const [name, side] = [model, patch].map((value) => JSON.stringify(value).replaceAll('"', ""));
  return [
    name,
    ...(typeof layers === "number" ? [counted(layers, "layer")] : []),
    ...(typeof couplings === "number" ? [`couplings of ${counted(couplings, "unit")}`] : []),
    ...(typeof components === "number" ? [counted(components, "component")] : []),
    ...(symmetric === true ? ["symmetric"] : []),
    `${side}×${side} patches`,
  ].join(", ");
}

const elsewhere =
  "The run of this checkpoint is not in this folder. The command resumes a checkpoint beside the config.json of its run. To resume a checkpoint of the lab, drop it on the Train panel.";
