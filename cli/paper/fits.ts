/** Fits of the paper's experiments: runs of `gaussianize fit` beside the report, for reuse. */
import { join, relative } from "node:path";
import { embeddedPhotographs } from "../../node/embedded-photographs.js";
import { readImageModel, readModel } from "../../node/model-files.js";
import { RunFolder, contentOf, enterFolder } from "../../node/run-folder.js";
import type {
  FitRecord,
  FitRequest,
  ImageFitRequest,
  PaperContext,
  PaperFit,
  PaperImageFit,
} from "../../paper/experiment.js";
import type { JsonObject } from "../../src/density/model-files/json.js";
import {
  type AnyModel,
  type PatchModel,
  isMixtureModel,
  requirePatchModel,
} from "../../src/density/model-files/model.js";
import { GaussianizeError } from "../../src/errors.js";
import { thousands } from "../../src/numbers/format-number.js";
import type { ImageSet } from "../../src/patches/image-set.js";
import { type FitTerms, fitTerms, flagsOf } from "../../src/runs/fit-terms.js";
import type { FitAsked } from "../../src/training/fit-options.js";
import { splitImages } from "../../src/training/held-out.js";
import { optionNames, optionTable } from "../../src/training/settle-options.js";
import { namedModel } from "../../src/transforms/model-names.js";
import type { Effects } from "../effects.js";
import { type FitConfig, configFor } from "../fit/config.js";
import { openImages } from "../fit/images.js";
import { requireMemory } from "../fit/memory.js";
import { runFit } from "../fit/run.js";
import { quoted } from "../text.js";

export interface FitPlace {
  /** Folder of all fits. */
  readonly folder: string;
  readonly dataFolder: string;
  /** Steps of every fit, instead of those of the experiments. */
  readonly steps: number | undefined;
  /** Command that resumes the experiments after an interruption. */
  readonly command: string;
}

type FitContext = Pick<PaperContext, "runner" | "seed" | "signal" | "quick" | "images">;

type AnyRequest = FitRequest | ImageFitRequest;

/** A fit that an experiment asks for. */
interface AskedFit {
  readonly request: AnyRequest;
  /** Options in the order of its command line. */
  readonly asked: FitAsked;
  readonly title: string;
}

export async function fitForPaper(
  context: FitContext,
  request: FitRequest,
  place: FitPlace,
  effects: Effects,
): Promise<PaperFit> {
  const asked = askedFor(request);
  const found = await finished(context, asked, place, effects);
  return fitOf(found, asked, commandOf(context, asked, place, found.config));
}

/** Fits a density of whole images, or reuses it. */
export async function fitImagesForPaper(
  context: FitContext,
  request: ImageFitRequest,
  place: FitPlace,
  effects: Effects,
): Promise<PaperImageFit> {
  const asked = askedFor(request);
  const found = await finished(context, asked, place, effects);
  return imageFitOf(found, asked, commandOf(context, asked, place, found.config));
}

interface FinishedRun {
  readonly run: RunFolder;
  readonly config: FitConfig;
  readonly set: ImageSet;
}

/** Returns the finished run of a fit, which is made or reused. */
async function finished(
  context: FitContext,
  asked: AskedFit,
  place: FitPlace,
  effects: Effects,
): Promise<FinishedRun> {
  const folder = folderOf(context, asked.request, place);
  const terms = await termsOf(context, asked, place);
  requireMemory(terms, effects.memory());
  const set = await openImages(terms, true, effects, context.signal);
  const leave = await enterFolder(folder);
  try {
    const { run, config } = await openRun(folder, terms, set, effects);
    if (!(await run.has("model"))) {
      effects.stderr.write(`${asked.title}: ${thousands(config.steps)} steps in ${folder}\n`);
      const { runner, signal } = context;
      const fit = { run, config, set, signal, resumeWith: place.command };
      const { problem } = await runFit(runner, fit, effects);
      if (problem !== null) throw new GaussianizeError("fit-failed", problem);
    }
    return { run, config, set };
  } finally {
    await leave();
  }
}

function folderOf({ seed }: FitContext, request: AnyRequest, place: FitPlace): string {
  return join(place.folder, folderName(request, seed, place.steps));
}

/** Different models have different names, so that no run replaces another. */
function folderName({ name }: AnyRequest, seed: number, steps: number | undefined): string {
  const ofSeed = seed === 1 ? "" : `-seed${seed}`;
  return `${name}${ofSeed}${steps === undefined ? "" : `-steps${steps}`}`;
}

/** Returns the terms of a fit, with the seed and the steps of this report. */
async function termsOf(
  context: FitContext,
  { request, asked }: AskedFit,
  place: FitPlace,
): Promise<FitTerms> {
  const { heldOut, set } = request;
  const all = { ...asked, heldOut, seed: context.seed, steps: place.steps ?? request.steps };
  return fitTerms(all, await context.images(set));
}

