/** Flags and help of `gaussianize verify`. */
import type { Command } from "commander";
import type { Effects } from "../effects.js";
import { addRunOptions, inputFile, inputFiles, wholeNumber } from "../options.js";
import type { VerifyOptions } from "../verify/verification-data.js";

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Says what is proven about the invertibility of a model, and examines its Jacobian on patches of images, or on samples of the model itself. Exits with code 1 if the model is not invertible.",
    )
    .argument("<model>", "a model file (.safetensors)", inputFile)
    .argument("[images...]", "files, folders, tar archives and globs", inputFiles)
    .optionsGroup("Data:")
    .option(
      "--samples <n>",
      "patches or samples to examine; locations in each whole image",
      wholeNumber(1),
      1000,
    )
    .option("--seed <n>", "seed for choosing patches or drawing samples", wholeNumber(0), 1);
  addRunOptions(command)
    .addHelpText(
      "after",
      `
Examples:
  gaussianize verify gdn.safetensors
  gaussianize verify gdn.safetensors photo1.png photo2.jpg --samples 5000
  gaussianize verify gdn.safetensors --json | jq .certified
`,
    )
    .action(async (path: string, images: readonly string[], options: VerifyOptions) => {
      const { verify } = await import("../verify/verify.js");
      await verify(path, images, options, effects);
    });
}
