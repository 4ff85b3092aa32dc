/** The outcome of a fit: printed by its command, and read later from the folder of the run. */
import type { JsonObject } from "../../src/density/model-files/json.js";
import type { AnyModel } from "../../src/density/model-files/model.js";
import { significant, thousands } from "../../src/numbers/format-number.js";
import { type FitProblem, problemText } from "../../src/training/fit-problem.js";
import { defaultOf } from "../../src/training/settle-options.js";
import { rateToTry } from "../../src/runs/fit-terms.js";
import { readModel } from "../../node/model-files.js";
import type { RunFolder } from "../../node/run-folder.js";
import type { Effects } from "../effects.js";
import { counted, duration } from "../text.js";
import type { FitConfig } from "./config.js";

export interface FitOutcome {
  /** Path of the model; of the last good model if the fit failed. */
  readonly model: string;
  /** Why the fit failed, and what to try; null if it did not fail. */
  readonly problem: string | null;
  readonly name: string;
  readonly steps: number;
  /** Steps of the command line; absent if the run was finished before. */
  readonly stepsAsked?: number;
  /** Steps that this process rejected. */
  readonly rejectedSteps?: number;
  /** Seconds of all commands of the run. */
  readonly seconds?: number;
  readonly secondsOfCommand?: number;
  /** The finished model that this command extended; absent if there was none. */
  readonly before?: Pick<FitOutcome, "steps" | "heldOut">;
  readonly trainingImages: number;
  readonly heldOutImages: number;
  readonly skippedImages: number;
  /** Step of the validation that chose the model; null without validations. */
  readonly bestStep: number | null;
  /** Figures on patches or crops of the held-out images; null if there are none. */
  readonly heldOut: {
    /** Mean log-likelihood of a patch in nats. */
    readonly meanLogLikelihood?: number;
    /** Log-likelihood of whole images, in nats per pixel. */
    readonly logLikelihoodPerPixel?: number;
    readonly negentropyDifferencePerDimension: number;
  } | null;
  /** Smallest singular value of a cascade's convolutions, over all frequencies. */
  readonly smallestSingularValue?: number;
}

/** Explains a failure: what went wrong, what to try, and which model is left. */
export async function failureText(
  problem: FitProblem,
  config: FitConfig,
  run: RunFolder,
  trainingImages: number,
): Promise<string> {
  if (problem.isExtension) {
    const advice = "Its learning rate cannot change: start a new fit in another folder.";
    return `${problemText(problem)} The finished model is kept: ${run.path("model")}. ${advice}`;
  }
  const previous = (await run.has("previous"))
    ? `, and the model of the run before is ${run.path("previous")}`
    : "";
  const advice = adviceFor(problem, config, trainingImages);
  return `${problemText(problem)} ${advice} The last good model is ${run.path("lastGood")}${previous}.`;
}

/** A fit with fewer steps may be worse than its start only because it is so short. */
const fewSteps = 100;

/** Returns one sentence, with the likeliest remedy first. */
function adviceFor(
  { kind, isHeldOut }: FitProblem,
  config: FitConfig,
  trainingImages: number,
): string {
  const { learningRate, steps } = config;
  const rate = rateToTry(config);
  // A rate above the default is the most likely cause.
  const isUsual = 4 * rate === learningRate;
  const isWorse = kind === "worse than the start";
  if (isWorse && isUsual && steps < fewSteps) {
    const usual = Number(defaultOf("steps", config));
    return `Use more --steps, such as ${usual}, and --force: ${counted(steps, "step")} may be too few.`;
  }
  if (isWorse && isUsual && isHeldOut) {
    const images = counted(trainingImages, "training image");
    return `Use more images, --held-out 0 or --rate ${rate}, and --force: the held-out images may be unlike the ${images}.`;
  }
  const cause = isWorse ? "may be too large" : "is too large";
  return `--rate ${learningRate} ${cause}: start again with --rate ${rate} --force.`;
}

/** Adds to a model why its fit failed, for commands that open the run later. */
export function failed<M extends AnyModel>(model: M, failure: string): M {
  const { about } = model;
  return { ...model, about: { ...about, training: { ...about.training, failure } } };
}

/** Returns the path of the finished model, which failed extensions keep, or of the last good. */
export async function bestModelOf(run: RunFolder): Promise<string> {
  return run.path((await run.has("model")) ? "model" : "lastGood");
}

/** Returns why the fit of a run failed, and what to try; null if it did not fail. */
export async function failureOf(run: RunFolder): Promise<string | null> {
  if (!(await run.has("lastGood"))) return null;
  const { failure } = (await readModel(run.path("lastGood"))).about.training ?? {};
  return typeof failure === "string" ? failure : "The fit failed. Start again with --force.";
}

/** Returns whether the model has all steps of the run; in an extension it has fewer restarts. */
export async function isFinished(run: RunFolder): Promise<boolean> {
  if (!(await run.has("model"))) return false;
  const { about } = await readModel(run.path("model"));
  return restartsOf(about.training) === restartsOf(run.config);
}

