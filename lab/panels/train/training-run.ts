/** The fit that a checkpoint belongs to. No other fit can resume from it. */
import { GaussianizeError } from "../../../src/errors.js";
import { describeCheckpoint } from "../../../src/training/checkpoint-file.js";
import { type FitTerms, requireFitTerms } from "../../../src/runs/fit-terms.js";

/** Everything that determines a fit. */
export interface TrainingRun {
  readonly terms: FitTerms;
  /** Fingerprint of the pictures. */
  readonly fingerprint: string;
  /** Stored in the checkpoint: this record as JSON, or the command's checksum of config.json. */
  readonly id: string;
}

const kind = { format: "gaussianize-lab", version: "1" } as const;

export function runOf(terms: FitTerms, fingerprint: string): TrainingRun {
  return { terms, fingerprint, id: JSON.stringify({ ...kind, terms, fingerprint }) };
}

/**
 * Returns the run of a checkpoint of the page, or of the command if its config.json is given.
 *
 * @throws GaussianizeError for anything else
 */
export async function runOfCheckpoint(
  bytes: Uint8Array,
  name: string,
  config: Uint8Array<ArrayBuffer> | null,
): Promise<TrainingRun> {
  const { run: id } = describeCheckpoint(bytes, name);
  const own = recordOf(id);
  if (own?.format === kind.format) return checked(own, id, name);
  if (config === null) {
    throw new GaussianizeError(
      "unsupported-file",
      `${name} is a checkpoint of the command line. Drop it together with the config.json of its run.`,
    );
  }
  const terms = recordOf(new TextDecoder().decode(config));
  if (terms?.format !== "gaussianize-run") {
    throw new GaussianizeError(
      "unsupported-file",
      "config.json does not belong to a run of gaussianize.",
    );
  }
  // An extended run keeps its id.
  const idOfRun = typeof terms.run === "string" ? terms.run : await sha256(config);
  if (idOfRun !== id)
    throw new GaussianizeError("mismatch", `${name} and config.json belong to different runs.`);
  return checked({ terms, fingerprint: terms.fingerprint }, id, name);
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  requireDigests();
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(sum, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Browsers offer checksums only on pages from https addresses or from this machine. */
export function requireDigests(): void {
  // The types do not know that it can be missing.
  if ((crypto as Partial<Crypto>).subtle) return;
  throw new GaussianizeError(
    "unavailable",
    "Resuming this checkpoint needs checksums, which browsers compute only for pages from https addresses or from this machine. Open the lab from https or from http://localhost.",
  );
}

type JsonRecord = Readonly<Record<string, unknown>>;

function recordOf(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as JsonRecord) : undefined;
  } catch {
    return undefined;
  }
}

function checked({ terms, fingerprint }: JsonRecord, id: string, name: string): TrainingRun {
  const found = requireFitTerms(terms, name);
  if (typeof fingerprint !== "string") {
    throw new GaussianizeError("file-damaged", `${name} does not name the pictures of its fit.`);
  }
  if (found.cascade !== undefined) {
    throw new GaussianizeError(
      "unsupported-file",
      `${name} belongs to a fit of whole images, which this panel cannot resume. Use gaussianize fit --resume.`,
    );
  }
  return { terms: found, fingerprint, id };
}

/**
 * Returns the pictures of a run in its order. Pictures with the same name are taken one after the
 * other.
 */
export function picturesFor({ images }: FitTerms, files: readonly File[]): File[] {
  const left = [...files];
  const missing: string[] = [];
  const chosen = images.flatMap((path) => {
    const name = baseName(path);
    const at = left.findIndex((file) => file.name === name);
    if (at < 0) missing.push(name);
    return at < 0 ? [] : left.splice(at, 1);
  });
  if (missing.length === 0) return chosen;
  const some = missing.slice(0, 3).join(", ");
  const more = missing.length > 3 ? ` and ${missing.length - 3} more` : "";
  throw new GaussianizeError(
    "mismatch",
    `Add the pictures of the checkpoint first. Missing: ${some}${more}.`,
  );
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
