/**
 * §4.2, "Denoising", and its figure: a marginal model and a Gaussian scale mixture of wavelet
 * coefficients, and empirical Bayes (eq. 7) with a GDN in one round and in three.
 */
import { basename } from "node:path";
import { decodeImage } from "../node/decode-image.js";
import { nearestPrior } from "../node/denoising-priors.js";
import { embeddedPhotographs } from "../node/embedded-photographs.js";
import { readGuided, readPatchModel } from "../node/model-files.js";
import { denoiseImage } from "../src/denoising/denoise-image.js";
import { denoiseGuided, guideStride } from "../src/denoising/guided/denoise-guided.js";
import type { GuidedDensities } from "../src/denoising/guided/guided-density.js";
import type { DenoisingPrior } from "../src/denoising/prior-shelf.js";
import { denoiseByScaleMixtures } from "../src/denoising/wavelet-gsm.js";
import { denoiseByMarginals } from "../src/denoising/wavelet-marginal.js";
import { densityOf } from "../src/density/density-of.js";
import type { Model } from "../src/density/model-files/model.js";
import { psnrInDecibels } from "../src/evaluation/picture-quality.js";
import { ssim } from "../src/evaluation/ssim.js";
import { type Figure, type ReportBlock, pictureOf } from "../src/figures/report-blocks.js";
import { prose } from "../src/figures/report-text.js";
import { type GreyImage, centralCrop } from "../src/images/grey-image.js";
import { meanOf } from "../src/numbers/means.js";
import { withWhiteNoise } from "../src/preprocessing/white-noise.js";
import { createRandom } from "../src/random/random-stream.js";
import type {
  Experiment,
  ExperimentResult,
  FitRecord,
  PaperContext,
  PaperNumber,
} from "./experiment.js";

export const denoising: Experiment = {
  name: "denoising",
  title: "Denoising",
  section: "§4.2, “Denoising”, figure with denoised images",
  data: ["kodak"],
  minutes: { full: 15, quick: 0.5 },
  run,
};

/** Standard deviations of the noise in grey levels of 255, besides that of the figure. */
const fullLevels = [15, 25, 50];
const quickLevels = [25];
/**
 * Names of the pictures in the figure: motorcycles, which come closest to the values of the paper
 * (docs/decisions.md), and boats in a quick run.
 */
const shown = { full: "kodim05.png", quick: "nagasaki-boats" };
/** PSNR of the paper's marginal model in decibels; it sets the noise level of the figure. */
const paperMarginal = 20.6;
const crop = { width: 384, height: 256 };
/** Every second patch in each direction: each pixel is in 16 of 64 patches. */
const stride = 2;

const methods = ["marginal", "GSM", "GDN", "GDN, three rounds"] as const;
type Method = (typeof methods)[number];
/** Values of the paper's figure; null if it has none. */
const paperValues: Readonly<Record<Method, PublishedQuality | null>> = {
  marginal: { psnr: 20.6, reduced: 0.68 },
  GSM: { psnr: 22.4, reduced: 0.75 },
  GDN: { psnr: 22.6, reduced: 0.78 },
  "GDN, three rounds": null,
};

interface Quality {
  readonly psnr: number;
  readonly ssim: number;
  /** SSIM of the reduced pictures. */
  readonly reduced: number;
}
type PublishedQuality = Omit<Quality, "ssim">;

interface Picture {
  readonly name: string;
  readonly image: GreyImage;
}

interface Level {
  readonly sigma: number;
  readonly isOfFigure: boolean;
  readonly prior: Prior;
  /** Quality of each picture, in the order of the pictures. */
  readonly qualities: Readonly<Record<Method, readonly Quality[]>>;
}

interface Prior {
  readonly model: Model;
  readonly record: FitRecord;
  /** Densities for the rounds after the first. */
  readonly guided: GuidedDensities;
  readonly guidedRecord: FitRecord;
}

