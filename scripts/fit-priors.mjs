/**
 * Fits the densities of noisy patches for `gaussianize denoise` (priors/):
 *
 *   node scripts/fit-priors.mjs ../shared/data/bsds300/train [SIGMA…] [--ica-mg] [--layers=1]
 *     [--pool-rank=0] [--guided-steps=3000] [--last-steps=4000]
 *
 * For each noise level SIGMA, in grey levels of 255, it fits a density by likelihood, as the
 * command `fit --noise-level` does, and then for the error of denoised pictures (fitDenoiser). Then
 * it fits the densities of the further rounds, which use the first estimate (fitGuided), and those
 * of the last round, which use an estimate that similar patches have refined.
 *
 *   --ica-mg        the baseline with independent components, by likelihood alone
 *   --layers=3      stacks for `denoise --model`, without further rounds: stack-3-25.safetensors
 *   --pool-rank=16  low-rank pools: rank-16-25.safetensors
 *   --last-only     fits the densities of the last round again, and keeps the others
 *   --force         fits again what is finished
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { encodeGuided, fitGuided } from "gaussianize/denoising";
import { fitDenoiser, fitModel } from "gaussianize/training";
import { findImages, openImageSet, openRunner } from "gaussianize/node";
import { nearestPrior } from "../dist/node/denoising-priors.js";
import { readGuided, readPatchModel, writeModel } from "../dist/node/model-files.js";

const [folder, ...given] = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const isForced = process.argv.includes("--force");
const isLastOnly = process.argv.includes("--last-only");
const guidedSteps = numberOf("guided-steps", 3000);
const lastSteps = numberOf("last-steps", 4000);
const layers = numberOf("layers", 1);
const poolRank = numberOf("pool-rank", 0);
const family = process.argv.includes("--ica-mg") ? "ica-mg" : "gdn";
const stackPrefix = layers === 1 ? family : `stack-${layers}`;
const prefix =
  poolRank === 0 ? stackPrefix : `rank-${poolRank}${layers === 1 ? "" : `-stack-${layers}`}`;
if (folder === undefined) {
  console.error("Which images? node scripts/fit-priors.mjs FOLDER [SIGMA…]");
  process.exit(2);
}
const levels = given.length > 0 ? given.map(Number) : [5, 10, 15, 25, 35, 50, 75];
const size = 8;
const seed = 1;
const clean = {
  luminance: /** @type {const} */ ("grey"),
  dequantize: false,
  layout: { size, removeMean: false },
};
const paths = await findImages([folder]);
const { fingerprint } = await openImageSet(paths, clean, { strict: true });
const runner = await openRunner({ callerWorks: true });
mkdirSync("priors", { recursive: true });

for (const level of levels) {
  await unlessThere(`priors/${prefix}-${level}.safetensors`, (path) => firstLook(path, level));
  if (prefix !== "gdn") continue;
  const guided = `priors/guided-${level}.safetensors`;
  if (!isLastOnly) await unlessThere(guided, (path) => secondLook(path, level));
  await lastLook(guided, level);
}
await runner.close();

/**
 * @param {string} name
 * @param {number} usual
 */
function numberOf(name, usual) {
  const word = process.argv.find((each) => each.startsWith(`--${name}=`));
  return Number(word?.split("=")[1] ?? usual);
}

/**
 * @param {string} path
 * @param {(path: string) => Promise<void>} make
 */
async function unlessThere(path, make) {
  if (existsSync(path) && !isForced) return;
  const began = Date.now();
  await make(path);
  console.log(`${path}: ${secondsSince(began)} s`);
}

/** @param {number} began */
function secondsSince(began) {
  return Math.round((Date.now() - began) / 1000);
}

/**
 * @param {string} path
 * @param {number} level
 */
async function firstLook(path, level) {
  const began = Date.now();
  const start = await byLikelihood(level / 255);
  const { model } = family === "gdn" ? await forDenoising(start, level) : { model: start };
  await writeModel(path, { ...model, about: aboutOf(model, level, secondsSince(began)) });
}

