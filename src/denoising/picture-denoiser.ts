/** Denoising methods with their default settings, as functions of one grey image. */
import { densityOf } from "../density/density-of.js";
import { type AnyModel, isImageModel, requirePatchModel } from "../density/model-files/model.js";
import { requireReading } from "../density/model-files/model-reading.js";
import type { GreyImage } from "../images/grey-image.js";
import { square } from "../numbers/square.js";
import type { TaskRunner } from "../parallel/job.js";
import type { Seed } from "../random/random-stream.js";
import type { GreyDenoiser } from "./denoise-channels.js";
import { denoiseImage } from "./denoise-image.js";
import { fitToNoisyImage, shareOfFit } from "./fit-to-image.js";
import {
  type GuidedDenoisingOptions,
  denoiseGuided,
  guideStride,
} from "./guided/denoise-guided.js";
import { type NoiseDoubt, greyLevels } from "./picture-noise.js";
import { type DenoisingPrior, type PriorShelf, nearestOf } from "./prior-shelf.js";
import { denoiseSelfSimilar } from "./self-similar/denoise-similar.js";
import { denoiseByScaleMixtures } from "./wavelet-gsm.js";
import { denoiseByMarginals } from "./wavelet-marginal.js";
import { denoiseByWiener } from "./wiener.js";

/** Densities of patches, named after the family of their priors, and wavelet methods. */
export const denoisingMethods = ["gdn", "ica-mg", "gsm", "marginal", "wiener"] as const;
export type DenoisingMethod = (typeof denoisingMethods)[number];
type DensityMethod = "gdn" | "ica-mg";

export interface DenoiserSettings {
  /** Default "gdn". */
  readonly method?: DenoisingMethod;
  /** A density of noisy patches or of whole noisy images, used instead of the priors. */
  readonly model?: AnyModel | undefined;
  /**
   * Number of rounds, 1 to 4. The first is paper eq. (7); the others use densities that know the
   * last estimate. Default 3 for "gdn"; 1 with a `model` or for hardly any noise.
   */
  readonly rounds?: number | undefined;
  /**
   * Whether the similar patches of the picture refine the last estimate (self-similar/). Default:
   * with three or more rounds of "gdn".
   */
  readonly selfSimilar?: boolean | undefined;
  /**
   * Pixels between patches in the last round, default 1; in a single round a quarter of their side.
   * For whole images, pixels between shifts of the grid.
   */
  readonly stride?: number | undefined;
  /**
   * Steps of a fit of the first density, one of patches, to the noisy picture; default 0, no fit.
   */
  readonly fitSteps?: number | undefined;
  /** Seed of that fit, default 1. */
  readonly seed?: Seed;
}

/** Progress on a picture. */
export interface DenoisingStage {
  /** Share of the picture that is done, from 0 to 1. */
  readonly part: number;
  /** Number of the current channel, from 1: grey, or brightness and two differences. */
  readonly channel: number;
  readonly channels: number;
  /** Unit of `done` and `total`: steps of a fit, or pixels of the rounds. */
  readonly work: "fit" | "rounds";
  readonly done: number;
  readonly total: number;
  /** Numbers of the rounds that these pixels belong to, from 1, and the number of all rounds. */
  readonly firstRound: number;
  readonly lastRound: number;
  readonly rounds: number;
}

/** A warning about a result, given once for each cause. Noise levels are in grey levels of 255. */
export type DenoisingWarning =
  | NoiseDoubt
  /**
   * The stride exceeds the `size` of a patch, or of a block of the grid; `size` is used instead.
   */
  | {
      readonly kind: "stride";
      readonly apart: "patches" | "shifts";
      readonly stride: number;
      readonly size: number;
    }
  /** The given model was fitted to linear light; pictures are denoised as they are stored. */
  | { readonly kind: "linear light" }
  /** The given model, or the nearest prior, has a noise level far from that of the brightness. */
  | { readonly kind: "far noise"; readonly known: number; readonly level: number };

export interface DenoisingWatch {
  readonly signal?: AbortSignal | undefined;
  readonly onStage?: ((stage: DenoisingStage) => void) | undefined;
  readonly onWarning?: ((warning: DenoisingWarning) => void) | undefined;
}

/** Receives the events of a denoiser of one channel. */
export interface ChannelWatch extends Omit<DenoisingWatch, "onStage"> {
  readonly onStage: (stage: Omit<DenoisingStage, "channel" | "channels">) => void;
  /** Reports a prior that is used. */
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

/** Shifts to average over; more cost as much again and gain little. */
const shifts = 4;

function waveletDenoiser(
  method: Exclude<DenoisingMethod, DensityMethod>,
  { signal, onStage }: ChannelWatch,
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
      signal,
      onProgress: (done, total) => {
        onStage({ part: done / total, ...pixelsOf(noisy, done / total), ...onlyRound });
      },
    });
}

const onlyRound = { firstRound: 1, lastRound: 1, rounds: 1 };

function pixelsOf({ width, height }: GreyImage, part: number) {
  const total = width * height;
  return { work: "rounds", done: Math.round(part * total), total } as const;
}

interface DensityWork {
  readonly runner: TaskRunner;
  readonly shelf: PriorShelf;
  readonly settings: DenoiserSettings & { readonly method: DensityMethod };
  readonly watch: ChannelWatch;
}