async function run(context: PaperContext): Promise<ExperimentResult> {
  const { quick } = context;
  const paths = await context.images("kodak");
  const whole = await Promise.all(paths.map(pictureAt));
  // Whole photographs would take too long for a quick run.
  const pictures = quick
    ? whole.map(({ name, image }) => ({ name, image: centralCrop(image, crop) }))
    : whole;
  const example = pictures.find(({ name }) => name.startsWith(quick ? shown.quick : shown.full));
  const figured = example ?? pictures[0];
  const ofFigure = await levelOfFigure(context, figured);
  const levels: Level[] = [];
  for (const [k, sigma] of [ofFigure, ...(quick ? quickLevels : fullLevels)].entries()) {
    levels.push(await measure(context, pictures, sigma, k === 0));
  }
  return {
    fits: fitsOf(levels),
    numbers: levels.flatMap((level) => numbersOf(level, pictures.indexOf(figured))),
    hasTable: true,
    blocks: [
      await figureOf(context, figured, levels[0]),
      tableOf(levels),
      { kind: "paragraph", text: orderingOf(context, levels, pictures.length) },
    ],
  };
}

/** All fits, without duplicates. */
function fitsOf(levels: readonly Level[]): FitRecord[] {
  const all = levels.flatMap(({ prior }) => [prior.record, prior.guidedRecord]);
  return [...new Map(all.map((record) => [record.path, record])).values()];
}

async function pictureAt(path: string): Promise<Picture> {
  const { width, height, pixels } = await decodeImage(path, "grey");
  const embedded = embeddedPhotographs().find((photograph) => photograph.path === path);
  return { name: embedded?.name ?? basename(path), image: { width, height, pixels } };
}

function noisyOf({ seed }: PaperContext, { name, image }: Picture, sigma: number): GreyImage {
  const random = createRandom(seed, "paper denoising", name);
  return { ...image, pixels: withWhiteNoise(image.pixels, sigma / 255, random) };
}

/** Finds the noise level by bisection: more noise means fewer decibels. */
async function levelOfFigure(context: PaperContext, picture: Picture): Promise<number> {
  let [low, high] = [10, 200];
  while (high - low > 1) {
    const sigma = Math.round((low + high) / 2);
    const noisy = noisyOf(context, picture, sigma);
    const { signal } = context;
    const estimate = await denoiseByMarginals(noisy, { sigma: sigma / 255, signal });
    const { psnr } = qualityOf(estimate, picture);
    if (psnr > paperMarginal) low = sigma;
    else high = sigma;
  }
  return low;
}

async function denoised(
  method: Method,
  { runner, signal }: PaperContext,
  noisy: GreyImage,
  level: number,
  { model, guided }: Prior,
): Promise<GreyImage> {
  const sigma = level / 255;
  if (method === "marginal") return denoiseByMarginals(noisy, { sigma, signal });
  if (method === "GSM") return denoiseByScaleMixtures(noisy, { sigma, signal });
  if (method === "GDN")
    return denoiseImage(densityOf(model, runner), noisy, { sigma, stride, signal });
  const first = await denoiseImage(densityOf(model, runner), noisy, {
    sigma,
    stride: guideStride,
    signal,
  });
  return denoiseGuided(runner, guided, noisy, first, { sigma, signal });
}

/** Returns PSNR and SSIM of a picture as it is shown: clipped to black and white. */
function qualityOf(estimate: GreyImage, { image }: Picture): Quality {
  const visible = { ...estimate, pixels: estimate.pixels.map((v) => Math.min(1, Math.max(0, v))) };
  return {
    psnr: psnrInDecibels(visible, image),
    ssim: ssim(visible, image),
    reduced: ssim(reduced(visible), reduced(image)),
  };
}

/** Pixels per side that the authors of SSIM suggest for a picture seen as a whole. */
const sideForSsim = 256;

/**
 * Reduces a picture to about 256 pixels on its shorter side, by means of F×F pixels. Wang's program
 * (ssim.m, "suggested usage") does so before it compares pictures, F = max(1, round(side / 256)).
 */
