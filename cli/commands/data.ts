/**
 * `gaussianize data`: the public sets of photographs, which are there, and how to get the others.
 */
import { type Command, InvalidArgumentError } from "commander";
import {
  type SetCheck,
  checkFiles,
  dataFolder,
  howToGetSets,
  missing,
  requireFolder,
} from "../../node/data-folder.js";
import { type DataFile, dataSet, filesOfSet, namesOfSets } from "../../node/data-sets.js";
import { bytesToFetch, fetchFiles } from "../../node/download.js";
import { GaussianizeError } from "../../src/errors.js";
import { summarizeSet, summaryText } from "../data-summary.js";
import type { Effects } from "../effects.js";
import { Progress } from "../progress.js";
import { oneLine } from "../text.js";

interface DataOptions {
  readonly data?: string;
  readonly from?: string;
  readonly json?: true;
}

type Names = readonly string[];

export function configure(command: Command, effects: Effects): void {
  command
    .description("Lists the known public sets of photographs, fetches them and verifies them.")
    .usage("[list|fetch|verify] [names...] [options]")
    .addHelpText(
      "after",
      "\nThe sets lie in the folder of --data, else of the variable GAUSSIANIZE_DATA, else in the cache folder of the system.\n\nExamples:\n  gaussianize data\n  gaussianize data fetch kodak\n  gaussianize data verify --data photographs\n",
    );
  onSets(command.command("list", { isDefault: true }), "[names...]")
    .description("Says what the sets are, their licences, where they come from, which are there.")
    .option("--json", "print everything as JSON")
    .action((names: Names, options: DataOptions) => list(names, options, effects));
  onSets(command.command("fetch"), "<names...>")
    .description("Downloads what is missing of sets, and checks the SHA-256 of every file.")
    .option("--from <url>", "a mirror: the address below which kodak/kodim01.png … lie", webAddress)
    .action((names: Names, options: DataOptions) => fetchSets(names, options, effects));
  onSets(command.command("verify"), "[names...]")
    .description("Checks the SHA-256 of the files that are there.")
    .option("--json", "print the result as JSON")
    .action((names: Names, options: DataOptions) => verify(names, options, effects));
}

function onSets(command: Command, names: string): Command {
  return command
    .argument(names, `of sets: ${namesOfSets.join(", ")}`, setNames)
    .option("--data <folder>", "the folder with the sets", folderName);
}

async function list(names: Names, options: DataOptions, effects: Effects): Promise<void> {
  const folder = dataFolder(options, effects.environment);
  const sets = await Promise.all(
    (names.length > 0 ? names : namesOfSets).map((name) => summarizeSet(dataSet(name), folder)),
  );
  if (options.json) effects.stdout.write(`${JSON.stringify({ folder, sets }, null, 2)}\n`);
  else
    effects.stdout.write(`Data folder: ${oneLine(folder)}\n\n${sets.map(summaryText).join("\n")}`);
}

async function fetchSets(names: Names, options: DataOptions, effects: Effects): Promise<void> {
  const folder = dataFolder(options, effects.environment);
  const plans = [];
  // All before the first download: what cannot be had at all is said at once.
  for (const name of names) {
    const checked = await check(name, folder, effects);
    const bad = new Set([...checked.wrong, ...checked.missing]);
    const wanted = filesOfSet(dataSet(name)).filter(({ path }) => bad.has(path));
    const base = options.from ?? dataSet(name).address;
    if (wanted.length > 0 && base === undefined) throw noAddress(name);
    plans.push({ name, checked, wanted, base: base ?? "" });
  }
  for (const { name, checked, wanted, base } of plans) {
    for (const path of checked.wrong) {
      effects.stderr.write(`${path} is not what it should be, and is fetched again.\n`);
    }
    if (wanted.length > 0) await fetchWithProgress(name, wanted, base, folder, effects);
    const fetched = wanted.length === 0 ? "nothing to fetch" : `${wanted.length} of them fetched`;
    effects.stderr.write(
      `${name}: all ${checked.files} files are in ${oneLine(folder)}, ${fetched}.\n`,
    );
  }
}

