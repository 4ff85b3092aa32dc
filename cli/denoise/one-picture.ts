/** One picture: read, given noise where asked for, denoised, measured, written. */
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import {
  type DenoisedPicture as DenoisedPixels,
  denoisePicture as denoisePixels,
} from "../../src/denoising/denoise-picture.js";
import type { DenoisingWatch } from "../../src/denoising/picture-denoiser.js";
import { greyLevels, withPictureNoise } from "../../src/denoising/picture-noise.js";
import { GaussianizeError } from "../../src/errors.js";
import { type PictureQuality, pictureQuality } from "../../src/evaluation/picture-quality.js";
import { type Picture, matchChannels, pictureRange } from "../../node/pictures/picture.js";
import { readPicture } from "../../node/pictures/read-picture.js";
import { pictureFormatOf, writePicture } from "../../node/pictures/write-picture.js";
import { writeAtomically } from "../../node/write-atomically.js";
import { makeFolder } from "../../node/make-folder.js";
import { type Labelled, comparisonOf } from "./comparison.js";
import type { DenoiseOptions, Denoiser } from "./options.js";
import type { DenoisingTask } from "./plan.js";

/** What `--json` tells of a picture; noise levels are in grey levels of 255. */
export interface DenoisedPicture extends DenoisingTask {
  readonly width: number;
  readonly height: number;
  /** 1: grey, 3: colour. */
  readonly channels: number;
  /** Bits of a sample in the file. */
  readonly bitDepth: Picture["bitDepth"];
  /** In each channel of the picture. */
  readonly sigma: number;
  /** The same in the codes of the file, or in its values where they are floating point. */
  readonly sigmaInFile: number;
  readonly isEstimated: boolean;
  /** In brightness and the two differences of colour, or in grey: what was denoised. */
  readonly channelSigmas: readonly number[];
  /** The model files of these, each once. */
  readonly models: readonly string[];
  /** Whether there was too little noise to do anything. */
  readonly isUnchanged: boolean;
  /** Against the reference, before and after, where there is one. */
  readonly noisy?: PictureQuality;
  readonly psnr?: number;
  readonly ssim?: number;
  /** What the format of the output could not hold. */
  readonly notKept: readonly string[];
}

export async function denoisePicture(
  task: DenoisingTask,
  options: DenoiseOptions,
  { runner, shelf, settings }: Denoiser,
  watch: DenoisingWatch,
): Promise<DenoisedPicture> {
  const { picture, reference } = await inputsOf(task);
  const unit = unitOf(picture);
  const clean = options.addNoise === undefined ? reference : picture;
  const given = options.addNoise === undefined ? picture : noisyOf(picture, unit, options);
  const noisy = withChannels(given, (value) => value / unit);
  const { sigma = options.addNoise } = options;
  const outcome = await denoisePixels(runner, shelf, noisy, {
    ...settings,
    ...watch,
    name: picture.source,
    sigma: sigma === undefined ? undefined : sigma / greyLevels,
  });
  const { isUnchanged, levels, priors } = outcome;
  const overall = sigma ?? greyLevels * outcome.sigma;
  const denoised = isUnchanged
    ? given
    : withChannels({ ...picture, channels: outcome.channels }, (value) => unit * value);
  const notKept = await write(task, denoised, isUnchanged);
  const scaled = (each: Picture): Picture => withChannels(each, (value) => value / unit);
  const measured = clean && {
    noisy: pictureQuality(noisy, scaled(clean)),
    ...pictureQuality(scaled(denoised), scaled(clean)),
  };
  await writeComparison(task, unit, [
    { picture: given, label: ["noisy", ...decibels(measured?.noisy.psnr)] },
    { picture: denoised, label: ["denoised", ...decibels(measured?.psnr)] },
    ...(clean ? [{ picture: clean, label: ["clean"] }] : []),
  ]);
  return {
    ...task,
    width: picture.width,
    height: picture.height,
    channels: picture.channels.length,
    bitDepth: picture.bitDepth,
    sigma: overall,
    sigmaInFile: sigmaInFile(overall, unit, picture),
    isEstimated: sigma === undefined,
    channelSigmas: levels.map((level) => greyLevels * level),
    models: [...ownModels(options, outcome), ...priors],
    isUnchanged,
    ...measured,
    notKept,
  };
}