function reduced(image: GreyImage): GreyImage {
  const factor = Math.max(1, Math.round(Math.min(image.width, image.height) / sideForSsim));
  const [width, height] = [image.width, image.height].map((side) => Math.floor(side / factor));
  const pixels = new Float32Array(width * height);
  for (let y = 0; y < factor * height; y++) {
    for (let x = 0; x < factor * width; x++) {
      const place = Math.floor(y / factor) * width + Math.floor(x / factor);
      pixels[place] += image.pixels[y * image.width + x] / (factor * factor);
    }
  }
  return { width, height, pixels };
}

async function measure(
  context: PaperContext,
  pictures: readonly Picture[],
  sigma: number,
  isOfFigure: boolean,
): Promise<Level> {
  const prior = await priorFor(sigma);
  const qualities: Record<Method, Quality[]> = {
    marginal: [],
    GSM: [],
    GDN: [],
    "GDN, three rounds": [],
  };
  const report = context.progress(`denoising, σ = ${sigma}`, pictures.length);
  for (const [k, picture] of pictures.entries()) {
    const noisy = noisyOf(context, picture, sigma);
    for (const method of methods) {
      qualities[method].push(
        qualityOf(await denoised(method, context, noisy, sigma, prior), picture),
      );
    }
    report(k + 1);
  }
  return { sigma, isOfFigure, prior, qualities };
}

async function priorFor(level: number): Promise<Prior> {
  const [first, second] = [await nearestPrior(level), await nearestPrior(level, "guided")];
  const model = await readPatchModel(first.path);
  const { guided, about } = await readGuided(second.path);
  return {
    model,
    guided,
    record: recordOf(`GDN, noise of σ = ${first.sigma}`, first, model.about),
    guidedRecord: recordOf(`further rounds, noise of σ = ${second.sigma}`, second, about),
  };
}

/** The record of a fit, from the file of a prior. */
function recordOf(title: string, prior: DenoisingPrior, about: AboutFit): FitRecord {
  const { data = {}, training = {} } = about;
  return {
    title,
    path: `priors/${basename(prior.path)}`,
    dataHash: typeof data.hash === "string" ? data.hash : "",
    command: `node scripts/fit-priors.mjs bsds300/train ${prior.sigma}`,
    steps: Number(training.steps ?? 0),
    seconds: Number(training.seconds ?? 0),
  };
}

interface AboutFit {
  readonly data?: { readonly hash?: unknown };
  readonly training?: { readonly steps?: unknown; readonly seconds?: unknown };
}

function meansOf({ qualities }: Level, method: Method): Quality {
  return {
    psnr: meanOf(qualities[method].map(({ psnr }) => psnr)),
    ssim: meanOf(qualities[method].map((quality) => quality.ssim)),
    reduced: meanOf(qualities[method].map((quality) => quality.reduced)),
  };
}

/** Means over the pictures; at the noise of the figure, values of its picture, as in the paper. */
function numbersOf(level: Level, figured: number): PaperNumber[] {
  const { sigma, isOfFigure, prior } = level;
  const where = isOfFigure ? `picture of the figure, σ = ${sigma}` : `σ = ${sigma}`;
  return methods.flatMap((method) => {
    const quality = isOfFigure ? level.qualities[method][figured] : meansOf(level, method);
    const paper = isOfFigure ? paperValues[method] : null;
    const of = (name: string, value: number, unit: string, theirs: number | null) => ({
      name: `${name} of ${method}, ${where}`,
      value,
      unit,
      standardError: null,
      paper: theirs,
      fit: fitOf(method, prior),
    });
    return [
      of("PSNR", quality.psnr, "dB", paper?.psnr ?? null),
      isOfFigure
        ? of("SSIM of reduced pictures", quality.reduced, "", paper?.reduced ?? null)
        : of("SSIM", quality.ssim, "", null),
    ];
  });
}

