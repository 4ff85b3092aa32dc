/** The methods of denoising, each with its usual settings, as functions of one grey image. */
import { densityOf } from "../density/density-of.js";
import {
  type AnyModel,
  type Model,
  isImageModel,
  requirePatchModel,
} from "../density/model-files/model.js";
import { requireReading } from "../density/model-files/model-reading.js";
import type { GreyImage } from "../images/grey-image.js";
import { square } from "../numbers/square.js";
import type { TaskRunner } from "../parallel/job.js";
import type { Seed } from "../random/random-stream.js";
import type { GreyDenoiser } from "./denoise-channels.js";
import { denoiseImage } from "./denoise-image.js";
import type { DenoisingStage, DenoisingWatch } from "./denoising-watch.js";
import { fitToNoisyImage, shareOfFit } from "./fit-to-image.js";
import { denoiseGuided, guideStride } from "./guided/denoise-guided.js";
import type { GuidedDensities } from "./guided/guided-density.js";
import { greyLevels } from "./picture-noise.js";
import { type PriorShelf, nearestOf } from "./prior-shelf.js";
import { denoiseByScaleMixtures } from "./wavelet-gsm.js";
import { denoiseByMarginals } from "./wavelet-marginal.js";
import { denoiseByWiener } from "./wiener.js";

/** By a density of patches, which has the name of the family of its priors, or in wavelets. */
export const denoisingMethods = ["gdn", "ica-mg", "gsm", "marginal", "wiener"] as const;
export type DenoisingMethod = (typeof denoisingMethods)[number];
type DensityMethod = "gdn" | "ica-mg";

export interface DenoiserSettings {
  /** Default "gdn". */
  readonly method?: DenoisingMethod;
  /** Instead of the priors: a density of noisy patches, or of whole noisy images. */
  readonly model?: AnyModel | undefined;
  /**
   * 1: paper eq. (7) alone; up to 4: again, by densities that know the estimate before. Default 3
   * for "gdn", unless there is a `model` or next to no noise.
   */
  readonly rounds?: number | undefined;
  /**
   * Pixels between patches of the last round, default 1; in a single round a quarter of their side.
   * Of whole images, between shifts of the grid.
   */
  readonly stride?: number | undefined;
  /**
   * Fits the density of the first round, one of patches, to the noisy picture itself, with so many
   * steps; default 0, not at all.
   */
  readonly fitSteps?: number | undefined;
  /** Seed of that fit, default 1. */
  readonly seed?: Seed;
}

/** What a denoiser of one channel tells of itself. */
export interface ChannelWatch extends Omit<DenoisingWatch, "onStage"> {
  readonly onStage: (stage: Omit<DenoisingStage, "channel" | "channels">) => void;
  /** A prior that serves. */
  readonly onPrior: (path: string) => void;
}

export function denoiserOf(
  runner: TaskRunner,
  shelf: PriorShelf,
  settings: DenoiserSettings,
  watch: ChannelWatch,
): GreyDenoiser {
  const { method = "gdn" } = settings;
  return method === "gdn" || method === "ica-mg"
    ? densityDenoiser({ runner, shelf, settings: { ...settings, method }, watch })
    : waveletDenoiser(method, watch);
}

/** Shifts that are averaged over: more cost as much again, and bring little. */
const shifts = 4;

function waveletDenoiser(
  method: Exclude<DenoisingMethod, DensityMethod>,
  watch: ChannelWatch,
): GreyDenoiser {
  const denoise = {
    gsm: denoiseByScaleMixtures,
    marginal: denoiseByMarginals,
    wiener: denoiseByWiener,
  }[method];
  return (noisy, sigma) =>
    denoise(noisy, {
      sigma,
      shifts,
      ...signalOf(watch),
      onProgress: (done, total) => {
        watch.onStage({ part: done / total, ...pixelsOf(noisy, done / total), ...onlyRound });
      },
    });
}

const onlyRound = { firstRound: 1, lastRound: 1, rounds: 1 };

function pixelsOf({ width, height }: GreyImage, part: number) {
  const total = width * height;
  return { work: "rounds", done: Math.round(part * total), total } as const;
}

type DensitySettings = DenoiserSettings & { readonly method: DensityMethod };

/** What all parts of the work on pictures need. */
interface Workshop {
  readonly runner: TaskRunner;
  readonly shelf: PriorShelf;
  readonly settings: DensitySettings;
  readonly watch: ChannelWatch;
}

