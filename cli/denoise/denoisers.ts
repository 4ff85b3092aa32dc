/** The methods of `gaussianize denoise`, as functions of one grey image. */
import {
  type AnyModel,
  type GreyDenoiser,
  type GreyImage,
  type GuidedDensities,
  type Model,
  type TaskRunner,
  UsageError,
  denoiseByMarginals,
  denoiseByScaleMixtures,
  denoiseByWiener,
  denoiseGuided,
  denoiseImage,
  denoiseWholeImage,
  fitToNoisyImage,
  guideStride,
  isImageModel,
  likeliestModel,
  requirePatchModel,
  requireReading,
} from "../../src/index.js";
import {
  denoisingPriors,
  nearestPrior,
  readGuided,
  readModel,
  readPatchModel,
} from "../../node/index.js";
import { short, thousands } from "../text.js";
import {
  type DenoiseOptions,
  type DensityMethod,
  type DensityOptions,
  type Method,
  greyLevels,
  isOfDensity,
} from "./options.js";
import { defaultSelfSteps, shareOfFit } from "./progress.js";

/** What happens while one picture is denoised. */
export interface DenoisingWatch {
  readonly signal: AbortSignal;
  /** Of the channel that is at work, the part that is done, and in a few words what is being done. */
  readonly onPart: (part: number, doing: string) => void;
  /** Once for each cause is enough. */
  readonly onWarning: (cause: string, sentence: string) => void;
  /** A model file that serves for a channel. */
  readonly onModel: (path: string) => void;
}

/** Denoisers of pictures, each with its own watch. */
export type DenoiserFactory = (watch: DenoisingWatch) => GreyDenoiser;

/** Noise levels of model and picture may differ by this factor before anybody is warned. */
const farthest = 1.6;

/** Reads the model that was asked for, and refuses what cannot denoise, before any picture is read. */
export async function openDenoiser(
  runner: TaskRunner,
  options: DenoiseOptions,
): Promise<DenoiserFactory> {
  const { method, model } = options;
  if (!isOfDensity(method)) return (watch) => waveletDenoiser(method, watch);
  const asked = { ...options, method };
  const modelFor =
    model === undefined ? likeliestPrior(runner, asked) : await oneModel(model, asked);
  const guidedFor = guidedPriors();
  return (watch) => densityDenoiser(runner, modelFor, guidedFor, asked, watch);
}

/** Shifts that are averaged over: more cost as much again, and bring little. */
const shifts = 4;

function waveletDenoiser(
  method: Exclude<Method, DensityMethod>,
  { signal, onPart }: DenoisingWatch,
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
        onPart(done / total, pixelsDone(noisy, done / total));
      },
    });
}

/** 12,345 of 154,401 pixels */
function pixelsDone({ width, height }: GreyImage, part: number): string {
  return `${thousands(Math.round(part * width * height))} of ${thousands(width * height)} pixels`;
}

interface NamedModel {
  readonly path: string;
  readonly model: AnyModel;
}

/** The model for an image with so much noise. */
type ModelFor = (noisy: GreyImage, sigma: number) => Promise<NamedModel>;

/** Priors with so many times more or less noise may be better for an image of little or great contrast. */
const reach = 3.5;

/** Of the priors near the noise level, the one that knows the image best. */
function likeliestPrior(runner: TaskRunner, { method, seed }: DensityOptions): ModelFor {
  const read = new Map<string, Promise<Model>>();
  const modelOf = (path: string): Promise<Model> => {
    const model = read.get(path) ?? readPatchModel(path);
    read.set(path, model);
    return model;
  };
  return async (noisy, sigma) => {
    const level = greyLevels * sigma;
    const nearest = await nearestPrior(level, method);
    const near = (await denoisingPriors(method)).filter(
      (prior) => Math.max(prior.sigma / level, level / prior.sigma) <= reach,
    );
    const paths = (near.length === 0 ? [nearest] : near).map(({ path }) => path);
    const models = await Promise.all(paths.map(modelOf));
    const best = models.length === 1 ? 0 : await likeliestModel(runner, models, noisy, sigma, seed);
    return { path: paths[best], model: models[best] };
  };
}

/** The densities of further rounds, for noise of so many grey levels. */
type GuidedFor = (level: number) => Promise<NamedGuided>;

interface NamedGuided {
  readonly path: string;
  readonly guided: GuidedDensities;
}

function guidedPriors(): GuidedFor {
  const read = new Map<string, ReturnType<typeof readGuided>>();
  return async (level) => {
    const { path } = await nearestPrior(level, "guided");
    const file = read.get(path) ?? readGuided(path);
    read.set(path, file);
    return { path, guided: (await file).guided };
  };
}

async function oneModel(path: string, { self }: DensityOptions): Promise<ModelFor> {
  const model = await readModel(path);
  requireNoisy(model, path);
  if (self && isImageModel(model)) {
    throw new UsageError(`--self is for models of patches; ${path} is one of whole images`);
  }
  return () => Promise.resolve({ path, model });
}

/** Empirical Bayes needs a density of noisy patches, with all that is in them. */
function requireNoisy(model: AnyModel, path: string): void {
  const { layout, noiseLevel } = requireReading(model, path);
  if (layout.removeMean) {
    throw new UsageError(
      `--model must be one of patches with their mean; ${path} was fitted to patches without`,
    );
  }
  if (noiseLevel !== undefined) return;
  const what = isImageModel(model) ? "images" : "patches";
  throw new UsageError(
    `--model must be fitted to noisy ${what} ("gaussianize fit --noise-level"); ${path} tells of no noise`,
  );
}

