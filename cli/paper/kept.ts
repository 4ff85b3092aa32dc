/** Finished experiments, kept beside the report so that later commands reuse them. */
import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../node/make-folder.js";
import { writeAtomically } from "../../node/write-atomically.js";
import type { ExperimentResult, FitRecord } from "../../paper/experiment.js";
import { packageVersion } from "../package.js";

/** Everything that determines the result of an experiment beside its name and the known data. */
export interface PaperTerms {
  readonly quick: boolean;
  readonly seed: number;
  /** Steps of every fit; null for those of the experiments. */
  readonly steps: number | null;
}

export interface KeptExperiment {
  readonly result: ExperimentResult;
  /** Seconds that it took, without reused fits. */
  readonly seconds: number;
}

const format = "gaussianize-paper-experiment";

export async function keepExperiment(
  report: string,
  name: string,
  terms: PaperTerms,
  { result, seconds }: KeptExperiment,
): Promise<void> {
  const path = fileOf(report, name, terms);
  const plain = withoutModels(result);
  const kept = { ...heading(name, terms), digest: digestOf(plain), seconds, result: plain };
  await makeFolder(join(report, "experiments"));
  await writeAtomically(path, new TextEncoder().encode(`${JSON.stringify(kept)}\n`));
}

/** Returns a kept experiment; undefined if it is missing, changed or from another version. */
export async function keptExperiment(
  report: string,
  name: string,
  terms: PaperTerms,
): Promise<KeptExperiment | undefined> {
  try {
    const text = await readFile(fileOf(report, name, terms), "utf8");
    const kept = JSON.parse(text) as KeptExperiment & ReturnType<typeof expectedOf>;
    const expected = expectedOf(name, terms, kept.result);
    const isSame = Object.entries(expected).every(
      ([key, value]) => kept[key as keyof typeof expected] === value,
    );
    return isSame ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a part of an experiment, which is made and kept unless it was before. */
export async function keptPart<T>(
  report: string,
  name: string,
  key: string,
  terms: PaperTerms,
  make: () => Promise<T>,
): Promise<T> {
  const path = join(partsOf(report, name, terms), `${key}.json`);
  const head = { ...heading(name, terms), key };
  try {
    const { digest, part, ...rest } = JSON.parse(await readFile(path, "utf8")) as {
      digest: string;
      part: T;
    };
    const isSame = JSON.stringify(rest) === JSON.stringify(head) && digest === digestOf(part);
    if (isSame) return part;
  } catch {
    // Missing or damaged: it is made again.
  }
  const part = await make();
  await makeFolder(partsOf(report, name, terms));
  const kept = { ...head, digest: digestOf(part), part };
  await writeAtomically(path, new TextEncoder().encode(`${JSON.stringify(kept)}\n`));
  return part;
}

/** Removes the parts of an experiment that is finished or repeated. */
export function forgetParts(report: string, name: string, terms: PaperTerms): Promise<void> {
  return rm(partsOf(report, name, terms), { recursive: true, force: true });
}

function partsOf(report: string, name: string, terms: PaperTerms): string {
  return fileOf(report, name, terms).replace(/\.json$/, "-parts");
}

/** Other terms have another file, so that a quick try does not replace hours of work. */
function fileOf(report: string, name: string, { quick, seed, steps }: PaperTerms): string {
  const parts = [
    name,
    ...(quick ? ["quick"] : []),
    ...(seed === 1 ? [] : [`seed${seed}`]),
    ...(steps === null ? [] : [`steps${steps}`]),
  ];
  return join(report, "experiments", `${parts.join("-")}.json`);
}

function heading(name: string, terms: PaperTerms) {
  return { format, program: packageVersion(), name, ...terms };
}

function expectedOf(name: string, terms: PaperTerms, result: ExperimentResult) {
  return { ...heading(name, terms), digest: digestOf(result) };
}

/** Returns a checksum: reports embed kept pictures as they are, so changed files are rejected. */
function digestOf(plain: unknown): string {
  return createHash("sha256").update(JSON.stringify(plain)).digest("hex");
}

function withoutModels(result: ExperimentResult): ExperimentResult {
  return {
    ...result,
    fits: result.fits.map(recordOf),
    numbers: result.numbers.map((number) => ({
      ...number,
      fit: number.fit && recordOf(number.fit),
    })),
  };
}

function recordOf({ title, path, dataHash, command, steps, seconds }: FitRecord): FitRecord {
  return { title, path, dataHash, command, steps, seconds };
}
