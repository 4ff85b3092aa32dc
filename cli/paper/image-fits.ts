/** The fits of cascades for the paper's experiments: as those of patches, kept beside the report and used again. */
import { GaussianizeError, isImageModel, splitImages } from "../../src/index.js";
import { readModel } from "../../node/index.js";
import { RunFolder, contentOf } from "../../node/run-folder.js";
import type { ImageFitRequest, PaperImageFit } from "../../paper/experiment.js";
import type { Effects } from "../effects.js";
import type { FitTerms } from "../../src/runs/fit-terms.js";
import { type FitCommandOptions, configFor, termsFrom } from "../fit/config.js";
import { openImages } from "../fit/images.js";
import {
  type FinishedRun,
  type FitContext,
  type FitPlace,
  commandWith,
  finished,
  folderOf,
  isSame,
  recordOf,
  stepRecords,
} from "./fits.js";

/** A density of whole images, fitted or there. */
export async function fitImagesForPaper(
  context: FitContext,
  request: ImageFitRequest,
  place: FitPlace,
  effects: Effects,
): Promise<PaperImageFit> {
  const folder = folderOf(context, request, place);
  const found = await finished(context, request, imageOptionsOf(context, request, place, folder), {
    ...{ place, effects, title: titleOf(request) },
  });
  return imageFitOf(found, request, imageCommandOf(context, request, place, found.config, folder));
}

/** The same where it is finished, else null. */
export async function keptImagesForPaper(
  context: FitContext,
  request: ImageFitRequest,
  place: FitPlace,
  effects: Effects,
): Promise<PaperImageFit | null> {
  const folder = folderOf(context, request, place);
  if ((await contentOf(folder)) !== "run") return null;
  const run = await RunFolder.open(folder);
  const options = imageOptionsOf(context, request, place, folder);
  const terms = termsFrom(options, await context.images(request.set));
  const set = await openImages(terms, true, effects, context.signal);
  // However many steps somebody gave it.
  const config = { ...configFor(terms, set), steps: Number(run.config.steps) };
  if (!isSame(run.config, config) || !(await run.has("model"))) {
    effects.stderr.write(`The run in ${folder} is not finished, or another one: left out.\n`);
    return null;
  }
  const command = imageCommandOf(
    context,
    { ...request, steps: config.steps },
    place,
    terms,
    folder,
  );
  return imageFitOf({ run, config, set }, request, command);
}

function imageOptionsOf(
  { seed }: FitContext,
  request: ImageFitRequest,
  place: FitPlace,
  output: string,
): FitCommandOptions {
  const { cascade, greedy, secondNormalization: second, heldOut } = request;
  const steps = place.steps ?? request.steps;
  return {
    ...{ output, seed, cascade, second, heldOut },
    ...{ model: "gdn", layers: 1, stages: 2, patch: 8, subspace: 4, poolRank: 0 },
    ...(greedy === undefined ? {} : { greedy }),
    ...{ luminance: "linear", noise: true, optimiser: "adam", patience: 5 },
    ...(steps === undefined ? {} : { steps }),
  };
}

async function imageFitOf(
  { run, config, set }: FinishedRun,
  request: ImageFitRequest,
  command: string,
): Promise<PaperImageFit> {
  const path = run.path("model");
  const model = await readModel(path);
  if (!isImageModel(model)) throw new GaussianizeError(`${path} is no model of whole images.`);
  const { training, heldOut } = splitImages(set.images.length, config.heldOut, config.seed);
  const pathsOf = (indices: Uint32Array): string[] =>
    Array.from(indices, (index) => set.images[index].path);
  return {
    ...recordOf(titleOf(request), run, config, model, command, await stepRecords(run)),
    model,
    images: pathsOf(training),
    heldOut: pathsOf(heldOut),
  };
}

function titleOf({ cascade, secondNormalization }: ImageFitRequest): string {
  const last = secondNormalization === "gdn" ? "GDN" : "MG";
  return `CICA–GDN–CICA–${last}, ${cascade}`;
}

function imageCommandOf(
  context: FitContext,
  request: ImageFitRequest,
  place: FitPlace,
  terms: FitTerms,
  folder: string,
): string {
  const { cascade, greedy, secondNormalization } = request;
  return commandWith(context, request, place, terms, folder, [
    `--cascade ${cascade}`,
    ...(secondNormalization === "gdn" ? [] : [`--second ${secondNormalization}`]),
    ...(greedy === undefined ? [] : [`--greedy ${greedy}`]),
  ]);
}
