/** The work of `gaussianize data`: lists, downloads and checks the public sets of photographs. */
import {
  type SetCheck,
  checkFiles,
  dataFolder,
  howToGetSets,
  missing,
  presentFiles,
  requireFolder,
} from "../../node/data-folder.js";
import { type DataFile, bytesOf, dataSet, filesOfSet, namesOfSets } from "../../node/data-sets.js";
import { bytesToFetch, fetchFiles } from "../../node/download.js";
import { GaussianizeError } from "../../src/errors.js";
import type { Effects } from "../effects.js";
import { Progress } from "../progress.js";
import { counted, oneLine, wrapped } from "../text.js";

export interface DataOptions {
  readonly data?: string;
  readonly from?: string;
  readonly json?: true;
}

type Names = readonly string[];

export async function listSets(
  names: Names,
  options: DataOptions,
  { stdout, environment }: Effects,
): Promise<void> {
  const folder = dataFolder(options, environment);
  const sets = await Promise.all(
    (names.length > 0 ? names : namesOfSets).map((name) => summaryOf(name, folder)),
  );
  if (options.json) stdout.write(`${JSON.stringify({ folder, sets }, null, 2)}\n`);
  else stdout.write(`Data folder: ${oneLine(folder)}\n\n${sets.map(summaryText).join("\n")}`);
}

/** Counts the files of the right size as present; `gaussianize data verify` reads them. */
async function summaryOf(name: string, folder: string) {
  const set = dataSet(name);
  const { title, about, licence, page, byHand } = set;
  const files = filesOfSet(set);
  const found = (await presentFiles(files, folder)).length;
  return {
    name,
    title,
    about,
    licence,
    page,
    obtain: byHand ?? `gaussianize data fetch ${name}`,
    files: files.length,
    bytes: bytesOf(files),
    presentFiles: found,
    present: found === files.length,
  };
}

function summaryText(set: Awaited<ReturnType<typeof summaryOf>>): string {
  const { present, presentFiles: found, files, obtain } = set;
  const partly = found === 0 ? "not present" : `only ${found} of ${files} files present`;
  const size = `${files} files, ${(set.bytes / 1e6).toFixed(1)} MB`;
  const lines = [
    wrapped(`${set.name}: ${set.title}, ${size}, ${present ? "present" : partly}`, "    "),
    ...[set.about, `licence as stated: ${set.licence}`, `from ${set.page}`].map((line) =>
      wrapped(line, "    ", "  "),
    ),
    ...(present ? [] : ["  to obtain it:", wrapped(obtain, "    ", "    ")]),
  ];
  return `${lines.join("\n")}\n`;
}

export async function fetchSets(
  names: Names,
  options: DataOptions,
  effects: Effects,
): Promise<void> {
  const folder = dataFolder(options, effects.environment);
  const plans = [];
  // All checks come before the first download.
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
      effects.stderr.write(`${path} has a wrong checksum; fetching it again.\n`);
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
        // The count falls when a file is started again.
        progress.report(Math.min(Math.max(1, Math.ceil(bytes / kilobyte)), total), "kB");
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
    progress.report((done += 1), "files");
  });
  progress.finish();
  return result;
}

type NamedCheck = SetCheck & { readonly name: string };

export async function verifySets(
  names: Names,
  options: DataOptions,
  effects: Effects,
): Promise<void> {
  const folder = dataFolder(options, effects.environment);
  await requireFolder(folder);
  const sets: NamedCheck[] = [];
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

function verdict({ files, right, wrong, missing: absent }: SetCheck): string {
  if (absent.length === files) return "not present";
  if (right.length === files) return `all ${files} files are right`;
  return `${right.length} of ${files} files are right, ${wrong.length} wrong, ${absent.length} missing`;
}

/** Rejects wrong files, incomplete sets, named sets that are absent, and a folder without sets. */
function requireRight(sets: readonly NamedCheck[], names: Names, folder: string): void {
  const wrong = sets.flatMap((set) => set.wrong);
  if (wrong.length > 0) {
    const others = wrong.length > 1 ? ` and ${counted(wrong.length - 1, "other file")} are` : " is";
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
