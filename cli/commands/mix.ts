/** Flags and help of `gaussianize mix`. */
import { type Command, InvalidArgumentError } from "commander";
import type { Effects } from "../effects.js";
import type { MixOptions } from "../mix/mix.js";
import { inputFiles, outputFile, positiveNumber } from "../options.js";

const positive = positiveNumber();

/** Parses one weight. The list of weights takes every word up to the next option. */
function weightOf(text: string): number {
  if (text.endsWith(".safetensors")) {
    throw new InvalidArgumentError("It must be numbers; give the models before it.");
  }
  return positive(text);
}

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Makes one density of several: p(x) = Σ π_k p_k(x), with the given weights. With --symmetric, patches in all 8 poses (quarter turns and mirror images) are equally likely. All models must read images in the same way. The other commands take the result like any model of patches.",
    )
    .argument("<models...>", "model files (.safetensors), mixtures included", inputFiles)
    .optionsGroup("Mixture:")
    .option(
      "--weights <w...>",
      "one positive weight per model, divided by their sum (default: equal weights)",
      (text, before: readonly number[] | undefined) => [...(before ?? []), weightOf(text)],
    )
    .option("--symmetric", "average over the 8 poses of a patch; then one model is enough")
    .optionsGroup("Output:")
    .option("-o, --output <file>", "model file to write", outputFile(".safetensors"))
    .option("--json", "print the mixture as JSON")
    .addHelpText(
      "after",
      `
Examples:
  gaussianize mix a.safetensors b.safetensors --weights 0.4 0.6 -o mix.safetensors
  gaussianize mix gdn.safetensors --symmetric -o symmetric.safetensors
  gaussianize mix a.safetensors b.safetensors c.safetensors --symmetric -o both.safetensors
  gaussianize evaluate gdn.safetensors symmetric.safetensors photos/    # compare
`,
    )
    .action(async (paths: readonly string[], options: MixOptions) => {
      const { mix } = await import("../mix/mix.js");
      await mix(paths, options, effects);
    });
}
