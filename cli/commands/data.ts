/** Flags and help of `gaussianize data`. */
import { type Command, InvalidArgumentError } from "commander";
import { namesOfSets } from "../../node/data-sets.js";
import type { DataOptions } from "../data/data.js";
import type { Effects } from "../effects.js";
import { folderName } from "../options.js";

type Names = readonly string[];

export function configure(command: Command, effects: Effects): void {
  command
    .description("Lists, downloads and checks public sets of photographs.")
    .usage("[list|fetch|verify] [names...] [options]")
    .addHelpText(
      "after",
      `
The data folder is --data, or else the variable GAUSSIANIZE_DATA, or else the
cache folder of the system.

Examples:
  gaussianize data
  gaussianize data fetch kodak
  gaussianize data verify --data photographs
`,
    );
  onSets(command.command("list", { isDefault: true }), "[names...]")
    .summary("list the sets (the default)")
    .description("Lists the sets with size, licence and origin, and says which are present.")
    .option("--json", "print everything as JSON")
    .action(async (names: Names, options: DataOptions) => {
      const { listSets } = await import("../data/data.js");
      await listSets(names, options, effects);
    });
  onSets(command.command("fetch"), "<names...>")
    .summary("download sets")
    .description("Downloads the missing files of sets, and checks the SHA-256 of every file.")
    .option("--from <url>", "mirror: base address of kodak/kodim01.png and the rest", webAddress)
    .action(async (names: Names, options: DataOptions) => {
      const { fetchSets } = await import("../data/data.js");
      await fetchSets(names, options, effects);
    });
  onSets(command.command("verify"), "[names...]")
    .summary("check the files of sets")
    .description("Checks the SHA-256 of the files that are present.")
    .option("--json", "print the result as JSON")
    .action(async (names: Names, options: DataOptions) => {
      const { verifySets } = await import("../data/data.js");
      await verifySets(names, options, effects);
    });
}

function onSets(command: Command, names: string): Command {
  return command
    .argument(names, `names of sets: ${namesOfSets.join(", ")}`, setNames)
    .option("--data <folder>", "data folder", folderName);
}

/** Adds the name of a set; a repeated name counts once. */
function setNames(text: string, before: Names = []): Names {
  if (namesOfSets.includes(text)) return [...new Set([...before, text])];
  throw new InvalidArgumentError(`It must be one of ${namesOfSets.join(", ")}.`);
}

function webAddress(text: string): string {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  // `fetch` rejects an address with a password, which would also appear in every error.
  const hasPassword = address && (address.username !== "" || address.password !== "");
  if (address && /^https?:$/.test(address.protocol) && !hasPassword) return address.href;
  throw new InvalidArgumentError(
    "It must be an address that begins with http:// or https://, without a password.",
  );
}