function noAddress(name: string): GaussianizeError {
  const { page, byHand } = dataSet(name);
  return new GaussianizeError(
    "unavailable",
    `${name} has no download address for each file: ${byHand ?? "see its page"} (${page}), or name a mirror with --from.`,
  );
}

const kilobyte = 1000;

async function fetchWithProgress(
  name: string,
  files: readonly DataFile[],
  base: string,
  folder: string,
  effects: Effects,
): Promise<void> {
  const total = Math.ceil((await bytesToFetch(files, folder)) / kilobyte);
  const progress = new Progress(effects, `fetch ${name}`, total);
  try {
    await fetchFiles(files, base, folder, {
      onProgress: (bytes) => {
        // A file that was started anew takes back what it had brought.
        progress.report(Math.min(Math.max(1, Math.ceil(bytes / kilobyte)), total), "kB,");
      },
    });
  } finally {
    progress.finish();
  }
}

async function check(name: string, folder: string, effects: Effects): Promise<SetCheck> {
  const files = filesOfSet(dataSet(name));
  const progress = new Progress(effects, `check ${name}`, files.length);
  let done = 0;
  const result = await checkFiles(files, folder, () => {
    progress.report((done += 1), "files,");
  });
  progress.finish();
  return result;
}

async function verify(names: Names, options: DataOptions, effects: Effects): Promise<void> {
  const folder = dataFolder(options, effects.environment);
  await requireFolder(folder);
  const sets: (SetCheck & { readonly name: string })[] = [];
  for (const name of names.length > 0 ? names : namesOfSets) {
    const result = await check(name, folder, effects);
    sets.push({ name, ...result });
    if (options.json) continue;
    for (const path of result.wrong) effects.stdout.write(`${path}: wrong SHA-256\n`);
    effects.stdout.write(`${name}: ${verdict(result)}\n`);
  }
  if (options.json) effects.stdout.write(`${JSON.stringify({ folder, sets }, null, 2)}\n`);
  requireRight(sets, names, folder);
}

function verdict({ files, right, wrong, missing }: SetCheck): string {
  if (missing.length === files) return "not there";
  if (right.length === files) return `all ${files} files are right`;
  return `${right.length} of ${files} files are right, ${wrong.length} wrong, ${missing.length} missing`;
}

/** Some sets may be missing if nobody asked for them: not half of one, and not all of them. */
function requireRight(
  sets: readonly (SetCheck & { readonly name: string })[],
  names: Names,
  folder: string,
): void {
  const wrong = sets.flatMap((set) => set.wrong);
  if (wrong.length > 0) {
    const others = wrong.length > 1 ? ` and ${wrong.length - 1} more are` : " is";
    throw new GaussianizeError(
      "file-damaged",
      `${wrong[0]}${others} not what the publisher distributes; fetch again.`,
    );
  }
  for (const { name, files, right } of sets) {
    const isExpected = names.includes(name) || right.length > 0;
    if (isExpected && right.length < files) throw missing(name, folder, files, right.length);
  }
  if (sets.every(({ right }) => right.length === 0)) {
    throw new GaussianizeError(
      "cannot-read",
      `${folder} holds no set of photographs; ${howToGetSets}.`,
    );
  }
}

/** A repeated name counts once. */
function setNames(text: string, before: Names = []): Names {
  if (namesOfSets.includes(text)) return [...new Set([...before, text])];
  throw new InvalidArgumentError(`It must be one of ${namesOfSets.join(", ")}.`);
}

function folderName(text: string, before: string | undefined): string {
  // The second would silently take the place of the first.
  if (before !== undefined) throw new InvalidArgumentError("It must be given once.");
  if (text === "") throw new InvalidArgumentError("It must be the name of a folder.");
  return text;
}

function webAddress(text: string): string {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  // `fetch` takes no address with a password, and it would be printed with every error.
  const hasPassword = address && (address.username !== "" || address.password !== "");
  if (address && /^https?:$/.test(address.protocol) && !hasPassword) return address.href;
  throw new InvalidArgumentError(
    "It must be an address that begins with http:// or https://, without a password.",
  );
}
