/**
 * Says what went wrong, for programs: the code of an error stays when its message is reworded.
 *
 * | code               | meaning                                                               |
 * | ------------------ | --------------------------------------------------------------------- |
 * | `invalid-argument` | a value breaks a rule; `argument` names it                            |
 * | `usage`            | the command line cannot be understood                                 |
 * | `degenerate-data`  | the data do not vary enough to fit anything to them                   |
 * | `unusable-images`  | no image can be used, or one where all of them are needed             |
 * | `no-density`       | the density does not exist at a sample                                |
 * | `not-invertible`   | a transform is not invertible, or not onto, so that nothing is drawn  |
 * | `fit-failed`       | a fit cannot take another step, or its result is not a density        |
 * | `cannot-read`      | a file or folder is missing, or the system refuses to read it         |
 * | `file-damaged`     | the content of a file is incomplete, damaged or inconsistent          |
 * | `unsupported-file` | an intact file is of a kind, version or size that cannot be used here |
 * | `mismatch`         | two things that belong together differ: a checkpoint and its fit      |
 * | `cannot-write`     | a file cannot be written, or another process is at work on its run    |
 * | `network-failed`   | an address cannot be fetched, or a port cannot be listened on         |
 * | `unavailable`      | the machine, engine or page lacks what is needed: SIMD, memory, MPI   |
 * | `worker-failed`    | a worker, or another process of a job, crashed                        |
 * | `interrupted`      | the work was aborted, or its runner was closed                        |
 * | `partly-failed`    | some of several pieces of work failed, and each has said why          |
 */
export type ErrorCode =
  | "invalid-argument"
  | "usage"
  | "degenerate-data"
  | "unusable-images"
  | "no-density"
  | "not-invertible"
  | "fit-failed"
  | "cannot-read"
  | "file-damaged"
  | "unsupported-file"
  | "mismatch"
  | "cannot-write"
  | "network-failed"
  | "unavailable"
  | "worker-failed"
  | "interrupted"
  | "partly-failed";

interface GaussianizeErrorOptions extends ErrorOptions {
  readonly argument?: string | undefined;
}

/**
 * A mistake the caller can mend. Its message is one sentence that says what was expected.
 *
 * @example
 * ```js
 * import { GaussianizeError, linear } from "gaussianize";
 *
 * try {
 *   linear({ dimension: 2, H: [1, 2, 3] });
 * } catch (error) {
 *   if (error instanceof GaussianizeError) console.log(error.code); // invalid-argument
 * }
 * ```
 */
export class GaussianizeError extends Error {
  override readonly name: string = "GaussianizeError";
  /** Name of the value that breaks a rule, as the message has it. */
  readonly argument: string | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    { argument, ...options }: GaussianizeErrorOptions = {},
  ) {
    super(message, options);
    this.argument = argument;
  }
}

/**
 * A command line that cannot be understood. Shells end with `exitCode`; they read the property
 * rather than the class, so that they need not load the library to print a sentence.
 */
export class UsageError extends GaussianizeError {
  override readonly name = "UsageError";
  readonly exitCode = 2;

  constructor(message: string, options?: ErrorOptions) {
    super("usage", message, options);
  }
}

const longestText = 60;
const longestList = 4;

/**
 * The error of a failed check, in the one form this library uses:
 *
 *   throw expected("gamma", "hold 65536 values (256×256)", gamma.length);
 *   → Expected gamma to hold 65536 values (256×256) but received 65280.
 *
 * `received` is the value that was checked (here the length, not the array).
 */
export function expected(name: string, rule: string, received: unknown): GaussianizeError {
  const message = `Expected ${name} to ${rule} but received ${describeValue(received)}.`;
  return new GaussianizeError("invalid-argument", message, { argument: name });
}

/**
 * Returns the error again with `message` in place of its own, which names the place where it was
 * met.
 */
export function reworded(error: GaussianizeError, message: string): GaussianizeError {
  return new GaussianizeError(error.code, message, { argument: error.argument, cause: error });
}

/** Calls `read` and names the file in its errors: a value that breaks a rule there is damage. */
export function inFile<Content>(name: string, read: () => Content): Content {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GaussianizeError)) throw error;
    const code = error.code === "invalid-argument" ? "file-damaged" : error.code;
    // The file is quoted: its line breaks and control characters must not reach a terminal.
    const message = `${name}: ${error.message}`.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
    throw new GaussianizeError(code, message, { argument: error.argument, cause: error });
  }
}

/** An error as plain data, which crosses from a worker, or another process, to the caller. */
export interface Failure {
  readonly code: ErrorCode;
  readonly argument?: string | undefined;
  readonly message: string;
}

/** Returns what crosses of an error; one that is not the library's own is a failed worker's. */
export function failureOf(error: unknown): Failure {
  if (error instanceof GaussianizeError) {
    return { code: error.code, argument: error.argument, message: error.message };
  }
  return { code: "worker-failed", message: error instanceof Error ? error.message : String(error) };
}

/** Fields of T that a list lacks, in an error of the compiler; records with any keys lack none. */
type Complete<T, Field> = string extends keyof T
  ? unknown
  : [Exclude<keyof T, Field>] extends [never]
    ? unknown
    : { readonly missing: Exclude<keyof T, Field> };

/**
 * Refuses unknown fields: a typo must not silently leave a default in place. A list that lacks a
 * field of the record does not compile.
 */
export function checkFields<T, const Fields extends readonly string[]>(
  what: string,
  input: T,
  fields: Fields & Complete<T, Fields[number]>,
): void {
  if (typeof input !== "object" || input === null) throw expected(what, "be a record", input);
  const unknown = Object.keys(input).find((key) => !fields.includes(key));
  if (unknown !== undefined) throw expected(what, `have the fields ${fields.join(", ")}`, unknown);
}

/** A short, one-line picture of any value: long texts and arrays are cut, objects are named. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return visible(JSON.stringify(shortened(value)));
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "bigint":
      return `${String(value)}n`;
    case "boolean":
    case "undefined":
    case "symbol":
      return visible(String(value));
    case "function":
      return value.name === "" ? "a function" : `function ${visible(value.name)}`;
    case "object":
      return describeObject(value);
  }
}

function describeObject(value: object | null): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return describeList("", value);
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    return describeList(`${value.constructor.name} `, Array.from(value as Uint8Array));
  }
  if (value instanceof Error) return visible(`${value.name} (${value.message})`);
  const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null;
  const className = prototype?.constructor?.name ?? "";
  if (className !== "" && className !== "Object") return `a ${visible(className)}`;
  const keys = Object.keys(value).map((key) => visible(shortened(key)));
  return keys.length === 0 ? "an empty object" : `an object with ${listed(keys)}`;
}

function shortened(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

/**
 * Line breaks and control characters as escapes: they would tear the sentence, or move a terminal's
 * cursor.
 */
function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function describeList(prefix: string, items: readonly unknown[]): string {
  const shown = items.map((item) => (typeof item === "object" ? "…" : describeValue(item)));
  const count = items.length > longestList ? ` (${String(items.length)} values)` : "";
  return `${prefix}[${listed(shown)}]${count}`;
}

function listed(items: readonly string[]): string {
  const head = items.slice(0, longestList).join(", ");
  return items.length > longestList ? `${head}, …` : head;
}
