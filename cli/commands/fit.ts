/** `gaussianize fit IMAGES… -o RUN`: fits a density to patches of images, or to whole images. */
import type { Command } from "commander";
import type { Effects } from "../effects.js";
import { addFitOptions, commandLineOf } from "../fit/options.js";
import { inputFiles } from "../options.js";

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Fits a density to patches of images, or with --cascade to whole images. The folder RUN gets model.safetensors, metrics.jsonl and a checkpoint from which an interrupted run resumes.",
    )
    .argument("[images...]", "files, folders, tar archives, globs and @lists", inputFiles);
  addFitOptions(command);
  command
    .addHelpText("after", examples)
    .action(async (patterns: readonly string[], _: unknown, own: Command) => {
      const commandLine = commandLineOf(patterns, own);
      // Loaded here: --help must not wait for what it does not run.
      const { fit } = await import("../fit/fit.js");
      await fit(commandLine, effects);
    });
}

const examples = `
Examples:
  gaussianize fit photos/ -o runs/gdn                     8×8 patches of linear luminance
  gaussianize fit photos/ --model ica-mg --patch 16 -o runs/ica
  gaussianize fit bsds300/train --protocol bsds63 -o runs/bsds
  gaussianize fit photos/ --layers 3 --patch 16 -o runs/deep
  gaussianize fit photos/ --patch 32 --pool-rank 16 -o runs/large
  gaussianize fit photos/ --noise-level 25 -o runs/noisy  to denoise with
  gaussianize fit photos/ --cascade small -o runs/cascade densities and samples of whole images
  gaussianize fit shards/*.tar -o runs/large              images in archives, however many
  gaussianize fit --embedded --steps 500 -o runs/try
  gaussianize fit -o runs/gdn --resume                    after Ctrl-C or a power cut
  gaussianize fit -o runs/gdn --resume --steps 20000      more steps for a finished fit
Defaults by model and patch size: docs/commands.md
`;
