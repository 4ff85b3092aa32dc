/** The kind of noise in a picture: given, or detected with caution. */
import { meanOf } from "../../numbers/means.js";
import {
  type PictureChannels,
  clippedPixels,
  estimateChannelNoise,
  isGrey,
  separatedChannels,
} from "../denoise-channels.js";
import { greyLevels } from "../picture-noise.js";
import { type NoiseCurve, curveThrough, noiseByBrightness, varianceAt } from "./noise-curve.js";
import { type NoiseCovariance, estimateCovariance } from "./noise-spectrum.js";
import { covarianceAt } from "./whitening.js";

export const noiseKinds = ["white", "signal-dependent", "coloured"] as const;
export type NoiseKind = (typeof noiseKinds)[number];

/** Knowledge about the noise of a picture, in the units of its pixels. */
export type NoiseModel =
  | { readonly kind: "white" }
  | { readonly kind: "signal-dependent"; readonly curve: NoiseCurve }
  /** One covariance for each separated channel; undefined where the noise counts as white. */
  | {
      readonly kind: "coloured";
      readonly covariances: readonly (NoiseCovariance | undefined)[];
    };

/** Grey levels of noise below which its kind does not matter. */
const leastLevel = 1.5;

/**
 * Detects the kind of noise; white if in doubt. Noise that JPEG has changed counts as white, at its
 * level before (jpeg-noise.ts).
 */
export function detectNoise(picture: PictureChannels): NoiseModel {
  const [{ sigma, doubt }] = estimateChannelNoise(picture);
  // The level of coloured noise is not known yet: its weakest frequencies hardly have any.
  if (doubt === "texture") return detectColour(picture);
  if (doubt === "jpeg") return { kind: "white" };
  return greyLevels * sigma < leastLevel ? { kind: "white" } : detectCurve(picture);
}

/** Returns a model of the given kind; undefined if the picture is too small to estimate it. */
export function noiseOfKind(picture: PictureChannels, kind: NoiseKind): NoiseModel | undefined {
  if (kind === "white") return { kind };
  if (kind === "signal-dependent") {
    const estimate = curveThrough(pointsOf(picture));
    const isUsable = estimate && estimate.curve.slope !== 0;
    return isUsable ? { kind, curve: estimate.curve } : undefined;
  }
  const covariances = spectraOf(picture).map((estimate) => estimate?.covariance);
  return covariances[0] && { kind, covariances };
}

function detectCurve(picture: PictureChannels): NoiseModel {
  const estimate = curveThrough(pointsOf(picture));
  return estimate?.isSignalDependent
    ? { kind: "signal-dependent", curve: estimate.curve }
    : { kind: "white" };
}

/** Returns the noise by brightness in all channels. */
function pointsOf(picture: PictureChannels) {
  const { width, height, channels } = picture;
  const clipped = clippedPixels(picture);
  return (isGrey(picture) ? channels.slice(0, 1) : channels).flatMap((pixels) =>
    noiseByBrightness({ width, height, pixels }, clipped),
  );
}

/** Largest `spread` of flat blocks: those of texture differ more from each other than noise. */
const mostSpread = 1.75;
/** Grey levels of coloured noise below which it may be the soft texture of a clean photograph. */
const leastColoured = 5;
/** Smallest correlation of neighbours, of either sign, that counts as coloured. */
const leastCorrelation = 0.12;

function detectColour(picture: PictureChannels): NoiseModel {
  const estimates = spectraOf(picture);
  const [brightness] = estimates;
  if (!brightness || brightness.spread > mostSpread) return { kind: "white" };
  const { covariance } = brightness;
  const level = greyLevels * Math.sqrt(covarianceAt(covariance, 0, 0));
  const { across, down } = correlationOf(covariance);
  if (level < leastColoured) return { kind: "white" };
  if (Math.max(Math.abs(across), Math.abs(down)) < leastCorrelation) return { kind: "white" };
  const covariances = estimates.map((estimate) => estimate?.covariance);
  return { kind: "coloured", covariances };
}

function spectraOf(picture: PictureChannels) {
  const clipped = clippedPixels(picture);
  return separatedChannels(picture).map((image, k) =>
    k > 0 && isGrey(picture) ? undefined : estimateCovariance(image, clipped),
  );
}

/** Returns the correlation of each pixel with the next one in its row and in its column. */
export function correlationOf(covariance: NoiseCovariance): {
  readonly across: number;
  readonly down: number;
} {
  const [own, across, down] = [
    [0, 0],
    [1, 0],
    [0, 1],
  ].map(([dx, dy]) => covarianceAt(covariance, dx, dy));
  return { across: across / own, down: down / own };
}

/** Returns the mean variance that a curve gives the pixels of a picture. */
export function meanVariance({ channels }: PictureChannels, curve: NoiseCurve): number {
  const means = channels.map((pixels) => {
    let sum = 0;
    for (const value of pixels) sum += Math.max(0, varianceAt(curve, value));
    return sum / pixels.length;
  });
  return meanOf(means);
}