function askedFor(request: AnyRequest): AskedFit {
  if ("cascade" in request) {
    const { cascade, secondNormalization, greedy } = request;
    const isGdn = secondNormalization === "gdn";
    return {
      request,
      asked: { cascade, ...(!isGdn && { secondNormalization }), greedy },
      title: `CICA–GDN–CICA–${isGdn ? "GDN" : "MG"}, ${cascade}`,
    };
  }
  const { protocol, patch = 8, model, noise } = request;
  const { layers = 1, couplings = 0, components = 1, symmetric = false } = request;
  const { gradient, learningRate } = request;
  return {
    request,
    asked: {
      ...(protocol === undefined ? { patch } : { protocol }),
      model,
      ...(layers !== 1 && { layers }),
      ...(couplings !== 0 && { couplings }),
      ...(components !== 1 && { components }),
      ...(symmetric && { symmetric }),
      ...(gradient !== undefined && { gradient }),
      ...(learningRate !== undefined && { learningRate }),
      ...(!noise && { noise }),
    },
    title: titleOf(request),
  };
}

/** Returns "GDN of 4 layers, couplings of 96 units, symmetric". */
function titleOf(request: FitRequest): string {
  const { model, layers = 1, couplings = 0, components = 1, symmetric = false } = request;
  const { title } = namedModel(model);
  return [
    layers === 1 ? title : `${title} of ${layers} layers`,
    ...(couplings === 0 ? [] : [`couplings of ${couplings} units`]),
    ...(components === 1 ? [] : [`${components} components`]),
    ...(symmetric ? ["symmetric"] : []),
  ].join(", ");
}

/** Opens the run in the folder if it is the same fit of the same images, or creates a new one. */
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
    effects.stderr.write(
      `The run in ${folder} has other images or another version: starting again.\n`,
    );
  }
  return { run: RunFolder.create(folder, config), config };
}

/** Compares configurations; images may have moved if they are the same. */
function isSame(before: Readonly<Record<string, unknown>>, now: FitConfig): boolean {
  const textOf = (config: Readonly<Record<string, unknown>>): string =>
    JSON.stringify([
      ...["program", "fingerprint", "window", "restarts"].map((key) => config[key]),
      ...optionNames.map((name) => config[name] ?? optionTable[name].absent),
    ]);
  return textOf(before) === textOf(now);
}

async function fitOf(
  { run, config, set }: FinishedRun,
  { title }: AskedFit,
  command: string,
): Promise<PaperFit> {
  const model = await readModelOfPatches(run.path("model"));
  const steps = await stepRecords(run);
  return {
    ...recordOf(title, run, config, model, command, steps),
    model,
    ...splitOf(config, set),
    curve: {
      x: steps.map(({ step }) => Number(step)),
      y: steps.map(({ negentropyDifferencePerDimension: value }) => Number(value)),
    },
  };
}

/** Reads a transform or a mixture; rejects models of whole images. */
async function readModelOfPatches(path: string): Promise<PatchModel> {
  const model = await readModel(path);
  return isMixtureModel(model) ? model : requirePatchModel(model, path);
}

function recordOf(
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

async function stepRecords(run: RunFolder): Promise<readonly JsonObject[]> {
  const records = (await run.keepMetricsUntil(Infinity)).reverse();
  return records.filter((record) => "negentropyDifferencePerDimension" in record);
}

/** Returns the command line of `gaussianize fit` that gives the same model. */
function commandOf(
  context: FitContext,
  { request, asked }: AskedFit,
  place: FitPlace,
  terms: FitTerms,
): string {
  const { seed, quick } = context;
  const { set, heldOut, steps: wanted } = request;
  const isAll = terms.images.length === embeddedPhotographs().length;
  // A part of the photographs of the package has no flag.
  const files = terms.images.map((path) => quoted(relative(process.cwd(), path))).join(" ");
  const embedded = isAll ? "--embedded" : files;
  const all = {
    ...asked,
    ...(heldOut !== 0.1 && { heldOut }),
    steps: place.steps ?? wanted,
    ...(seed !== 1 && { seed }),
  };
  return [
    "gaussianize fit",
    quick ? embedded : quoted(join(place.dataFolder, set)),
    ...flagsOf(all),
    `-o ${quoted(folderOf(context, request, place))}`,
  ].join(" ");
}

async function imageFitOf(
  { run, config, set }: FinishedRun,
  { title }: AskedFit,
  command: string,
): Promise<PaperImageFit> {
  const path = run.path("model");
  const model = await readImageModel(path);
  const record = recordOf(title, run, config, model, command, await stepRecords(run));
  return { ...record, model, ...splitOf(config, set) };
}

/** Returns the files of the training images and of those held out. */
function splitOf({ heldOut: share, seed }: FitConfig, { images }: ImageSet) {
  const { training, heldOut } = splitImages(images.length, share, seed);
  const pathsOf = (indices: Uint32Array): string[] =>
    Array.from(indices, (index) => images[index].path);
  return { images: pathsOf(training), heldOut: pathsOf(heldOut) };
}
