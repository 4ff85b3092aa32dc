/** The fits of the paper's experiments: runs as those of `gaussianize fit`, kept beside the report and used again. */
import { join, relative } from "node:path";
import { type AnyModel, GaussianizeError, type JsonObject, namedModel } from "../../src/index.js";
import type { FitTerms } from "../../src/runs/fit-terms.js";
import { type ImageSet, embeddedPhotographs, readPatchModel } from "../../node/index.js";
import { RunFolder, contentOf, enterFolder } from "../../node/run-folder.js";
import type {
  FitRecord,
  FitRequest,
  ImageFitRequest,
  PaperContext,
  PaperFit,
} from "../../paper/experiment.js";
import type { Effects } from "../effects.js";
import { type FitCommandOptions, type FitConfig, configFor, termsFrom } from "../fit/config.js";
import { openImages } from "../fit/images.js";
import { quoted, runFit } from "../fit/run.js";
import { thousands } from "../text.js";

export interface FitPlace {
  /** The folder of all fits. */
  readonly folder: string;
  /** Where the sets are. */
  readonly dataFolder: string;
  /** In place of what the experiments ask for. */
  readonly steps: number | undefined;
  /** The whole command, to go on with after an interruption. */
  readonly command: string;
}

export type FitContext = Pick<PaperContext, "runner" | "seed" | "signal" | "quick" | "images">;

/** Of patches or of whole images. */
interface AnyRequest {
  readonly name: string;
  readonly set: string;
}

export async function fitForPaper(
  context: FitContext,
  request: FitRequest,
  place: FitPlace,
  effects: Effects,
): Promise<PaperFit> {
  const folder = folderOf(context, request, place);
  const found = await finished(context, request, optionsOf(context, request, place, folder), {
    ...{ place, effects, title: titleOf(request) },
  });
  return fitOf(found, commandOf(context, request, place, found.config, folder));
}

function titleOf({ model, layers = 1 }: Pick<FitRequest, "model" | "layers">): string {
  const { title } = namedModel(model);
  return layers === 1 ? title : `${title} of ${layers} layers`;
}

export interface FinishedRun {
  readonly run: RunFolder;
  readonly config: FitConfig;
  readonly set: ImageSet;
}

/** The run that is asked for, made or taken from before. */
export async function finished(
  context: FitContext,
  request: AnyRequest,
  options: FitCommandOptions,
  { place, effects, title }: { place: FitPlace; effects: Effects; title: string },
): Promise<FinishedRun> {
  const folder = options.output;
  const terms = termsFrom(options, await context.images(request.set));
  const set = await openImages(terms, true, effects, context.signal);
  const leave = await enterFolder(folder);
  try {
    const { run, config } = await openRun(folder, terms, set, effects);
    if (!(await run.has("model"))) {
      effects.stderr.write(`${title}: ${thousands(config.steps)} steps in ${folder}\n`);
      const { runner, signal } = context;
      const fit = { run, config, set, signal, resumeWith: place.command };
      const { problem } = await runFit(runner, fit, effects);
      if (problem !== null) throw new GaussianizeError(problem);
    }
    return { run, config, set };
  } finally {
    await leave();
  }
}

export function folderOf({ seed }: FitContext, request: AnyRequest, place: FitPlace): string {
  return join(place.folder, folderName(request, seed, place.steps));
}

/** What gives another model has another name, so that no run takes the place of another one. */
function folderName({ name }: AnyRequest, seed: number, steps: number | undefined): string {
  const ofSeed = seed === 1 ? "" : `-seed${seed}`;
  return `${name}${ofSeed}${steps === undefined ? "" : `-steps${steps}`}`;
}

function optionsOf(
  { seed }: FitContext,
  request: FitRequest,
  place: FitPlace,
  output: string,
): FitCommandOptions {
  const steps = place.steps ?? request.steps;
  return {
    ...{ output, seed },
    model: request.model,
    layers: request.layers ?? 1,
    stages: 2,
    greedy: 0,
    patch: request.patch ?? 8,
    ...(request.protocol === undefined ? {} : { protocol: request.protocol }),
    luminance: "linear",
    noise: request.noise,
    ...(steps === undefined ? {} : { steps }),
    optimiser: "adam",
    subspace: 4,
    poolRank: 0,
    heldOut: request.heldOut,
    patience: 5,
  };
}

