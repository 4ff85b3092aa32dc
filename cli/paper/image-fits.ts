/** Fits of cascades for the paper's experiments, beside the report like those of patches. */
import { splitImages } from "../../src/training/held-out.js";
import { readImageModel } from "../../node/model-files.js";
import { RunFolder, contentOf } from "../../node/run-folder.js";
import type { ImageFitRequest, PaperImageFit } from "../../paper/experiment.js";
import type { Effects } from "../effects.js";
import type { FitAsked } from "../../src/training/fit-options.js";
import { configFor } from "../fit/config.js";
import { openImages } from "../fit/images.js";
import {
  type FinishedRun,
  type FitContext,
  type FitPlace,
  commandOf,
  finished,
  folderOf,
  isSame,
  recordOf,
  stepRecords,
  termsOf,
} from "./fits.js";

/** Fits a density of whole images, or reuses it. */
export async function fitImagesForPaper(
  context: FitContext,
  request: ImageFitRequest,
  place: FitPlace,
  effects: Effects,
): Promise<PaperImageFit> {
  const asked = askedFor(request);
  const found = await finished(
    context,
    { request, asked, title: titleOf(request) },
    place,
    effects,
  );
  return imageFitOf(found, request, commandOf(context, { request, asked }, place, found.config));
}

/** Returns the fit if it is finished, otherwise null. */
export async function keptImagesForPaper(
  context: FitContext,
  request: ImageFitRequest,
  place: FitPlace,
  effects: Effects,
): Promise<PaperImageFit | null> {
  const folder = folderOf(context, request, place);
  if ((await contentOf(folder)) !== "run") return null;
  const run = await RunFolder.open(folder);
  const asked = askedFor(request);
  const terms = await termsOf(context, { request, asked }, place);
  const set = await openImages(terms, true, effects, context.signal);
  // Any number of steps counts.
  const config = { ...configFor(terms, set), steps: Number(run.config.steps) };
  if (!isSame(run.config, config) || !(await run.has("model"))) {
    effects.stderr.write(`Skipped the run in ${folder}: it is unfinished, or another fit.\n`);
    return null;
  }
  const { steps } = config;
  const command = commandOf(context, { request: { ...request, steps }, asked }, place, terms);
  return imageFitOf({ run, config, set }, request, command);
}

function askedFor({ cascade, secondNormalization, greedy }: ImageFitRequest): FitAsked {
  return {
    cascade,
    ...(secondNormalization !== "gdn" && { secondNormalization }),
    greedy,
  };
}

async function imageFitOf(
  { run, config, set }: FinishedRun,
  request: ImageFitRequest,
  command: string,
): Promise<PaperImageFit> {
  const path = run.path("model");
  const model = await readImageModel(path);
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
