/** Flags and help of `gaussianize lab`. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Effects } from "../effects.js";
import type { LabOptions } from "../lab/lab.js";
import { folderName, wholeNumber } from "../options.js";

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Serves the lab, a page for browsers on this machine: pairs, patches, denoising and fits, all computed in the page. With a folder of runs it also shows the fits in it, live.",
    )
    .argument("[runs]", "folder in which `gaussianize fit` keeps its runs", folderName)
    .optionsGroup("Server:")
    .option(
      "--port <n>",
      "port to listen on; 0 takes any free one (default: 4417 if it is free)",
      wholeNumber(0, 65535),
    )
    .addOption(
      new Option(
        "--host <address>",
        "address to listen on; any other than 127.0.0.1 opens the lab to the network",
      )
        .argParser(hostName)
        .default("127.0.0.1", "127.0.0.1"),
    )
    .option("--open", "open the lab in the browser")
    .option("--json", "print the address as JSON")
    .addHelpText(
      "after",
      `
Examples:
  gaussianize lab --open
  gaussianize lab runs/
  gaussianize lab runs/ --port 8080
`,
    )
    .action(async (runs: string | undefined, options: LabOptions) => {
      const { lab } = await import("../lab/lab.js");
      await lab(runs, options, effects);
    });
}

function hostName(text: string): string {
  if (/^[\w.:%-]+$/.test(text)) return text;
  throw new InvalidArgumentError("It must be an address or a name of this machine.");
}