function densityDenoiser(
  runner: TaskRunner,
  modelFor: ModelFor,
  guidedFor: GuidedFor,
  options: DensityOptions,
  { signal, onPart, onWarning, onModel }: DenoisingWatch,
): GreyDenoiser {
  return async (noisy, sigma) => {
    if (sigma === 0) return noisy;
    const { model, path } = await modelFor(noisy, sigma);
    onModel(path);
    await warnIfFar(model, path, sigma, options, onWarning);
    const { self, selfSteps = defaultSelfSteps, seed } = options;
    const rounds = roundsOf(options, sigma);
    const { size } = requireReading(model, path).layout;
    warnIfFarApart(options, size, isImageModel(model), onWarning);
    const fit = shareOfFit(noisy.pixels.length, options);
    const first = (1 - fit) * (rounds > 1 ? shareOfFirst(rounds, options.stride) : 1);
    const fitted = self
      ? await fitToNoisyImage(runner, requirePatchModel(model, path), noisy, {
          ...{ sigma, seed, signal, steps: selfSteps },
          onProgress: (done, total) => {
            onPart((fit * done) / total, `fitting, step ${done} of ${total}`);
          },
        })
      : model;
    const single = options.stride ?? Math.max(1, Math.floor(size / 4));
    const stride = Math.min(size, rounds > 1 ? guideStride : single);
    const firstRound = {
      ...{ sigma, stride, signal },
      onProgress: (done: number, total: number) => {
        const round = rounds > 1 ? `round 1 of ${rounds}, ` : "";
        onPart(fit + (first * done) / total, round + pixelsDone(noisy, done / total));
      },
    };
    const estimate = isImageModel(fitted)
      ? await denoiseWholeImage(runner, fitted, noisy, firstRound)
      : await denoiseImage(runner, fitted, noisy, firstRound);
    if (rounds === 1) return estimate;
    const level = greyLevels * (options.model ? sigma : levelOf(model, sigma));
    const { path: guidedPath, guided } = await guidedFor(level);
    onModel(guidedPath);
    return denoiseGuided(runner, guided, noisy, estimate, {
      ...{ sigma, rounds: rounds - 1, stride: Math.min(guided.size, options.stride ?? 1), signal },
      onProgress: (done, total) => {
        const part = fit + first + ((1 - fit - first) * done) / total;
        const round = rounds === 2 ? "round 2 of 2" : `rounds 2 to ${rounds}`;
        onPart(part, `${round}, ${pixelsDone(noisy, done / total)}`);
      },
    });
  };
}

/** Of the time of several rounds: a patch takes twice as long in the first; those between are at every second pixel or farther apart. */
function shareOfFirst(rounds: number, stride = 1): number {
  const first = 2 / guideStride ** 2;
  const further = 1 / stride ** 2 + (rounds - 2) / Math.max(2, stride) ** 2;
  return first / (first + further);
}

const usualRounds = 3;
/** In grey levels: with less noise, densities that were fitted to at least 15 make a second round that is worse than the first. */
const leastForMore = 4;

function roundsOf({ method, model, rounds }: DensityOptions, sigma: number): number {
  if (method !== "gdn") return 1;
  if (rounds !== undefined) return rounds;
  return model === undefined && greyLevels * sigma >= leastForMore ? usualRounds : 1;
}

function warnIfFarApart(
  { stride = 1 }: DensityOptions,
  size: number,
  isOfImages: boolean,
  onWarning: DenoisingWatch["onWarning"],
): void {
  if (stride <= size) return;
  const what = isOfImages
    ? `Shifts of the grid of ${size}×${size} blocks`
    : `Patches of ${size}×${size} pixels`;
  const sentence = `${what} must not be farther apart than ${size}: --stride ${stride} is taken for ${size}.`;
  onWarning("stride", sentence);
}

/** The densities of further rounds follow the prior of the first, which was chosen for the picture. */
function levelOf(model: AnyModel, sigma: number): number {
  return requireReading(model).noiseLevel ?? sigma;
}

/** Of a model of one's own, whether it is for this noise; of the priors, whether any is. */
async function warnIfFar(
  model: AnyModel,
  path: string,
  sigma: number,
  options: DensityOptions,
  onWarning: DenoisingWatch["onWarning"],
): Promise<void> {
  const { noiseLevel = sigma, luminance } = requireReading(model, path);
  if (luminance === "linear") {
    const sentence = `${path} was fitted to linear light; pictures are denoised as they are stored.`;
    onWarning("linear light", sentence);
  }
  const level = greyLevels * sigma;
  const isOwn = options.model !== undefined;
  const known = isOwn ? greyLevels * noiseLevel : (await nearestPrior(level, options.method)).sigma;
  // Priors do well with less noise than they know, in pictures whose contrast is raised.
  if (Math.max(isOwn ? known / level : 0, level / known) <= farthest) return;
  const name = isOwn ? path : "The nearest prior";
  onWarning(
    `far from ${known}`,
    `${name} was fitted to noise of σ = ${short(known)}, far from ${short(level)} in a channel of the picture: a model of such noise (fit --noise-level) would do better.`,
  );
}
