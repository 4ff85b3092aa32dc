/** Jobs of the panel: prepare a noisy picture, and denoise it. Pictures are returned as PNG. */
import {
  type PictureChannels,
  channelNoiseLevels,
  overallNoiseLevel,
} from "../../../src/denoising/denoise-channels.js";
import { denoisePicture } from "../../../src/denoising/denoise-picture.js";
import { decodeGuided } from "../../../src/denoising/guided/guided-file.js";
import type {
  DenoisingMethod,
  DenoisingStage,
  DenoisingWarning,
} from "../../../src/denoising/picture-denoiser.js";
import { greyLevels } from "../../../src/denoising/picture-noise.js";
import { keptShelf, priorsAmong } from "../../../src/denoising/prior-shelf.js";
import { decodeModel } from "../../../src/density/model-files/model-file.js";
import { requirePatchModel } from "../../../src/density/model-files/model.js";
import { type PictureQuality, pictureQuality } from "../../../src/evaluation/picture-quality.js";
import { encodePng } from "../../../src/figures/encode-png.js";
import type { Job } from "../../compute/job.js";
import { fetchBytes } from "../../fetch-bytes.js";
import { type Tile, firstTile } from "./first-tile.js";
import { type OpenSubject, type Subject, openSubject } from "./subject.js";

/** Everything that is shown before the figures, which take longer. */
export interface Looks extends Pick<OpenSubject, "whole" | "isReduced"> {
  readonly width: number;
  readonly height: number;
  /** 1 for grey, 3 for colour. */
  readonly channels: number;
  readonly noisy: Blob;
  /** Null if it is unknown. */
  readonly clean: Blob | null;
}

export interface Figures {
  /** Quality of the noisy picture; null if the clean one is unknown. */
  readonly quality: PictureQuality | null;
  /** Estimate of σ from the noisy picture alone, in grey levels. */
  readonly estimate: number;
}

interface PreparedSubject {
  readonly looks: Looks;
  readonly figures: Figures;
}

export const prepareDenoising: Job<Subject, PreparedSubject, Looks> = async (
  input,
  { signal, report },
) => {
  const subject = await openSubject(input);
  await unlessCancelled(signal);
  const { clean, noisy, whole, isReduced } = subject;
  const looks: Looks = {
    width: noisy.width,
    height: noisy.height,
    channels: noisy.channels.length,
    whole,
    isReduced,
    noisy: pngOf(subject, noisy, forThePage),
    clean: clean && cleanPng(input, subject, clean),
  };
  report(looks);
  await unlessCancelled(signal);
  const estimate = greyLevels * overallNoiseLevel(channelNoiseLevels(noisy));
  await unlessCancelled(signal);
  return { looks, figures: { estimate, quality: clean && pictureQuality(noisy, clean) } };
};

/** Lets a cancel message in. For large pictures, each part of the job takes seconds. */
async function unlessCancelled(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  signal.throwIfAborted();
}

let lastClean: { readonly settings: string; readonly png: Blob } | undefined;

/** Keeps the last one, because it does not depend on the noise. */
function cleanPng({ key, side }: Subject, subject: OpenSubject, clean: PictureChannels): Blob {
  const settings = JSON.stringify([key, side]);
  if (lastClean?.settings !== settings) {
    lastClean = { settings, png: pngOf(subject, clean, forThePage) };
  }
  return lastClean.png;
}

export interface DenoiseInput {
  readonly subject: Subject;
  readonly method: DenoisingMethod;
  readonly rounds: number | undefined;
  /** In grey levels; null to estimate it. */
  readonly sigma: number | null;
}

export interface Denoised {
  readonly picture: Blob;
  /** Null if the clean picture is unknown. */
  readonly quality: PictureQuality | null;
  /** In grey levels. */
  readonly sigma: number;
  readonly isEstimated: boolean;
  readonly isUnchanged: boolean;
  readonly warnings: readonly DenoisingWarning[];
  readonly seconds: number;
}

/** A part of the result, shown until all of it is there. */
export interface ShownTile {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly file: Blob;
}

export type DenoiseReport = { readonly stage: DenoisingStage } | { readonly tile: ShownTile };

const millisecondsBetweenReports = 200;

export const denoiseSubject: Job<DenoiseInput, Denoised, DenoiseReport> = async (
  input,
  context,
) => {
  const { method, rounds } = input;
  const start = performance.now();
  const subject = await openSubject(input.subject);
  context.signal.throwIfAborted();
  const sigma = input.sigma === null ? undefined : input.sigma / greyLevels;
  const settings = { method, rounds, signal: context.signal, sigma };
  const tile = await firstTile(subject.noisy, (crop) =>
    denoisePicture(context.runner, labPriors, crop, settings),
  );
  if (tile) context.report({ tile: shownTile(tile) });
  const warnings = new Map<string, DenoisingWarning>();
  let reported = 0;
  const outcome = await denoisePicture(context.runner, labPriors, subject.noisy, {
    ...settings,
    onStage: (stage) => {
      const now = performance.now();
      if (now - reported < millisecondsBetweenReports) return;
      reported = now;
      context.report({ stage });
    },
    onWarning: (warning) => warnings.set(warning.kind, warning),
  });
  const seconds = (performance.now() - start) / 1000;
  const { isEstimated, isUnchanged } = outcome;
  return {
    picture: pngOf(subject, outcome, forDownload),
    quality: subject.clean && pictureQuality(outcome, subject.clean),
    sigma: input.sigma ?? greyLevels * outcome.sigma,
    isEstimated,
    isUnchanged,
    warnings: [...warnings.values()],
    seconds,
  };
};

function shownTile({ left, top, width, height, channels }: Tile): ShownTile {
  const bytes = encodePng({ width, height, channels }, { level: forThePage });
  return { left, top, width, height, file: new Blob([bytes], { type: "image/png" }) };
}

/** Not compressed: the file stays on this machine, and noise hardly compresses. */
const forThePage = 0;
const forDownload = 6;

function pngOf(
  { alpha }: OpenSubject,
  { width, height, channels }: PictureChannels,
  level: typeof forThePage | typeof forDownload,
): Blob {
  const bytes = encodePng({ width, height, channels, alpha }, { level });
  return new Blob([bytes], { type: "image/png" });
}

const urls = import.meta.glob<string>("../../../priors/{gdn,guided}-*.safetensors", {
  query: "?url",
  import: "default",
  eager: true,
});

/** The densities of the package: files beside the page, loaded when they are needed. */
const labPriors = keptShelf({
  list: (family) => Promise.resolve(priorsAmong(Object.keys(urls), family)),
  model: async (path) => {
    const { bytes, name } = await loadPrior(path);
    return requirePatchModel(decodeModel(bytes, name), name);
  },
  guided: async (path) => {
    const { bytes, name } = await loadPrior(path);
    return decodeGuided(bytes, name).guided;
  },
});

async function loadPrior(path: string) {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return { name, bytes: await fetchBytes(urls[path], `The density ${name}`) };
}
