/** Denoises pictures by any method with its default settings, as `gaussianize denoise` does. */
import { checkRunner } from "../density/batch-passes.js";
import { GaussianizeError, expected } from "../errors.js";
import type { TaskRunner } from "../parallel/job.js";
import { checkFields } from "../transforms/checks.js";
import { type PictureChannels, denoiseChannels } from "./denoise-channels.js";
import { denoisingPresets, planOf, totalTime } from "./denoising-plan.js";
import {
  type DenoiserSettings,
  type DenoisingWatch,
  denoiserOf,
  denoisingMethods,
} from "./picture-denoiser.js";
import { greyLevels, leastNoise } from "./picture-noise.js";
import type { PriorShelf } from "./prior-shelf.js";
import { type NoiseKind, noiseKinds } from "./real-noise/noise-kind.js";
import { type NoiseFound, type NoisePlan, planNoise } from "./real-noise/noise-plan.js";

export interface PictureDenoisingOptions extends DenoiserSettings, DenoisingWatch {
  /**
   * Noise level in each channel, from 0 to 1, where 1 is white: 25 grey levels are 25/255. Default:
   * estimated.
   */
  readonly sigma?: number | undefined;
  /**
   * Kind of the noise: "white", "signal-dependent" or "coloured" (correlated between pixels).
   * Default: detected, or "white" if `sigma` is given.
   */
  readonly noise?: NoiseKind | undefined;
  /** Name of the picture in errors. */
  readonly name?: string;
}

export interface DenoisedPicture extends PictureChannels {
  /** Noise level in each channel of the picture, given or estimated. */
  readonly sigma: number;
  readonly isEstimated: boolean;
  /** Kind of the noise, given or detected. */
  readonly noise: NoiseFound;
  /**
   * Noise levels in grey, or in brightness and the two colour differences. For signal-dependent
   * noise, they are those after its variance was made the same everywhere.
   */
  readonly levels: readonly number[];
  /** Files of the priors that were used, each once. */
  readonly priors: readonly string[];
  /** Tells that the estimate found too little noise to remove. */
  readonly isUnchanged: boolean;
}

/** Side of the patches of the priors. */
const usualSize = 8;

const optionFields = [
  "method",
  "model",
  "preset",
  "rounds",
  "selfSimilar",
  "stride",
  "fitSteps",
  "seed",
  "sigma",
  "noise",
  "name",
  "signal",
  "onStage",
  "onWarning",
] as const;

/**
 * Denoises a picture with pixels from 0 (black) to 1 (white); added noise may exceed this range.
 * Colours are denoised as brightness and two differences (`denoiseChannels`). The result has the
 * same bits for any number of workers.
 */
export async function denoisePicture(
  runner: TaskRunner,
  shelf: PriorShelf,
  noisy: PictureChannels,
  options: PictureDenoisingOptions = {},
): Promise<DenoisedPicture> {
  checkRunner(runner);
  checkOptions(options);
  options.signal?.throwIfAborted();
  const plan = planNoise(noisy, options);
  options.signal?.throwIfAborted();
  const { levels, overall, isEstimated, doubt, found } = plan;
  const isUnchanged = isEstimated && greyLevels * overall < leastNoise;
  if (doubt) options.onWarning?.(doubt);
  const result = isUnchanged
    ? { channels: noisy.channels, priors: [] }
    : await denoised(runner, shelf, plan, options);
  const { width, height } = noisy;
  const noise = { sigma: overall, isEstimated, noise: found, levels };
  return { width, height, ...result, ...noise, isUnchanged };
}

async function denoised(
  runner: TaskRunner,
  shelf: PriorShelf,
  { picture, levels, adapted, restored }: NoisePlan,
  options: PictureDenoisingOptions,
): Promise<Pick<DenoisedPicture, "channels" | "priors">> {
  const { name = "the picture" } = options;
  // Channels without noise take no time; a grey picture with three channels has two of them.
  const noisyChannels = [...levels.keys()].filter((k) => levels[k] > 0);
  const isBrightnessAlone = noisyChannels.length === 1 && noisyChannels[0] === 0;
  const priors = new Set<string>();
  const times = levels.map((level, k) => {
    // Only ratios matter, so the usual size serves for all.
    const plan = planOf(options, { level: greyLevels * level, size: usualSize });
    return noisyChannels.includes(k) ? totalTime(plan) : 0;
  });
  const total = sumOf(times);
  let channel = 0;
  const forWhite = denoiserOf(runner, shelf, options, {
    signal: options.signal,
    onWarning: options.onWarning,
    onPrior: (path) => priors.add(path),
    onStage: ({ part, ...stage }) => {
      if (times[channel] === 0) return;
      options.onStage?.({
        ...stage,
        part: (sumOf(times.slice(0, channel)) + part * times[channel]) / total,
        channel: channel + 1,
        channels: isBrightnessAlone ? 1 : levels.length,
      });
    },
  });
  const denoise = adapted(forWhite);
  const estimates = await denoiseChannels(picture, levels, (image, level, k) => {
    channel = k;
    return denoise(image, level, k);
  });
  const channels = restored(estimates);
  if (!channels.every((pixels) => pixels.every(Number.isFinite))) {
    const why = "the density of the model has no finite slope at some of its patches";
    throw new GaussianizeError("no-density", `Cannot denoise ${name}: ${why}.`);
  }
  return { channels, priors: [...priors] };
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function checkOptions(options: PictureDenoisingOptions): void {
  checkFields("the options", options, optionFields);
  const { method = "gdn", rounds = 1, stride = 1, fitSteps = 0, sigma = 0 } = options;
  const { selfSimilar = true } = options;
  if (typeof selfSimilar !== "boolean") {
    throw expected("selfSimilar", "be true or false", selfSimilar);
  }
  if (!denoisingMethods.includes(method)) {
    throw expected("method", `be one of ${denoisingMethods.join(", ")}`, method);
  }
  if (options.noise !== undefined && !noiseKinds.includes(options.noise)) {
    throw expected("noise", `be one of ${noiseKinds.join(", ")}`, options.noise);
  }
  const { preset = "default" } = options;
  if (!denoisingPresets.includes(preset)) {
    throw expected("preset", `be one of ${denoisingPresets.join(", ")}`, preset);
  }
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 4) {
    throw expected("rounds", "be an integer from 1 to 4", rounds);
  }
  if (!Number.isInteger(stride) || stride < 1) {
    throw expected("stride", "be a whole number of pixels, at least 1", stride);
  }
  if (!Number.isInteger(fitSteps) || fitSteps < 0) {
    throw expected("fitSteps", "be a whole number", fitSteps);
  }
  // Larger levels are most likely grey levels of 255, the unit of the command line.
  if (!(sigma >= 0 && sigma <= 1)) {
    const rule = "be a number from 0 to 1, where 1 is white (25 grey levels are 25/255),";
    throw expected("sigma", rule, sigma);
  }
}
