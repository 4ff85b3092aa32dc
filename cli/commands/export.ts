/** Flags and help of `gaussianize export`. */
import type { Command } from "commander";
import type { Effects } from "../effects.js";
import type { ExportOptions } from "../export/export.js";
import { inputFile, outputFile } from "../options.js";

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Writes the parameters of a model as arrays for numpy (docs/model-files.md), or prints them as JSON.",
    )
    .argument("<model>", "a model file (.safetensors)", inputFile)
    .optionsGroup("Output:")
    .option("--npz <file>", "file to write", outputFile(".npz"))
    .option("--json", "print the arrays as JSON; with --npz only names and shapes")
    .addHelpText(
      "after",
      `
Examples:
  gaussianize export gdn.safetensors --npz gdn.npz
  gaussianize export gdn.safetensors --json | jq .metadata.figures
  python3 -c "import numpy; print(numpy.load('gdn.npz')['stages.1.gamma'])"
`,
    )
    .action(async (path: string, options: ExportOptions) => {
      const { exportModel } = await import("../export/export.js");
      await exportModel(path, options, effects);
    });
}
