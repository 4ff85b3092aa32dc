/** Reduces any kind of noise to white noise, for the white-noise denoisers. */
import { GaussianizeError } from "../../errors.js";
import type { GreyImage } from "../../images/grey-image.js";
import {
  type GreyDenoiser,
  type PictureChannels,
  channelNoiseLevels,
  overallNoiseLevel,
} from "../denoise-channels.js";
import { type NoiseToRemove, noiseToRemove } from "../picture-noise.js";
import { type NoiseCurve, varianceAt } from "./noise-curve.js";
import {
  type NoiseKind,
  type NoiseModel,
  correlationOf,
  detectNoise,
  meanVariance,
  noiseOfKind,
} from "./noise-kind.js";
import { type NoiseCovariance } from "./noise-spectrum.js";
import { stabilisationOf } from "./stabilisation.js";
import { covarianceAt, whiteningOf } from "./whitening.js";

/** The kind of noise that was removed. Noise levels are in the units of the pixels. */
export type NoiseFound =
  | { readonly kind: "white" }
  | {
      readonly kind: "signal-dependent";
      /** Noise levels at black (0) and at white (1). */
      readonly atBlack: number;
      readonly atWhite: number;
    }
  | {
      readonly kind: "coloured";
      /** Correlation of the noise of each pixel with that of the next one, in rows and columns. */
      readonly across: number;
      readonly down: number;
    };

export interface NoisePlan extends NoiseToRemove {
  readonly found: NoiseFound;
  /** The picture to denoise instead, with the same noise everywhere. */
  readonly picture: PictureChannels;
  /** Returns a denoiser of separated channels of that picture, from one for white noise. */
  readonly adapted: (denoise: GreyDenoiser) => GreyDenoiser;
  /** Returns the channels of the denoised original. */
  readonly restored: (channels: readonly Float32Array[]) => readonly Float32Array[];
}

export interface NoiseGiven {
  /** Noise level in each channel; default estimated. */
  readonly sigma?: number | undefined;
  /** Default: "white" if `sigma` is given, otherwise detected. */
  readonly noise?: NoiseKind | undefined;
  /** Name of the picture in errors. */
  readonly name?: string | undefined;
}

export function planNoise(picture: PictureChannels, given: NoiseGiven): NoisePlan {
  const { sigma } = given;
  // Without noise, no kind of it can be estimated.
  const model: NoiseModel = sigma === 0 ? { kind: "white" } : modelOf(picture, given);
  if (model.kind === "signal-dependent") return planOfCurve(picture, model.curve, sigma);
  if (model.kind === "coloured") return planOfSpectra(picture, model.covariances, sigma);
  const unchanged = {
    picture,
    adapted: same<GreyDenoiser>,
    restored: same<readonly Float32Array[]>,
  };
  return { ...noiseToRemove(picture, sigma), found: { kind: "white" }, ...unchanged };
}

function same<T>(value: T): T {
  return value;
}

function modelOf(picture: PictureChannels, { sigma, noise, name }: NoiseGiven): NoiseModel {
  if (noise === undefined) return sigma === undefined ? detectNoise(picture) : { kind: "white" };
  const model = noiseOfKind(picture, noise);
  if (model) return model;
  const what = `${noise} noise of ${name ?? "the picture"}`;
  throw flawed(what, "too few of its parts are flat. Denoise it as white noise.");
}

function flawed(what: string, why: string): GaussianizeError {
  return new GaussianizeError("degenerate-data", `Cannot estimate the ${what}: ${why}`);
}

/** Stabilises the variance. A given σ scales the curve, whose shape is estimated. */
function planOfCurve(picture: PictureChannels, curve: NoiseCurve, sigma?: number): NoisePlan {
  const variance = meanVariance(picture, curve);
  if (variance === 0) throw flawed("signal-dependent noise", "its curve has no variance here.");
  const factor = sigma === undefined ? 1 : (sigma * sigma) / variance;
  const scaled = { slope: factor * curve.slope, offset: factor * curve.offset };
  const stabilisation = stabilisationOf(scaled);
  // The quantisation of a JPEG file says nothing about transformed pixels.
  const stable = {
    ...picture,
    jpeg: undefined,
    channels: picture.channels.map(stabilisation.forward),
  };
  const levelAt = (x: number): number => Math.sqrt(Math.max(0, varianceAt(scaled, x)));
  return {
    ...(sigma === undefined ? noiseToRemove(stable) : givenLevels(stable, stabilisation.sigma)),
    overall: Math.sqrt(factor * variance),
    found: { kind: "signal-dependent", atBlack: levelAt(0), atWhite: levelAt(1) },
    picture: stable,
    adapted: same,
    restored: (channels) => channels.map(stabilisation.inverse),
  };
}

function givenLevels(picture: PictureChannels, sigma: number): NoiseToRemove {
  return { levels: channelNoiseLevels(picture, sigma), overall: sigma, isEstimated: false };
}

/** Whitens each separated channel. A given σ scales the covariances. */
function planOfSpectra(
  picture: PictureChannels,
  covariances: readonly (NoiseCovariance | undefined)[],
  sigma?: number,
): NoisePlan {
  const white = noiseToRemove(picture).levels;
  const estimated = covariances.map((covariance, k) =>
    covariance ? Math.sqrt(Math.max(0, covarianceAt(covariance, 0, 0))) : white[k],
  );
  const factor = sigma === undefined ? 1 : sigma / overallNoiseLevel(estimated);
  const levels = estimated.map((level) => factor * level);
  return {
    levels,
    overall: overallNoiseLevel(levels),
    isEstimated: sigma === undefined,
    found: { kind: "coloured", ...correlationOf(covariances[0] as NoiseCovariance) },
    picture,
    adapted: (denoise) => async (image, level, k) => {
      const covariance = covariances[k];
      return covariance && level > 0
        ? whitened(denoise, image, scaledBy(covariance, factor * factor), k)
        : denoise(image, level, k);
    },
    restored: same,
  };
}

function scaledBy({ reach, values }: NoiseCovariance, factor: number): NoiseCovariance {
  return { reach, values: values.map((value) => factor * value) };
}

async function whitened(
  denoise: GreyDenoiser,
  image: GreyImage,
  covariance: NoiseCovariance,
  channel: number,
): Promise<GreyImage> {
  const whitening = whiteningOf(covariance, image);
  const estimate = await denoise(whitening.forward(image), whitening.sigma, channel);
  return whitening.inverse(estimate);
}
