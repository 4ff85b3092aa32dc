/** Flags and help of `gaussianize demo`. */
import type { Command } from "commander";
import type { DemoOptions } from "../demo/demo.js";
import type { Effects } from "../effects.js";
import { addRunOptions, outputFile, wholeNumber } from "../options.js";

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Fits three densities (ICA-MG, RG, GDN) to 8×8 patches of photographs that come with the package, compares them on a photograph that was held out, removes noise from it, and writes a report with pictures. Takes about two minutes on two cores.",
    )
    .optionsGroup("Fits:")
    .option("--steps <n>", "steps of the GDN; fewer are faster", wholeNumber(1), 3000)
    .option("--seed <n>", "the same seed gives the same numbers", wholeNumber(0), 1)
    .optionsGroup("Output:")
    .option(
      "-o, --output <file>",
      "report, one HTML file (default: gaussianize-demo.html)",
      outputFile(".html"),
    )
    .option("--save <file>", "save the GDN as a model file", outputFile(".safetensors"));
  addRunOptions(command, "print the results as JSON instead of text")
    .addHelpText(
      "after",
      `
Examples:
  gaussianize demo
  gaussianize demo --steps 500 -o quick.html    # less than half a minute
  gaussianize demo --save gdn.safetensors       # a model for the other commands
  gaussianize demo --json --seed 7
`,
    )
    .action(async (options: DemoOptions) => {
      const { demo } = await import("../demo/demo.js");
      await demo(options, effects);
    });
}
