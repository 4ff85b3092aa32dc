/** Denoising methods with their default settings, as functions of one grey image. */
import { densityOf } from "../density/density-of.js";
import { type AnyModel, isImageModel, requirePatchModel } from "../density/model-files/model.js";
import { requireReading } from "../density/model-files/model-reading.js";
import type { GreyImage } from "../images/grey-image.js";
import type { TaskRunner } from "../parallel/job.js";
import type { Seed } from "../random/random-stream.js";
import type { GreyDenoiser } from "./denoise-channels.js";
import { denoiseImage } from "./denoise-image.js";
import { fitToNoisyImage, shareOfFit } from "./fit-to-image.js";
import {
  type DenoisingPlan,
  type DenoisingPreset,
  planOf,
  timesOf,
  totalTime,
} from "./denoising-plan.js";
import { denoiseGuided } from "./guided/denoise-guided.js";
import { denoiseLast } from "./guided/denoise-last.js";
import type { GuidedDensities } from "./guided/guided-density.js";
import { trustedChange } from "./guided/trusted-change.js";
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
   * Time and quality, default "default". "fast" takes less than half its time, "best" about twice
   * as long.
   */
  readonly preset?: DenoisingPreset | undefined;
  /**
   * Number of rounds, 1 to 4. The first is paper eq. (7); the others use densities that know the
   * last estimate. Default for "gdn": by preset; 1 with a `model`, with `fitSteps`, or for hardly
   * any noise.
   */
  readonly rounds?: number | undefined;
  /**
   * Whether the similar patches of the picture refine the estimate before the last of three or more
   * rounds, or after the last of fewer (self-similar/). Default: with all rounds of the preset, and
   * with `fitSteps` of a prior.
   */
  readonly selfSimilar?: boolean | undefined;
  /**
   * Pixels between patches in the last round, default by preset; in a single round a quarter of
   * their side.
   * For whole images, pixels between shifts of the grid.
   */
  readonly stride?: number | undefined;
  /**
   * Steps of a fit of the first density, one of patches, to the noisy picture; default 0, no fit.
   * For drawings and patterns: guided densities know photographs only, so none follow by default.
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
  const { method, fitSteps = 0 } = settings;
  const { signal } = watch;
  return async (noisy, sigma, channel) => {
    if (sigma === 0) return noisy;
    const level = greyLevels * sigma;
    const prior = settings.model ? undefined : nearestOf(await shelf.list(method), level);
    if (prior) watch.onPrior(prior.path);
    const model = prior ? await shelf.model(prior.path) : (settings.model as AnyModel);
    // Colour differences have other noise levels, which one model cannot suit, too.
    if (channel === 0) warn(work, model, prior, sigma);
    const size = requireReading(model).layout.size;
    const plan = planOf(settings, { level, size });
    const rounds = 1 + plan.guided.length;
    const guided = rounds > 1 ? await guidedOf(work, sigma) : undefined;
    const { strides, last } = orderOf(plan, guided);
    const times = timesOf({ ...plan, guided: strides });
    const timeOfLast = last ? timesOf({ ...plan, guided: [last.stride] }).guided : 0;
    const fit = shareOfFit(noisy.pixels.length, fitSteps, totalTime(plan));
    const share = (time: number): number => ((1 - fit) * time) / totalTime(plan);
    let before = fit;
    const onPart = (time: number, which: typeof onlyRound) => {
      const from = before;
      before += share(time);
      return (done: number, total: number): void => {
        const part = from + (share(time) * done) / total;
        watch.onStage({ part, ...pixelsOf(noisy, done / total), ...which });
      };
    };
    const fitted = fitSteps === 0 ? model : await fittedTo(work, model, noisy, sigma, fit);
    let estimate = await denoiseImage(densityOf(fitted, runner), noisy, {
      sigma,
      stride: Math.min(size, plan.first),
      // Other densities may depend more on their determinant than the priors do.
      isExpanded: prior !== undefined,
      signal,
      onProgress: onPart(times.first, { ...onlyRound, rounds }),
    });
    if (guided) {
      const which = { firstRound: 2, lastRound: 1 + strides.length, rounds };
      const options = { sigma, strides, signal, onProgress: onPart(times.guided, which) };
      estimate = await denoiseGuided(runner, guided, noisy, estimate, options);
    }
    const which = { firstRound: rounds, lastRound: rounds, rounds };
    if (plan.similar) {
      const onProgress = onPart(times.similar, which);
      const options = { sigma, strides: plan.similar, signal, onProgress };
      estimate = await denoiseSelfSimilar(runner, noisy, estimate, options);
    }
    if (!last) return estimate;
    const onProgress = onPart(timeOfLast, which);
    const options = { sigma, stride: last.stride, signal, onProgress };
    const refined = await denoiseLast(runner, last.densities, noisy, estimate, options);
    return trustedChange(estimate, refined, sigma);
  };
}

/** Returns the guided densities of the nearest noise level. */
async function guidedOf({ shelf, watch }: DensityWork, sigma: number): Promise<GuidedDensities> {
  const { path } = nearestOf(await shelf.list("guided"), greyLevels * sigma);
  watch.onPrior(path);
  return shelf.guided(path);
}

/**
 * Returns the strides of the guided rounds. If the plan has similar patches and there are densities
 * for the round after them, that round is the last one.
 */
function orderOf({ guided: planned, similar }: DenoisingPlan, guided: GuidedDensities | undefined) {
  const strides = planned.map((stride) => Math.min(guided?.size ?? stride, stride));
  const densities = guided?.last;
  if (!densities || !similar || strides.length < 2) return { strides };
  const stride = Math.min(densities.size, strides[strides.length - 1]);
  return { strides: strides.slice(0, -1), last: { densities, stride } };
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
