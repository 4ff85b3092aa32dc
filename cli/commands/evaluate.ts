/** Flags and help of `gaussianize evaluate`. */
import { type Command, Option } from "commander";
import type { Effects } from "../effects.js";
import type { EvaluateOptions } from "../evaluate/evaluate.js";
import { addRunOptions, inputFile, inputFiles, outputFile, wholeNumber } from "../options.js";

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Measures how likely images are under a model: log-likelihood in nats and in bits per pixel, and ΔJ, the change of negentropy (lower is better). ΔJ of a mixture follows from its mean log p. Several models are compared on the same patches. Images are read as in the fit of the model. Exits with code 1 if a patch or an image has no density.",
    )
    .usage("<model> [more models...] <images...> [options]")
    .argument("<model>", "a model file (.safetensors)", inputFile)
    .argument(
      "<images...>",
      "files, folders, tar archives, globs and @lists; further .safetensors files are models",
      inputFiles,
    )
    .optionsGroup("Patches:")
    .option(
      "--patches <n>",
      "patches at random places, in all images together (default: 100,000)",
      wholeNumber(1),
    )
    .addOption(
      new Option(
        "--grid [stride]",
        "all patches on a grid of this stride in pixels (default: the side of a patch)",
      )
        .argParser(wholeNumber(1))
        .conflicts("patches"),
    )
    .option("--seed <n>", "seed of the places and of the dequantisation noise", wholeNumber(0), 1)
    .option("--strict", "fail on the first unusable image instead of skipping it")
    .optionsGroup("Output:")
    .option("--npz <file>", "write log p and the position of every patch", outputFile(".npz"));
  addRunOptions(command)
    .addHelpText(
      "after",
      `
Examples:
  gaussianize evaluate gdn.safetensors photos/
  gaussianize evaluate gdn.safetensors bsds300/test --patches 1000000 --seed 7
  gaussianize evaluate gdn.safetensors photo.png --grid 4
  gaussianize evaluate gdn.safetensors ica.safetensors photos/    # compare
  gaussianize evaluate gdn.safetensors photos/ --npz scores.npz
  gaussianize evaluate gdn.safetensors photos/ --json | jq .bitsPerPixel
`,
    )
    .action(async (path: string, others: readonly string[], options: EvaluateOptions) => {
      const { evaluate } = await import("../evaluate/evaluate.js");
      await evaluate(path, others, options, effects);
    });
}