function fitOf(method: Method, { record, guidedRecord }: Prior): FitRecord | null {
  if (method === "GDN") return record;
  return method === "GDN, three rounds" ? guidedRecord : null;
}

async function figureOf(
  context: PaperContext,
  picture: Picture,
  { sigma, prior }: Level,
): Promise<ReportBlock> {
  const noisy = noisyOf(context, picture, sigma);
  const figures: Figure[] = [figureWith("noisy", noisy, picture)];
  const similarities: string[] = [];
  for (const method of methods) {
    const estimate = await denoised(method, context, noisy, sigma, prior);
    figures.push(figureWith(method, estimate, picture));
    if (paperValues[method]) similarities.push(qualityOf(estimate, picture).ssim.toFixed(2));
  }
  const fullSize = similarities.join(", ");
  return {
    kind: "figures",
    figures,
    caption: prose`
      A detail of ${picture.name} with noise of σ = ${sigma}. At this level the marginal model has
      the ${paperMarginal} dB of the paper's figure. Values are for the whole picture. The paper does
      not name its picture. Its values for marginal, GSM and GDN are ${paperTexts().join("; ")}. SSIM
      is that of the picture reduced to about ${sideForSsim} pixels on its shorter side, as the
      program of Wang et al. suggests; at full size it is ${fullSize}.
      According to the paper, artifacts of the marginal model and of GSM look like the basis
      functions of the wavelet. Those of GDN are less noticeable, but more noise remains.
    `,
  };
}

function paperTexts(): string[] {
  return methods.flatMap((method) => {
    const values = paperValues[method];
    return values ? [`${values.psnr} dB, SSIM ${values.reduced}`] : [];
  });
}

function figureWith(label: string, estimate: GreyImage, picture: Picture): Figure {
  const quality = qualityOf(estimate, picture);
  const caption = `${label}: ${quality.psnr.toFixed(1)} dB, SSIM ${quality.reduced.toFixed(2)}`;
  return { ...pictureOf(centralCrop(estimate, crop), `${picture.name}, ${caption}`), caption };
}

function tableOf(levels: readonly Level[]): ReportBlock {
  return {
    kind: "table",
    columns: [
      { label: "noise, σ" },
      ...methods.flatMap((method) => [
        { label: method, unit: "PSNR, dB" },
        { label: method, unit: "SSIM" },
      ]),
    ],
    rows: levels.map((level) => [
      `${level.sigma}${level.isOfFigure ? " (figure)" : ""}`,
      ...methods.flatMap((method) => {
        const { psnr, ssim: similarity } = meansOf(level, method);
        return [psnr.toFixed(2), similarity.toFixed(3)];
      }),
    ]),
  };
}

/** Counts the pictures in the paper's order: GDN, GSM, marginal. */
function orderingOf({ quick }: PaperContext, levels: readonly Level[], pictures: number): string {
  const counted = (method: Method): string =>
    levels
      .map(({ sigma, qualities }) => {
        const inOrder = (of: keyof Quality): number =>
          qualities[method].filter(
            (quality, k) =>
              quality[of] > qualities.GSM[k][of] &&
              qualities.GSM[k][of] > qualities.marginal[k][of],
          ).length;
        return `${inOrder("ssim")} at σ = ${sigma} (${inOrder("psnr")} by PSNR)`;
      })
      .join(", ");
  return prose`
    Means over ${pictures}
    ${quick ? "details of photographs that come with the package" : "pictures"}, noise neither
    clipped nor rounded. Both wavelet models use an orthonormal wavelet of three scales, as in the
    paper; averaging over shifts would improve them. The GDN is the prior of the package, fitted to
    noisy 8×8 patches of other photographs and scaled to the noise level. The other two rounds,
    which the paper does not have, denoise again with densities that know the previous estimate.
    Pictures in the paper's order (GDN better than GSM, GSM better than marginal, by SSIM):
    ${counted("GDN")}. With all three rounds: ${counted("GDN, three rounds")}.
  `;
}