function restartsOf({ restarts = [] }: JsonObject = {}): string {
  return JSON.stringify(restarts);
}

/** Returns the outcome of a run that finished or failed before; false if it did neither. */
export async function endedOutcome(
  { run }: { readonly run: RunFolder },
  effects: Effects,
): Promise<FitOutcome | false> {
  const problem = await failureOf(run);
  if (problem !== null) {
    const path = await bestModelOf(run);
    return { ...outcomeOf(await readModel(path), path), problem };
  }
  if (!(await isFinished(run))) return false;
  effects.stderr.write(`The run in ${run.folder} is already finished.\n`);
  return outcomeOf(await readModel(run.path("model")), run.path("model"));
}

export function outcomeOf({ about }: AnyModel, path: string): FitOutcome {
  const { figures = {}, name = "", training = {}, data = {} } = about;
  const { heldOutLogLikelihoodInNats: meanLogLikelihood } = figures;
  const { heldOutLogLikelihoodInNatsPerPixel: logLikelihoodPerPixel } = figures;
  const { negentropyDifferenceInNatsPerPixel: negentropyDifferencePerDimension } = figures;
  const likelihood =
    "heldOutLogLikelihoodInNatsPerPixel" in figures
      ? { logLikelihoodPerPixel }
      : { meanLogLikelihood };
  return {
    model: path,
    problem: null,
    name,
    steps: training.steps ?? 0,
    trainingImages: Number(data.trainingImages),
    heldOutImages: Number(data.heldOutImages),
    skippedImages: Number(data.skippedImages),
    bestStep: training.bestStep === undefined ? null : Number(training.bestStep),
    heldOut:
      "negentropyDifferenceInNatsPerPixel" in figures
        ? { ...likelihood, negentropyDifferencePerDimension }
        : null,
    ...("smallestSingularValue" in figures && {
      smallestSingularValue: figures.smallestSingularValue,
    }),
  };
}

export function beforeOf(model: AnyModel): NonNullable<FitOutcome["before"]> {
  const { steps, heldOut } = outcomeOf(model, "");
  return { steps, heldOut };
}

export function outcomeText(outcome: FitOutcome): string {
  const { name, steps, seconds, trainingImages, model } = outcome;
  const { rejectedSteps = 0, skippedImages, stepsAsked = steps, bestStep } = outcome;
  const isImproved = !isUnchanged(outcome);
  const rejected = rejectedSteps > 0 ? `, ${rejectedSteps} rejected` : "";
  const lines = [
    `${name}: ${counted(steps, "step")} on ${counted(trainingImages, "image")}${timeText(outcome)}${rejected}`,
    ...(steps < stepsAsked
      ? [
          `Stopped before step ${thousands(stepsAsked)}: held-out images did not improve after step ${thousands(bestStep ?? 0)}, whose model is kept (--patience).`,
        ]
      : []),
    heldOutText(outcome),
    ...(isImproved
      ? []
      : [
          `The extension did not improve the held-out images: the model is that of step ${thousands(bestStep ?? 0)}, as before.`,
        ]),
    ...(skippedImages > 0 ? [`Skipped ${counted(skippedImages, "unusable image")}.`] : []),
    `${seconds !== undefined && isImproved ? "Wrote" : "The model is"} ${model}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns whether the best validation is one before the extension. */
function isUnchanged({ before, bestStep }: FitOutcome): boolean {
  return before !== undefined && bestStep !== null && bestStep <= before.steps;
}

function timeText({ seconds, secondsOfCommand = seconds }: FitOutcome): string {
  if (seconds === undefined || secondsOfCommand === undefined) return "";
  const all = seconds > secondsOfCommand ? ` (${duration(seconds)} in all)` : "";
  return ` in ${duration(secondsOfCommand)}${all}`;
}

function heldOutText(outcome: FitOutcome): string {
  const { heldOut, heldOutImages, before } = outcome;
  if (!heldOut) {
    return "No image was held out: use gaussianize evaluate to test the model on other images.";
  }
  const earlier = isUnchanged(outcome) ? null : before?.heldOut;
  const change = (text: (figures: HeldOut) => string): string =>
    `${earlier ? `${text(earlier)} → ` : ""}${text(heldOut)}`;
  const difference = change((figures) => significant(figures.negentropyDifferencePerDimension, 4));
  const unit = heldOut.logLikelihoodPerPixel === undefined ? "patch" : "pixel";
  return `ΔJ ${difference} nats per pixel on ${counted(heldOutImages, "held-out image")} (log-likelihood ${change(likelihoodText)} nats per ${unit})`;
}

type HeldOut = NonNullable<FitOutcome["heldOut"]>;

function likelihoodText({ meanLogLikelihood = NaN, logLikelihoodPerPixel }: HeldOut): string {
  return logLikelihoodPerPixel === undefined
    ? significant(meanLogLikelihood, 5)
    : significant(logLikelihoodPerPixel, 4);
}
