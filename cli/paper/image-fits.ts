/**
 * The fits of cascades for the paper's experiments: as those of patches, kept beside the report and
 * used again.
 */
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

/** A density of whole images, fitted or there. */
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
  const asked = askedFor(request);
  const terms = await termsOf(context, { request, asked }, place);
  const set = await openImages(terms, true, effects, context.signal);
  // However many steps somebody gave it.
  const config = { ...configFor(terms, set), steps: Number(run.config.steps) };
  if (!isSame(run.config, config) || !(await run.has("model"))) {
    effects.stderr.write(`The run in ${folder} is not finished, or another one: left out.\n`);
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