async function inputsOf({ path, reference: clean }: DenoisingTask): Promise<{
  readonly picture: Picture;
  readonly reference: Picture | undefined;
}> {
  const picture = await readPicture(path);
  if (clean === undefined) return { picture, reference: undefined };
  const reference = matchChannels(await readPicture(clean), picture);
  requireSameShape(picture, reference);
  return { picture, reference };
}

function requireSameShape(picture: Picture, reference: Picture): void {
  const [found, wanted] = [reference, picture].map(
    ({ width, height, channels }) =>
      `${width}×${height} pixels, ${channels.length === 1 ? "grey" : "colour"}`,
  );
  if (found === wanted) return;
  throw new GaussianizeError(
    "mismatch",
    `Expected the reference ${reference.source} to have ${wanted}, as ${picture.source}, but received ${found}.`,
  );
}

/** White noise, neither clipped nor rounded, of the name of the file: the same wherever it lies. */
function noisyOf(picture: Picture, unit: number, { addNoise = 0, seed }: DenoiseOptions): Picture {
  const sigma = (unit * addNoise) / greyLevels;
  const { channels } = withPictureNoise(picture, { sigma, seed, name: basename(picture.source) });
  // Noise that is added now was never rounded by JPEG.
  return { ...picture, channels, jpeg: undefined };
}

/**
 * From black to white. Of pictures that plainly count in something else (photons, or 12 bits of a
 * camera in a file of 16) it is the range of their values, so that noise levels and densities of
 * patches mean the same for them.
 */
export function unitOf(picture: Picture): number {
  if (picture.bitDepth === 8) return 1;
  const { lowest, highest } = pictureRange(picture);
  const range = highest - lowest;
  const isGrey = lowest >= -1 && highest <= 2 && range >= 0.1;
  return isGrey || range === 0 ? 1 : range;
}

/**
 * A noise level in grey levels, in the codes of the file, or in its values where they are floating
 * point.
 */
export function sigmaInFile(sigma: number, unit: number, { bitDepth }: Picture): number {
  const largestCode = bitDepth === "float" ? 1 : 2 ** bitDepth - 1;
  return (sigma * unit * largestCode) / greyLevels;
}

/** The model of one's own, where there was anything to do. */
function ownModels(
  { model }: DenoiseOptions,
  { isUnchanged, levels }: DenoisedPixels,
): readonly string[] {
  const isIdle = isUnchanged || levels.every((level) => level === 0);
  return model === undefined || isIdle ? [] : [model];
}

function withChannels(picture: Picture, change: (value: number) => number): Picture {
  return { ...picture, channels: picture.channels.map((pixels) => pixels.map(change)) };
}

async function write(
  { path, output }: DenoisingTask,
  picture: Picture,
  isUnchanged: boolean,
): Promise<readonly string[]> {
  if (output === undefined) return [];
  await makeFolder(dirname(output));
  if (isUnchanged && picture.format === pictureFormatOf(output)) {
    await writeAtomically(output, await readFile(path));
    return [];
  }
  const { notKept } = await writePicture(output, picture);
  return notKept;
}

/** A picture that is the reference itself has no error. */
export function decibelText(psnr: number): string {
  return psnr === Infinity ? "∞" : psnr.toFixed(2);
}

function decibels(psnr: number | undefined): readonly string[] {
  return psnr === undefined ? [] : [`${decibelText(psnr)} dB`];
}

/** Of noisy, denoised and, where it is known, clean: the last tells where the detail is. */
async function writeComparison(
  { comparison }: DenoisingTask,
  unit: number,
  pictures: readonly Labelled[],
): Promise<void> {
  if (comparison === undefined) return;
  const denoised = pictures[1].picture;
  const guide = pictures[pictures.length - 1].picture;
  const shown = unit === 1 ? pictures : asGreys(pictures, denoised);
  await writePicture(comparison, comparisonOf(shown, guide));
}

/** From the lowest value of one picture, black, to its highest, white. */
function asGreys(pictures: readonly Labelled[], guide: Picture): Labelled[] {
  const { lowest, highest } = pictureRange(guide);
  const range = highest > lowest ? highest - lowest : 1;
  const grey = (value: number): number => (value - lowest) / range;
  return pictures.map(({ picture, label }) => ({ picture: withChannels(picture, grey), label }));
}
