/** Flags and help of `gaussianize sample`. */
import type { Command } from "commander";
import type { Effects } from "../effects.js";
import {
  addRunOptions,
  imageSize,
  inputFile,
  outputFile,
  positiveNumber,
  wholeNumber,
} from "../options.js";
import type { SampleOptions } from "../sample/sample.js";

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Draws samples from the density of a model, patches or whole images: as a picture, as an array for numpy, or as JSON.",
    )
    .argument("<model>", "a model file (.safetensors)", inputFile)
    .optionsGroup("Samples:")
    .option(
      "-n, --count <n>",
      "number of samples (default: 25 patches, or 1 whole image)",
      wholeNumber(1),
    )
    .option(
      "--size <WxH>",
      "size of whole images in pixels, multiples of the model's stride (default: about 256x256)",
      imageSize,
    )
    .option(
      "--temperature <t>",
      "scale of the normal vectors behind samples; below 1 avoids the tails (default: 1)",
      positiveNumber(),
    )
    .option("--seed <n>", "the same seed gives the same samples", wholeNumber(0), 1)
    .optionsGroup("Output:")
    .option(
      "-o, --output <file>",
      "picture (.png) or array `x` (.npz)",
      outputFile(".png", ".npz"),
    );
  addRunOptions(command, "print the samples as JSON")
    .addHelpText(
      "after",
      `
Examples:
  gaussianize sample gdn.safetensors -n 25 --seed 1 -o samples.png
  gaussianize sample gdn.safetensors -n 100000 -o samples.npz
  gaussianize sample gdn.safetensors -n 3 --json
  gaussianize sample cascade.safetensors --size 512x384 -o image.png
`,
    )
    .action(async (path: string, options: SampleOptions) => {
      const { sample } = await import("../sample/sample.js");
      await sample(path, options, effects);
    });
}
