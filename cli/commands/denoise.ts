/** Flags and help of `gaussianize denoise`. */
import { type Command, Option } from "commander";
import type { DenoisingMethod } from "../../src/denoising/picture-denoiser.js";
import type { NoiseKind } from "../../src/denoising/real-noise/noise-kind.js";
import type { DenoiseOptions } from "../denoise/options.js";
import type { Effects } from "../effects.js";
import {
  addRunOptions,
  inputFile,
  inputFiles,
  oneOf,
  positiveNumber,
  wholeNumber,
} from "../options.js";

/** The compiler checks that none is missing; importing the library's list would delay --help. */
const methods: Readonly<Record<DenoisingMethod, true>> = {
  gdn: true,
  "ica-mg": true,
  gsm: true,
  marginal: true,
  wiener: true,
};

const kinds: Readonly<Record<NoiseKind, true>> = {
  white: true,
  "signal-dependent": true,
  coloured: true,
};

/** Parses a noise level: σ = 255 leaves nothing of a picture. */
const noiseLevel = positiveNumber(255, ", in grey levels of 255");

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Removes noise from pictures, grey or colour, by default with densities of noisy patches that come with the package (empirical Bayes, paper eq. 7). Keeps bit depth, alpha and metadata.",
    )
    .argument("<images...>", "pictures: files, folders, globs and @lists", inputFiles)
    .optionsGroup("Output:")
    .option(
      "-o, --output <path>",
      "file for one picture, folder for several; the ending sets the format",
      inputFile,
    )
    .option("--compare", "also write noisy and denoised side by side: <output>-compare.png")
    .option("--force", "allow the output to replace its own input")
    .optionsGroup("Noise:")
    .option("--sigma <n>", "noise level σ in grey levels of 255 (default: estimated)", noiseLevel)
    .addOption(
      new Option(
        "--noise <kind>",
        "white, signal-dependent (grows with brightness, like photon noise) or coloured (correlated between pixels) (default: detected; white with --sigma)",
      ).argParser(oneOf(Object.keys(kinds) as NoiseKind[])),
    )
    .optionsGroup("Method:")
    .addOption(
      new Option(
        "--method <name>",
        "gdn, ica-mg (densities of patches), gsm, marginal or wiener (wavelets)",
      )
        .argParser(oneOf(Object.keys(methods) as DenoisingMethod[]))
        .default("gdn", "gdn"),
    )
    .option("--fast", "less than half the time; up to 0.2 dB worse")
    .option("--best", "about twice the time; the best quality")
    .option("--model <file>", "your own density, made with fit --noise-level", inputFile)
    .option(
      "--rounds <n>",
      "rounds of denoising, 1 (paper eq. 7) to 4; each refines the one before (default: 3; 2 with --fast; 1 with --model or --self)",
      wholeNumber(1, 4),
    )
    .option(
      "--stride <n>",
      "pixels between patches; a larger stride is faster but less accurate (default: 2; 1 with --best; in a single round a quarter of a patch)",
      wholeNumber(1, 64),
    )
    .option("--no-self-similar", "do not refine the result by similar patches of the picture")
    .option(
      "--self",
      "for drawings and patterns: fit the density to the picture itself, in one round (slow)",
    )
    .option("--self-steps <n>", "steps of that fit (default: 150)", wholeNumber(1))
    .optionsGroup("Measurement (PSNR and SSIM):")
    .option(
      "--reference <path>",
      "clean picture, or a folder of clean pictures with the same names",
      inputFile,
    )
    .option("--add-noise <sigma>", "add noise of this σ to clean pictures first", noiseLevel)
    .option("--seed <n>", "seed of --add-noise and --self", wholeNumber(0), 1);
  addRunOptions(command)
    .addHelpText(
      "after",
      `
Examples:
  gaussianize denoise noisy.png -o clean.png
  gaussianize denoise scans/ -o cleaned/ --sigma 12
  gaussianize denoise cells.tif -o clean.tif --noise signal-dependent
  gaussianize denoise noisy.png -o out.png --reference original.png --compare
  gaussianize denoise bsd68/ --add-noise 25 --json | jq .mean

Methods, speed and quality: docs/commands.md
`,
    )
    .action(async (patterns: readonly string[], options: DenoiseOptions) => {
      const { denoise } = await import("../denoise/denoise.js");
      await denoise(patterns, options, effects);
    });
}
