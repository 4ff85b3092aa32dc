/** What the compute worker does for the panel: a picture made noisy and shown, and denoised. Pictures come back as PNG files. */
import {
  type DenoisingMethod,
  type DenoisingStage,
  type DenoisingWarning,
  type PictureChannels,
  type PictureQuality,
  channelNoiseLevels,
  denoisePicture,
  encodePng,
  greyLevels,
  overallNoiseLevel,
  pictureQuality,
} from "../../../src/index.js";
import type { LabJob, Perform } from "../../compute/job.js";
import { fileName, labPriors } from "./lab-priors.js";
import {
  type NumberedFile,
  type OpenSubject,
  type Subject,
  decodeSubject,
  openSubject,
} from "./subject.js";

/** Fails where a file cannot be read. */
export type CheckPicture = LabJob<NumberedFile, null>;

export const checkPicture: Perform<CheckPicture> = async (input) => {
  await decodeSubject(input);
  return null;
};

export interface Prepared {
  readonly width: number;
  readonly height: number;
  /** Of the file, of which this may be a part. */
  readonly whole: { readonly width: number; readonly height: number };
  /** 1: grey, 3: colours. */
  readonly channels: number;
  readonly isReduced: boolean;
  readonly noisy: Blob;
  /** Null where it is not known, as the quality. */
  readonly clean: Blob | null;
  readonly quality: PictureQuality | null;
  /** From the noisy picture alone, in grey levels. */
  readonly estimate: number;
}

export type PrepareDenoising = LabJob<Subject, Prepared>;

export const prepareDenoising: Perform<PrepareDenoising> = async (input, { signal }) => {
  const subject = await openSubject(input);
  signal.throwIfAborted();
  const { clean, noisy, whole, isReduced } = subject;
  return {
    ...{ width: noisy.width, height: noisy.height, channels: noisy.channels.length },
    ...{ whole, isReduced },
    noisy: pngOf(subject, noisy),
    clean: clean && pngOf(subject, clean),
    quality: clean && pictureQuality(noisy, clean),
    estimate: greyLevels * overallNoiseLevel(channelNoiseLevels(noisy)),
  };
};

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

export type DenoiseSubject = LabJob<DenoiseInput, Denoised, DenoisingStage>;

/** Often enough for a bar to move, seldom enough for the page. */
const millisecondsBetweenReports = 200;

export const denoiseSubject: Perform<DenoiseSubject> = async (input, context) => {
  const { method, rounds, sigma } = input;
  const start = performance.now();
  const subject = await openSubject(input.subject);
  context.signal.throwIfAborted();
  const warnings = new Map<string, DenoisingWarning>();
  let reported = 0;
  const outcome = await denoisePicture(context.runner, labPriors, subject.noisy, {
    ...{ method, rounds, signal: context.signal },
    // As the command, which has one seed for the noise and for the choice of the prior.
    seed: input.subject.noise?.seed ?? 1,
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
    picture: pngOf(subject, outcome),
    quality: subject.clean && pictureQuality(outcome, subject.clean),
    ...{ sigma: sigma ?? greyLevels * outcome.sigma, isEstimated: outcome.isEstimated },
    ...{ isUnchanged: outcome.isUnchanged, priors: outcome.priors.map(fileName) },
    ...{ warnings: [...warnings.values()], seconds },
  };
};

function pngOf({ alpha }: OpenSubject, { width, height, channels }: PictureChannels): Blob {
  const bytes = encodePng({ width, height, channels, alpha }, { level: 6 });
  return new Blob([bytes], { type: "image/png" });
}
