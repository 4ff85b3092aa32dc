/**
 * Experiments that are finished, kept beside the report: another command finds them there, and need
 * not make them again.
 */
import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../node/make-folder.js";
import { writeAtomically } from "../../node/write-atomically.js";
import type { ExperimentResult, FitRecord } from "../../paper/experiment.js";
import { packageVersion } from "../package-version.js";

/**
 * What decides on the result of an experiment, beside its name: data sets are files that we know by
 * name and size.
 */
export interface PaperTerms {
  readonly quick: boolean;
  readonly seed: number;
  /** Null: those of the experiments. */
  readonly steps: number | null;
}

export interface KeptExperiment {
  readonly result: ExperimentResult;
  /** The time that it took, fits that were there before not included. */
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

/**
 * Undefined where there is none, or one of another version; a file that was changed counts as none,
 * since it can be made again.
 */
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

/** A part of an experiment that was made before, or is made now and kept. */
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
    // None, or one that was damaged: it can be made again.
  }
  const part = await make();
  await makeFolder(partsOf(report, name, terms));
  const kept = { ...head, digest: digestOf(part), part };
  await writeAtomically(path, new TextEncoder().encode(`${JSON.stringify(kept)}\n`));
  return part;
}

/** Once the whole is kept, or where it is to be made again. */
export function forgetParts(report: string, name: string, terms: PaperTerms): Promise<void> {
  return rm(partsOf(report, name, terms), { recursive: true, force: true });
}

function partsOf(report: string, name: string, terms: PaperTerms): string {
  return fileOf(report, name, terms).replace(/\.json$/, "-parts");
}

/** Other terms, another file: a try with few steps does not take the place of hours. */
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

/** A report takes what is kept as it is, pictures and all: it must be what this program wrote. */
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
