/** Flags and help of `gaussianize fit`. */
import type { Command } from "commander";
import type { Effects } from "../effects.js";
import { addFitOptions, commandLineOf } from "../fit/options.js";
import { inputFiles } from "../options.js";

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Fits a density to patches of images, or with --cascade to whole images. Writes model.safetensors, metrics.jsonl and checkpoints into the folder of the run; an interrupted run resumes from its last checkpoint.",
    )
    .argument("[images...]", "files, folders, tar archives, globs and @lists", inputFiles);
  addFitOptions(command);
  command
    .addHelpText(
      "after",
      `
Examples:
  gaussianize fit photos/ -o runs/gdn
  gaussianize fit photos/ --model ica-mg --patch 16 -o runs/ica
  gaussianize fit bsds300/train --protocol bsds63 -o runs/bsds
  gaussianize fit photos/ --layers 3 --patch 16 -o runs/deep
  gaussianize fit photos/ --patch 32 --pool-rank 16 -o runs/large
  gaussianize fit photos/ --noise-level 25 -o runs/noisy     # for denoising
  gaussianize fit photos/ --cascade small -o runs/cascade    # whole images
  gaussianize fit shards/*.tar -o runs/archives
  gaussianize fit --embedded --steps 500 -o runs/try         # no images needed
  gaussianize fit -o runs/gdn --resume                       # after Ctrl-C
  gaussianize fit -o runs/gdn --resume --steps 20000         # extend it

Defaults by model and patch size: docs/commands.md
`,
    )
    .action(async (patterns: readonly string[], _: unknown, own: Command) => {
      const commandLine = commandLineOf(patterns, own);
      const { fit } = await import("../fit/fit.js");
      await fit(commandLine, effects);
    });
}