function densityDenoiser(workshop: Workshop): GreyDenoiser {
  const { settings, watch } = workshop;
  return async (noisy, sigma) => {
    if (sigma === 0) return noisy;
    const model = settings.model ?? (await nearestPrior(workshop, sigma));
    await warn(workshop, model, sigma);
    const rounds = roundsOf(settings, sigma);
    const fit = shareOfFit(noisy.pixels.length, settings.fitSteps ?? 0);
    const first = (1 - fit) * (rounds > 1 ? shareOfFirst(rounds, settings.stride) : 1);
    const onPart =
      (before: number, share: number, which: Rounds) =>
      (done: number, total: number): void => {
        const part = before + (share * done) / total;
        watch.onStage({ part, ...pixelsOf(noisy, done / total), ...which });
      };
    const fitted = await fittedTo(workshop, model, noisy, sigma, fit);
    const size = requireReading(model).layout.size;
    const single = settings.stride ?? Math.max(1, Math.floor(size / 4));
    const estimate = await denoiseImage(densityOf(fitted, workshop.runner), noisy, {
      sigma,
      stride: Math.min(size, rounds > 1 ? guideStride : single),
      ...signalOf(watch),
      onProgress: onPart(fit, first, { ...onlyRound, rounds }),
    });
    if (rounds === 1) return estimate;
    const guided = await guidedFor(workshop, greyLevels * sigma);
    return denoiseGuided(workshop.runner, guided, noisy, estimate, {
      sigma,
      rounds: rounds - 1,
      stride: Math.min(guided.size, settings.stride ?? 1),
      ...signalOf(watch),
      onProgress: onPart(fit + first, 1 - fit - first, {
        firstRound: 2,
        lastRound: rounds,
        rounds,
      }),
    });
  };
}

type Rounds = Pick<DenoisingStage, "firstRound" | "lastRound" | "rounds">;

function signalOf({ signal }: ChannelWatch): { readonly signal?: AbortSignal } {
  return signal ? { signal } : {};
}

/**
 * The model, fitted to the image where that was asked for; `share` is what it takes of the time.
 */
async function fittedTo(
  { runner, settings, watch }: Workshop,
  model: AnyModel,
  noisy: GreyImage,
  sigma: number,
  share: number,
): Promise<AnyModel> {
  const { fitSteps: steps = 0, seed = 1 } = settings;
  if (steps === 0) return model;
  return fitToNoisyImage(runner, requirePatchModel(model), noisy, {
    sigma,
    seed,
    steps,
    ...signalOf(watch),
    onProgress: (done, total) => {
      watch.onStage({ part: (share * done) / total, work: "fit", done, total, ...onlyRound });
    },
  });
}

async function guidedFor({ shelf, watch }: Workshop, level: number): Promise<GuidedDensities> {
  const { path } = nearestOf(await shelf.list("guided"), level);
  watch.onPrior(path);
  return shelf.guided(path);
}

/** The prior whose noise level is nearest. */
async function nearestPrior(
  { shelf, settings: { method }, watch }: Workshop,
  sigma: number,
): Promise<Model> {
  const { path } = nearestOf(await shelf.list(method), greyLevels * sigma);
  watch.onPrior(path);
  return shelf.model(path);
}

/**
 * Of the time of several rounds: a patch takes twice as long in the first; those between are at
 * every second pixel or farther apart.
 */
function shareOfFirst(rounds: number, stride = 1): number {
  const first = 2 / (guideStride * guideStride);
  const further = 1 / (stride * stride) + (rounds - 2) / square(Math.max(2, stride));
  return first / (first + further);
}

const usualRounds = 3;
/**
 * In grey levels: with less noise, densities that were fitted to at least 15 make a second round
 * that is worse than the first.
 */
const leastForMore = 4;

function roundsOf({ method, model, rounds }: DensitySettings, sigma: number): number {
  if (method !== "gdn") return 1;
  if (rounds !== undefined) return rounds;
  return model === undefined && greyLevels * sigma >= leastForMore ? usualRounds : 1;
}

/** Noise levels of model and picture may differ by this factor before anybody is warned. */
const farthest = 1.6;

async function warn(
  { shelf, settings: { method, model: own, stride = 1 }, watch: { onWarning } }: Workshop,
  model: AnyModel,
  sigma: number,
): Promise<void> {
  const { noiseLevel = sigma, luminance, layout } = requireReading(model);
  if (luminance === "linear") onWarning?.({ kind: "linear light" });
  const level = greyLevels * sigma;
  const known = own ? greyLevels * noiseLevel : nearestOf(await shelf.list(method), level).sigma;
  // Priors do well with less noise than they know, in pictures whose contrast is raised.
  const distance = Math.max(own ? known / level : 0, level / known);
  if (distance > farthest) onWarning?.({ kind: "far noise", known, level });
  if (stride <= layout.size) return;
  const apart = isImageModel(model) ? "shifts" : "patches";
  onWarning?.({ kind: "stride", apart, stride, size: layout.size });
}
