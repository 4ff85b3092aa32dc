/** The fit that a checkpoint belongs to, so that no other fit resumes from it. */
import { GaussianizeError } from "../../../src/errors.js";
import { describeCheckpoint } from "../../../src/training/checkpoint-file.js";
import { type FitTerms, requireFitTerms } from "../../../src/runs/fit-terms.js";

/** All that decides on a fit. */
export interface TrainingRun {
  readonly terms: FitTerms;
  /** Fingerprint of the pictures. */
  readonly fingerprint: string;
  /**
   * What the checkpoint is told of all this: of the page this record, of the command a sum of its
   * configuration.
   */
  readonly id: string;
}

const kind = { format: "gaussianize-lab", version: "1" } as const;

export function runOf(terms: FitTerms, fingerprint: string): TrainingRun {
  return { terms, fingerprint, id: JSON.stringify({ ...kind, terms, fingerprint }) };
}

/**
 * Returns the run of a checkpoint of the page, or of the command if its configuration is there,
 * too. Anything else is answered with a sentence.
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
      `${name} is the checkpoint of a run of the command line: drop the config.json of that run together with it.`,
    );
  }
  const terms = recordOf(new TextDecoder().decode(config));
  if (terms?.format !== "gaussianize-run") {
    throw new GaussianizeError(
      "unsupported-file",
      "config.json is not the configuration of a run of gaussianize.",
    );
  }
  // A run that was extended keeps the id that it had before.
  const idOfRun = typeof terms.run === "string" ? terms.run : await sha256(config);
  if (idOfRun !== id)
    throw new GaussianizeError("mismatch", `${name} and config.json are of different runs.`);
  return checked({ terms, fingerprint: terms.fingerprint }, id, name);
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  requireDigests();
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(sum, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Browsers have them only where nobody on the way can change the page. */
export function requireDigests(): void {
  // Not what the types say, but what pages from elsewhere find.
  if ((crypto as Partial<Crypto>).subtle) return;
  throw new GaussianizeError(
    "unavailable",
    "This needs sums of files, which browsers make only for pages from https addresses or from this machine (http://localhost): open the lab from one of these.",
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
    throw new GaussianizeError(
      "file-damaged",
      `${name} does not say which pictures its fit was made with.`,
    );
  }
  if (found.cascade !== undefined) {
    throw new GaussianizeError(
      "unsupported-file",
      `${name} is of a fit of whole images, which this panel does not do: gaussianize fit --resume goes on with it.`,
    );
  }
  return { terms: found, fingerprint, id };
}

/**
 * The pictures that a run wants, in its order; of several with the same name, one after the other.
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
    `The checkpoint was made with pictures that are not here: ${some}${more}.`,
  );
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
