/** Denoises one file: reads it, adds noise on request, denoises, measures and writes. */
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { type DenoisedPicture, denoisePicture } from "../../src/denoising/denoise-picture.js";
import type { DenoisingWatch } from "../../src/denoising/picture-denoiser.js";
import { greyLevels, withPictureNoise } from "../../src/denoising/picture-noise.js";
import type { NoiseFound } from "../../src/denoising/real-noise/noise-plan.js";
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

/** A picture in `--json`; noise levels are in grey levels of 255. */
export interface DenoisedFile extends DenoisingTask {
  readonly width: number;
  readonly height: number;
  /** 1 for grey, 3 for colour. */
  readonly channels: number;
  /** Bits per sample in the file. */
  readonly bitDepth: Picture["bitDepth"];
  /** Noise level of each channel of the picture. */
  readonly sigma: number;
  /** The same in the units of the file: codes, or floating-point values. */
  readonly sigmaInFile: number;
  readonly isEstimated: boolean;
  /** Kind of the noise. */
  readonly noise: NoiseFound;
  /** Noise levels of the denoised channels: grey, or brightness and two colour differences. */
  readonly channelSigmas: readonly number[];
  /** Model files used, each once. */
  readonly models: readonly string[];
  /** Whether there was too little noise to remove. */
  readonly isUnchanged: boolean;
  /** Quality before denoising, if a clean picture is known; psnr and ssim are those after it. */
  readonly noisy?: PictureQuality;
  readonly psnr?: number;
  readonly ssim?: number;
  /** Properties that the format of the output cannot hold. */
  readonly notKept: readonly string[];
}

export async function denoiseFile(
  task: DenoisingTask,
  options: DenoiseOptions,
  { runner, shelf, settings }: Denoiser,
  watch: DenoisingWatch,
): Promise<DenoisedFile> {
  const { picture, reference } = await inputsOf(task);
  const unit = unitOf(picture);
  const clean = options.addNoise === undefined ? reference : picture;
  const given = options.addNoise === undefined ? picture : noisyOf(picture, unit, options);
  const scaled = (each: Picture): Picture => withChannels(each, (value) => value / unit);
  const noisy = scaled(given);
  const { sigma = options.addNoise } = options;
  const outcome = await denoisePicture(runner, shelf, noisy, {
    ...settings,
    ...watch,
    name: picture.source,
    sigma: sigma === undefined ? undefined : sigma / greyLevels,
    noise: options.noise,
  });
  const { isUnchanged, levels, priors } = outcome;
  const overall = sigma ?? greyLevels * outcome.sigma;
  const denoised = isUnchanged
    ? given
    : withChannels({ ...picture, channels: outcome.channels }, (value) => unit * value);
  const notKept = await write(task, denoised, isUnchanged);
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
    noise: inGreyLevels(outcome.noise),
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
    `Expected the reference ${reference.source} to have ${wanted}, like ${picture.source}, but received ${found}.`,
  );
}

/** Adds white noise, unclipped and unrounded, that depends on the file name, not its folder. */
function noisyOf(picture: Picture, unit: number, { addNoise = 0, seed }: DenoiseOptions): Picture {
  const sigma = (unit * addNoise) / greyLevels;
  const { channels } = withPictureNoise(picture, { sigma, seed, name: basename(picture.source) });
  // JPEG has not changed the noise that is added here.
  return { ...picture, channels, jpeg: undefined };
}

/**
 * Returns the distance from black to white. Values in other units, such as photons or 12 bits of a
 * camera in a file of 16, count by their range, so that noise levels and densities apply to them.
 */
export function unitOf(picture: Picture): number {
  if (picture.bitDepth === 8) return 1;
  const { lowest, highest } = pictureRange(picture);
  const range = highest - lowest;
  const isGrey = lowest >= -1 && highest <= 2 && range >= 0.1;
  return isGrey || range === 0 ? 1 : range;
}

/** Converts a noise level from grey levels to the codes, or floating-point values, of a file. */
export function sigmaInFile(sigma: number, unit: number, { bitDepth }: Picture): number {
  const largestCode = bitDepth === "float" ? 1 : 2 ** bitDepth - 1;
  return (sigma * unit * largestCode) / greyLevels;
}

/** Returns noise in the unit of the command line. */
function inGreyLevels(noise: NoiseFound): NoiseFound {
  if (noise.kind !== "signal-dependent") return noise;
  const [atBlack, atWhite] = [greyLevels * noise.atBlack, greyLevels * noise.atWhite];
  return { kind: noise.kind, atBlack, atWhite };
}

/** Returns --model if it was used. */
function ownModels(
  { model }: DenoiseOptions,
  { isUnchanged, levels }: DenoisedPicture,
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

/** Formats a PSNR, which is infinite for equal pictures. */
export function decibelText(psnr: number): string {
  return psnr === Infinity ? "∞" : psnr.toFixed(2);
}

function decibels(psnr: number | undefined): readonly string[] {
  return psnr === undefined ? [] : [`${decibelText(psnr)} dB`];
}

/** Writes noisy, denoised and, if known, clean side by side; the last one locates the detail. */
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

/** Scales pictures so that the values of `guide` range from black to white. */
function asGreys(pictures: readonly Labelled[], guide: Picture): Labelled[] {
  const { lowest, highest } = pictureRange(guide);
  const range = highest > lowest ? highest - lowest : 1;
  const grey = (value: number): number => (value - lowest) / range;
  return pictures.map(({ picture, label }) => ({ picture: withChannels(picture, grey), label }));
}
