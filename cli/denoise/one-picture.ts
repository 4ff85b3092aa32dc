/** One picture: read, given noise where asked for, denoised, measured, written. */
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import {
  GaussianizeError,
  createRandom,
  denoiseChannels,
  overallNoiseLevel,
  withWhiteNoise,
} from "../../src/index.js";
import {
  type Picture,
  pictureFormatOf,
  readPicture,
  writeAtomically,
  writePicture,
} from "../../node/index.js";
import { pictureRange } from "../../node/pictures/picture-range.js";
import { matchChannels } from "../../node/pictures/match-channels.js";
import { makeFolder } from "../../node/run-folder.js";
import { type Labelled, comparisonOf } from "./comparison.js";
import type { DenoiserFactory, DenoisingWatch } from "./denoisers.js";
import { doubtOf, leastSigma, levelsOf, sigmaInFile, unitOf } from "./noise-strength.js";
import { type DenoiseOptions, greyLevels } from "./options.js";
import type { DenoisingTask } from "./plan.js";
import { type Quality, qualityOf, requireSameShape } from "./quality.js";
import { decibelText } from "./text.js";

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
  readonly noisy?: Quality;
  readonly psnr?: number;
  readonly ssim?: number;
  /** What the format of the output could not hold. */
  readonly notKept: readonly string[];
}

export async function denoisePicture(
  task: DenoisingTask,
  options: DenoiseOptions,
  factory: DenoiserFactory,
  watch: Omit<DenoisingWatch, "onModel">,
): Promise<DenoisedPicture> {
  const { picture, reference } = await inputsOf(task);
  const unit = unitOf(picture);
  const clean = options.addNoise === undefined ? reference : picture;
  const given = options.addNoise === undefined ? picture : noisyOf(picture, unit, options);
  const noisy = withChannels(given, (value) => value / unit);
  const { sigma = options.addNoise } = options;
  const levels = levelsOf(noisy, sigma);
  const overall = greyLevels * overallNoiseLevel(levels);
  const isUnchanged = sigma === undefined && overall < leastSigma;
  const doubt = sigma === undefined && overall > 0 ? doubtOf(noisy) : undefined;
  if (doubt) watch.onWarning(...doubt);
  const models = new Set<string>();
  const denoised = isUnchanged
    ? given
    : await denoisedOf(given, unit, levels, factory, {
        ...watch,
        onModel: (path) => models.add(path),
      });
  const notKept = await write(task, denoised, isUnchanged);
  const scaled = (each: Picture): Picture => withChannels(each, (value) => value / unit);
  const measured = clean && {
    noisy: qualityOf(noisy, scaled(clean)),
    ...qualityOf(scaled(denoised), scaled(clean)),
  };
  await writeComparison(task, unit, [
    { picture: given, label: ["noisy", ...decibels(measured?.noisy.psnr)] },
    { picture: denoised, label: ["denoised", ...decibels(measured?.psnr)] },
    ...(clean ? [{ picture: clean, label: ["clean"] }] : []),
  ]);
  return {
    ...task,
    ...{ width: picture.width, height: picture.height, channels: picture.channels.length },
    bitDepth: picture.bitDepth,
    sigma: sigma ?? overall,
    sigmaInFile: sigmaInFile(sigma ?? overall, unit, picture),
    isEstimated: sigma === undefined,
    channelSigmas: levels.map((level) => greyLevels * level),
    models: [...models],
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

/** White noise, neither clipped nor rounded, of the name of the file: the same wherever it lies. */
function noisyOf(picture: Picture, unit: number, { addNoise = 0, seed }: DenoiseOptions): Picture {
  const sigma = (unit * addNoise) / greyLevels;
  const name = basename(picture.source);
  const channels = picture.channels.map((pixels, k) =>
    withWhiteNoise(pixels, sigma, createRandom(seed, "white noise", name, k)),
  );
  return { ...picture, channels };
}

async function denoisedOf(
  picture: Picture,
  unit: number,
  levels: readonly number[],
  factory: DenoiserFactory,
  watch: DenoisingWatch,
): Promise<Picture> {
  let channel = 0;
  const denoise = factory({
    ...watch,
    onPart: (part, doing) => {
      const place = levels.length === 1 ? "" : `channel ${channel + 1} of ${levels.length}, `;
      watch.onPart((channel + part) / levels.length, place + doing);
    },
  });
  const scaled = withChannels(picture, (value) => value / unit);
  const channels = await denoiseChannels(scaled, levels, (noisy, sigma, k) => {
    channel = k;
    return denoise(noisy, sigma, k);
  });
  if (!channels.every((pixels) => pixels.every(Number.isFinite))) {
    throw new GaussianizeError(
      `Cannot denoise ${picture.source}: the density of the model has no finite slope at some of its patches.`,
    );
  }
  return withChannels({ ...picture, channels }, (value) => unit * value);
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
