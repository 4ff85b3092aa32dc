/**
 * Jobs of the panel: a picture is made noisy and shown, and denoised.
 * Pictures come back as PNG files.
 */
import {
  type PictureChannels,
  channelNoiseLevels,
  overallNoiseLevel,
} from "../../../src/denoising/denoise-channels.js";
import { denoisePicture } from "../../../src/denoising/denoise-picture.js";
import type {
  DenoisingMethod,
  DenoisingStage,
  DenoisingWarning,
} from "../../../src/denoising/picture-denoiser.js";
import { greyLevels } from "../../../src/denoising/picture-noise.js";
import { type PictureQuality, pictureQuality } from "../../../src/evaluation/picture-quality.js";
import { type PngOptions, encodePng } from "../../../src/figures/encode-png.js";
import type { Job } from "../../compute/job.js";
import { fileName, labPriors } from "./lab-priors.js";
import { type OpenSubject, type Subject, openSubject } from "./subject.js";

/** The looks of the picture: told before its figures, which take longer. */
export interface Looks {
  readonly width: number;
  readonly height: number;
  /** Size of the file, of which this may be a part. */
  readonly whole: { readonly width: number; readonly height: number };
  /** 1: grey, 3: colours. */
  readonly channels: number;
  readonly isReduced: boolean;
  readonly noisy: Blob;
  /** Null where it is not known, as the quality. */
  readonly clean: Blob | null;
}

export interface Figures {
  readonly quality: PictureQuality | null;
  /** From the noisy picture alone, in grey levels. */
  readonly estimate: number;
}

export interface PreparedSubject {
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

/** Lets the worker hear of a cancel: of large pictures, each part takes seconds. */
async function unlessCancelled(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  signal.throwIfAborted();
}

let lastClean: { readonly settings: string; readonly png: Blob } | undefined;

/** The last one is kept: it is the same for every noise. */
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
  /** In grey levels; null: estimated. */
  readonly sigma: number | null;
}

export interface Denoised {
  readonly picture: Blob;
  readonly quality: PictureQuality | null;
  /** In grey levels. */
  readonly sigma: number;
  readonly isEstimated: boolean;
  readonly isUnchanged: boolean;
  /** Names of files. */
  readonly priors: readonly string[];
  readonly warnings: readonly DenoisingWarning[];
  readonly seconds: number;
}

/** Often enough for a bar to move, seldom enough for the page. */
const millisecondsBetweenReports = 200;

export const denoiseSubject: Job<DenoiseInput, Denoised, DenoisingStage> = async (
  input,
  context,
) => {
  const { method, rounds, sigma } = input;
  const start = performance.now();
  const subject = await openSubject(input.subject);
  context.signal.throwIfAborted();
  const warnings = new Map<string, DenoisingWarning>();
  let reported = 0;
  const outcome = await denoisePicture(context.runner, labPriors, subject.noisy, {
    method,
    rounds,
    signal: context.signal,
    sigma: sigma === null ? undefined : sigma / greyLevels,
    onStage: (stage) => {
      const now = performance.now();
      if (now - reported < millisecondsBetweenReports) return;
      reported = now;
      context.report(stage);
    },
    onWarning: (warning) => warnings.set(warning.kind, warning),
  });
  const seconds = (performance.now() - start) / 1000;
  return {
    picture: pngOf(subject, outcome, forDownload),
    quality: subject.clean && pictureQuality(outcome, subject.clean),
    sigma: sigma ?? greyLevels * outcome.sigma,
    isEstimated: outcome.isEstimated,
    isUnchanged: outcome.isUnchanged,
    priors: outcome.priors.map(fileName),
    warnings: [...warnings.values()],
    seconds,
  };
};

/** Not compressed: it stays on this machine, and noise hardly gets smaller. */
const forThePage = { level: 0 } as const;
const forDownload = { level: 6 } as const;

function pngOf(
  { alpha }: OpenSubject,
  { width, height, channels }: PictureChannels,
  options: PngOptions,
): Blob {
  const bytes = encodePng({ width, height, channels, alpha }, options);
  return new Blob([bytes], { type: "image/png" });
}