function densityDenoiser(work: DensityWork): GreyDenoiser {
  const { runner, shelf, settings, watch } = work;
  const { method, stride, fitSteps = 0 } = settings;
  const { signal } = watch;
  return async (noisy, sigma, channel) => {
    if (sigma === 0) return noisy;
    const level = greyLevels * sigma;
    const prior = settings.model ? undefined : nearestOf(await shelf.list(method), level);
    if (prior) watch.onPrior(prior.path);
    const model = prior ? await shelf.model(prior.path) : (settings.model as AnyModel);
    // Colour differences have other noise levels, which one model cannot suit, too.
    if (channel === 0) warn(work, model, prior, sigma);
    const rounds = roundsOf(settings, level);
    const fit = shareOfFit(noisy.pixels.length, fitSteps);
    const isSimilar = settings.selfSimilar ?? rounds >= usualRounds;
    const last = isSimilar ? (1 - fit) * shareOfSimilar(rounds, stride) : 0;
    const first = (1 - fit - last) * (rounds > 1 ? shareOfFirst(rounds, stride) : 1);
    const onPart =
      (before: number, share: number, which: typeof onlyRound) =>
      (done: number, total: number): void => {
        const part = before + (share * done) / total;
        watch.onStage({ part, ...pixelsOf(noisy, done / total), ...which });
      };
    const fitted = fitSteps === 0 ? model : await fittedTo(work, model, noisy, sigma, fit);
    const size = requireReading(model).layout.size;
    const single = stride ?? Math.max(1, Math.floor(size / 4));
    const estimate = await denoiseImage(densityOf(fitted, runner), noisy, {
      sigma,
      stride: Math.min(size, rounds > 1 ? guideStride : single),
      // Other densities may depend more on their determinant than the priors do.
      isExpanded: prior !== undefined,
      signal,
      onProgress: onPart(fit, first, { ...onlyRound, rounds }),
    });
    const refined =
      rounds === 1
        ? estimate
        : await guidedRounds(work, noisy, estimate, {
            sigma,
            rounds: rounds - 1,
            onProgress: onPart(fit + first, 1 - fit - first - last, {
              firstRound: 2,
              lastRound: rounds,
              rounds,
            }),
          });
    if (!isSimilar) return refined;
    const onProgress = onPart(1 - last, last, { firstRound: rounds, lastRound: rounds, rounds });
    return denoiseSelfSimilar(runner, noisy, refined, { sigma, signal, onProgress });
  };
}

/** Refines the first estimate by the guided densities of the nearest noise level. */
async function guidedRounds(
  { runner, shelf, settings: { stride }, watch }: DensityWork,
  noisy: GreyImage,
  estimate: GreyImage,
  options: Pick<GuidedDenoisingOptions, "sigma" | "rounds" | "onProgress">,
): Promise<GreyImage> {
  const { path } = nearestOf(await shelf.list("guided"), greyLevels * options.sigma);
  watch.onPrior(path);
  const guided = await shelf.guided(path);
  return denoiseGuided(runner, guided, noisy, estimate, {
    ...options,
    stride: Math.min(guided.size, stride ?? 1),
    signal: watch.signal,
  });
}

/** Fits the model to the noisy image, which takes `share` of the time. */
function fittedTo(
  { runner, settings, watch }: DensityWork,
  model: AnyModel,
  noisy: GreyImage,
  sigma: number,
  share: number,
): Promise<AnyModel> {
  const { fitSteps: steps = 0, seed = 1 } = settings;
  return fitToNoisyImage(runner, requirePatchModel(model), noisy, {
    sigma,
    seed,
    steps,
    signal: watch.signal,
    onProgress: (done, total) => {
      watch.onStage({ part: (share * done) / total, work: "fit", done, total, ...onlyRound });
    },
  });
}

/**
 * Returns the share of the time that the first of several rounds takes. A patch takes twice as long
 * in the first round; rounds between use at most every second pixel.
 */
function shareOfFirst(rounds: number, stride = 1): number {
  return timeOfFirst / (timeOfFirst + timeOfFurther(rounds, stride));
}

/** Times in units of a guided round with a patch at every pixel. */
const timeOfFirst = 2 / (guideStride * guideStride);
const timeOfSimilar = 0.25;

function timeOfFurther(rounds: number, stride: number): number {
  return 1 / (stride * stride) + (rounds - 2) / square(Math.max(2, stride));
}

/** Returns the share of the time that the groups of similar patches take. */
function shareOfSimilar(rounds: number, stride = 1): number {
  const others = timeOfFirst + (rounds > 1 ? timeOfFurther(rounds, stride) : 0);
  return timeOfSimilar / (timeOfSimilar + others);
}

const usualRounds = 3;
/**
 * Lowest noise level for more rounds, in grey levels. Guided densities were fitted to at least 15;
 * with less noise than this, a second round makes the result worse.
 */
const leastForMore = 4;

function roundsOf({ method, model, rounds }: DensityWork["settings"], level: number): number {
  if (method !== "gdn") return 1;
  return rounds ?? (model === undefined && level >= leastForMore ? usualRounds : 1);
}

/** Largest factor between the noise levels of model and picture without a warning. */
const farthest = 1.6;

function warn(
  { settings: { stride = 1 }, watch: { onWarning } }: DensityWork,
  model: AnyModel,
  prior: DenoisingPrior | undefined,
  sigma: number,
): void {
  const { noiseLevel = sigma, luminance, layout } = requireReading(model);
  if (luminance === "linear") onWarning?.({ kind: "linear light" });
  const level = greyLevels * sigma;
  const known = prior?.sigma ?? greyLevels * noiseLevel;
  // Priors do well on less noise than they were fitted to, since the contrast is raised.
  const distance = Math.max(prior ? 0 : known / level, level / known);
  if (distance > farthest) onWarning?.({ kind: "far noise", known, level });
  if (stride <= layout.size) return;
  const apart = isImageModel(model) ? "shifts" : "patches";
  onWarning?.({ kind: "stride", apart, stride, size: layout.size });
}
