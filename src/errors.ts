/**
 * Machine-readable kind of an error, which stays the same when its message is reworded.
 *
 * | code               | meaning                                                               |
 * | ------------------ | --------------------------------------------------------------------- |
 * | `invalid-argument` | a value breaks a rule; `argument` names it                            |
 * | `usage`            | the command line cannot be understood                                 |
 * | `degenerate-data`  | the data do not vary enough for a fit                                 |
 * | `unusable-images`  | no image can be used, or one of several required images cannot        |
 * | `no-density`       | the density does not exist at a sample                                |
 * | `not-invertible`   | a transform is not invertible, or not onto, so it cannot be sampled   |
 * | `fit-failed`       | a fit cannot take another step, or its result is not a density        |
 * | `cannot-read`      | a file or folder is missing, or the system refuses to read it         |
 * | `file-damaged`     | the content of a file is incomplete, damaged or inconsistent          |
 * | `unsupported-file` | an intact file has a kind, version or size that cannot be used here   |
 * | `mismatch`         | two things that belong together differ: a checkpoint and its fit      |
 * | `cannot-write`     | a file cannot be written, or another process works on the same run    |
 * | `network-failed`   | an address cannot be fetched, or a port cannot be listened on         |
 * | `unavailable`      | the machine, engine or page lacks SIMD, memory or MPI                 |
 * | `worker-failed`    | a worker, or another process of a job, crashed                        |
 * | `interrupted`      | the work was aborted, or its runner was closed                        |
 * | `partly-failed`    | some of several tasks failed; each has reported its reason            |
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
 * An error that the caller can fix. Its message says what was expected.
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
  /** Name of the invalid value, as in the message. */
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
 * A command line that cannot be understood. Shells exit with `exitCode`; they check the property,
 * not the class, so that they need not load the library to print an error.
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
 * Returns the error of a failed check, in the form that the whole library uses:
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

/** Returns a copy of the error with another message, for example one that names the place. */
export function reworded(error: GaussianizeError, message: string): GaussianizeError {
  return new GaussianizeError(error.code, message, { argument: error.argument, cause: error });
}

/** Calls `read` and names the file in its errors; an invalid value means a damaged file. */
export function inFile<Content>(name: string, read: () => Content): Content {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GaussianizeError)) throw error;
    const code = error.code === "invalid-argument" ? "file-damaged" : error.code;
    // Control characters from the file must not reach a terminal.
    const message = `${name}: ${error.message}`.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
    throw new GaussianizeError(code, message, { argument: error.argument, cause: error });
  }
}

/** An error as plain data, to send from a worker or another process to the caller. */
export interface Failure {
  readonly code: ErrorCode;
  readonly argument?: string | undefined;
  readonly message: string;
}

/** Returns an error as plain data; foreign errors get the code `worker-failed`. */
export function failureOf(error: unknown): Failure {
  if (error instanceof GaussianizeError) {
    return { code: error.code, argument: error.argument, message: error.message };
  }
  return { code: "worker-failed", message: error instanceof Error ? error.message : String(error) };
}

/** Makes the compiler name the fields of T missing in a list; accepts records with any keys. */
type Complete<T, Field> = string extends keyof T
  ? unknown
  : [Exclude<keyof T, Field>] extends [never]
    ? unknown
    : { readonly missing: Exclude<keyof T, Field> };

/**
 * Rejects unknown fields, so that a typo does not silently keep a default. A list that lacks a
 * field of the record does not compile.
 */
export function checkFields<T, const Fields extends readonly string[]>(
  what: string,
  input: T,
  fields: Fields & Complete<T, Fields[number]>,
): void {
  if (typeof input !== "object" || input === null) throw expected(what, "be a record", input);
  const unknown = Object.keys(input).find((key) => !fields.includes(key));
  if (unknown !== undefined)
    throw expected(what, `have only the fields ${fields.join(", ")}`, unknown);
}

/** Describes any value in one short line; cuts long texts and arrays, and names objects. */
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

/** Escapes line breaks and control characters, which could break lines or move the cursor. */
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
