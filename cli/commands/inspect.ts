/** Flags and help of `gaussianize inspect`. */
import type { Command } from "commander";
import type { Effects } from "../effects.js";
import type { InspectOptions } from "../inspect/inspect.js";
import { inputFile, outputFile } from "../options.js";

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Shows what a model file holds: stages, ranges of parameters, figures, and what is proven about invertibility. For a checkpoint, shows how many steps are done and how to resume the fit.",
    )
    .argument("<model>", "a model file or a checkpoint (.safetensors)", inputFile)
    .optionsGroup("Output:")
    .option("-o, --output <file>", "draw filters and weights γ as a PNG", outputFile(".png"))
    .option("--json", "print everything as JSON")
    .addHelpText(
      "after",
      `
Examples:
  gaussianize inspect gdn.safetensors
  gaussianize inspect gdn.safetensors -o filters.png
  gaussianize inspect gdn.safetensors --json | jq .certificate
  gaussianize inspect runs/gdn/checkpoint.safetensors
`,
    )
    .action(async (path: string, options: InspectOptions) => {
      const { inspect } = await import("../inspect/inspect.js");
      await inspect(path, options, effects);
    });
}