/**
 * @param {string} path
 * @param {number} level
 */
async function secondLook(path, level) {
  const began = Date.now();
  const prior = await nearestPrior(level);
  const set = await openImageSet(paths, clean, { seed, strict: true });
  const guided = await fitGuided(runner, {
    prior: await readPatchModel(prior.path),
    noiseLevel: level / 255,
    images: set.images.length,
    load: set.load,
    steps: guidedSteps,
    seed,
    onEstimate: (done, total) => {
      if (done % 50 === 0) console.log(`σ ${level}, first look at ${done} of ${total}`);
    },
    onStep: report(level),
  });
  const data = { description: "BSDS300, the 200 training images", hash: fingerprint };
  const training = { steps: guidedSteps, seed, prior: prior.sigma, seconds: secondsSince(began) };
  const about = { name: `Guided GDN, σ = ${level}`, data, training };
  writeFileSync(path, encodeGuided(guided, about, { isHalf: true }));
}

/** The other images of the training set are left for decisions. */
const lastImages = 180;

/**
 * @param {string} path
 * @param {number} level
 */
async function lastLook(path, level) {
  const began = Date.now();
  const { guided: known, about } = await readGuided(path);
  if (known.last && !isLastOnly && !isForced) return;
  const earlier = { ...known };
  delete earlier.last;
  const prior = await nearestPrior(level);
  const set = await openImageSet(paths, clean, { seed, strict: true });
  const last = await fitGuided(runner, {
    prior: await readPatchModel(prior.path),
    earlier,
    noiseLevel: level / 255,
    images: lastImages,
    load: set.load,
    steps: lastSteps,
    learningRate: 0.003,
    seed,
    onStep: report(level),
  });
  const training = { steps: lastSteps, seed, images: lastImages, seconds: secondsSince(began) };
  const bytes = encodeGuided({ ...earlier, last }, { ...about, last: training }, { isHalf: true });
  writeFileSync(path, bytes);
  console.log(`${path}, last round: ${secondsSince(began)} s`);
}

/**
 * @param {number} level
 * @returns {(step: number, error: number) => void}
 */
function report(level) {
  let mean = 0;
  return (step, error) => {
    // Averages over batches, because one alone is noisy.
    mean += (error - mean) * Math.max(1 / (step + 1), 0.005);
    if (step % 200 !== 0) return;
    console.log(`σ ${level}, step ${step}: ${(-10 * Math.log10(mean)).toFixed(3)} dB`);
  };
}

/**
 * @param {import("gaussianize").Model} model
 * @param {number} level
 * @param {number} seconds
 */
function aboutOf({ about }, level, seconds) {
  return {
    ...about,
    name: `${family.toUpperCase()}${layers === 1 ? "" : ` of ${layers} layers`}${poolRank === 0 ? "" : ` of rank ${poolRank}`}, σ = ${level}`,
    data: { ...about.data, description: "BSDS300, the 200 training images", hash: fingerprint },
    training: { ...about.training, seconds },
  };
}

/** @param {number} noiseLevel */
async function byLikelihood(noiseLevel) {
  const reading = { ...clean, noiseLevel };
  const set = await openImageSet(paths, reading, { seed, strict: true });
  const { model } = await fitModel(runner, {
    model: family,
    images: set.images.length,
    load: set.load,
    reading,
    preprocessing: "standardize",
    layers,
    poolRank,
    steps: 6000,
    seed,
    heldOut: 0,
  });
  return model;
}

/**
 * @param {import("gaussianize").Model} start
 * @param {number} level
 */
async function forDenoising(start, level) {
  const set = await openImageSet(paths, clean, { seed, strict: true });
  return fitDenoiser(runner, {
    start,
    images: set.images.length,
    load: set.load,
    steps: 3000,
    seed,
    onStep: report(level),
  });
}
