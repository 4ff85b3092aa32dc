/** Flags and help of `gaussianize paper`. */
import type { Command } from "commander";
import type { Effects } from "../effects.js";
import { addRunOptions, folderName, wholeNumber } from "../options.js";
import type { PaperOptions } from "../paper/paper.js";

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Repeats the experiments of the paper and writes a report with the paper's values beside ours. Finished experiments and fits are kept in the folder of the report and reused; an interrupted run resumes.",
    )
    .argument(
      "[names...]",
      "names of experiments; all runs those that take minutes, list shows the names",
    )
    .optionsGroup("Experiments:")
    .option("--quick", "minutes instead of an hour: short fits to the photographs of the package")
    .option(
      "--data <dir>",
      "folder of the image sets (default: GAUSSIANIZE_DATA, or the cache folder)",
    )
    .option("--steps <n>", "steps of every fit, to try it out", wholeNumber(1))
    .option("--seed <n>", "the same seed gives the same numbers", wholeNumber(0), 1)
    .option("--again", "repeat the named experiments even if they are finished; reuses fits")
    .optionsGroup("Output:")
    .option("-o, --output <report>", "folder of the report", folderName);
  addRunOptions(command, "print the results as JSON")
    .addHelpText(
      "after",
      `
Examples:
  gaussianize paper list                          # names, data and times
  gaussianize paper all --quick -o report         # about six minutes
  gaussianize paper all --data data/ -o report    # about an hour
  gaussianize paper negentropy samples --data data/ -o report
  gaussianize paper cascade-paper --data data/ -o report    # 1 h 40 min
  gaussianize paper ideas --data data/ -o report            # 1 hour
  gaussianize paper other-patches --data data/ -o report    # 1 hour
`,
    )
    .action(async (names: readonly string[], options: PaperOptions) => {
      const { paper } = await import("../paper/paper.js");
      await paper(names, options, effects);
    });
}