/** The run in the folder, if it is the same fit of the same images; else a new one. */
async function openRun(
  folder: string,
  terms: FitTerms,
  set: ImageSet,
  effects: Effects,
): Promise<{ readonly run: RunFolder; readonly config: FitConfig }> {
  const config = configFor(terms, set);
  if ((await contentOf(folder)) === "run") {
    const run = await RunFolder.open(folder);
    if (isSame(run.config, config)) return { run, config };
    effects.stderr.write(`The run in ${folder} is of other images or another version: anew.\n`);
  }
  return { run: RunFolder.create(folder, config), config };
}

/** Images may have moved, as long as they are the same. */
export function isSame(before: Readonly<Record<string, unknown>>, now: FitConfig): boolean {
  const textOf = (config: Readonly<Record<string, unknown>>): string =>
    JSON.stringify(
      Object.keys(now)
        .filter((key) => key !== "images")
        .map((key) => config[key]),
    );
  return textOf(before) === textOf(now);
}

async function fitOf({ run, config }: FinishedRun, command: string): Promise<PaperFit> {
  const model = await readPatchModel(run.path("model"));
  const steps = await stepRecords(run);
  return {
    ...recordOf(titleOf(config), run, config, model, command, steps),
    model,
    images: config.images,
    curve: {
      x: steps.map(({ step }) => Number(step)),
      y: steps.map(({ negentropyDifferencePerDimension: value }) => Number(value)),
    },
  };
}

export function recordOf(
  title: string,
  run: RunFolder,
  config: FitConfig,
  model: AnyModel,
  command: string,
  records: readonly JsonObject[],
): FitRecord {
  return {
    title,
    path: run.path("model"),
    dataHash: config.fingerprint,
    command,
    steps: Number(model.about.training?.steps),
    seconds: records.reduce((_, { seconds }) => Number(seconds), NaN),
  };
}

export async function stepRecords(run: RunFolder): Promise<readonly JsonObject[]> {
  const records = (await run.keepMetricsUntil(Infinity)).reverse();
  return records.filter((record) => "negentropyDifferencePerDimension" in record);
}

/** The command line of `gaussianize fit` that gives the same model. */
function commandOf(
  context: FitContext,
  request: FitRequest,
  place: FitPlace,
  terms: FitTerms,
  folder: string,
): string {
  const { protocol, patch, model, noise, layers = 1 } = request;
  return commandWith(context, request, place, terms, folder, [
    protocol === undefined ? `--patch ${patch ?? 8}` : `--protocol ${protocol}`,
    `--model ${model}`,
    ...(layers === 1 ? [] : [`--layers ${layers}`]),
    ...(noise ? [] : ["--no-noise"]),
  ]);
}

export function commandWith(
  { seed, quick }: FitContext,
  { set, heldOut, steps: wanted }: FitRequest | ImageFitRequest,
  place: FitPlace,
  terms: FitTerms,
  folder: string,
  own: readonly string[],
): string {
  const steps = place.steps ?? wanted;
  const isAll = terms.images.length === embeddedPhotographs().length;
  // Some of the photographs that come with the package have no short name.
  const files = terms.images.map((path) => quoted(relative(process.cwd(), path))).join(" ");
  const embedded = isAll ? "--embedded" : files;
  return [
    "gaussianize fit",
    quick ? embedded : quoted(join(place.dataFolder, set)),
    ...own,
    ...(heldOut === 0.1 ? [] : [`--held-out ${heldOut}`]),
    ...(steps === undefined ? [] : [`--steps ${steps}`]),
    ...(seed === 1 ? [] : [`--seed ${seed}`]),
    `-o ${quoted(folder)}`,
  ].join(" ");
}
