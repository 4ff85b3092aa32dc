/** A mistake the caller can mend. Its message is one sentence that says what was expected. */
export class GaussianizeError extends Error {
  override readonly name: string = "GaussianizeError";
}

/**
 * A command line that cannot be understood. Shells end with `exitCode`; they read the property
 * rather than the class, so that they need not load the library to print a sentence.
 */
export class UsageError extends GaussianizeError {
  override readonly name = "UsageError";
  readonly exitCode = 2;
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
  return new GaussianizeError(expectation(name, rule, received));
}

/** The sentence of {@link expected}, for a caller that throws a class of its own. */
export function expectation(name: string, rule: string, received: unknown): string {
  return `Expected ${name} to ${rule} but received ${describeValue(received)}.`;
}

/** A typo must not silently leave a default in place. */
export function checkFields(what: string, input: unknown, fields: readonly string[]): void {
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

/** Line breaks and control characters as escapes: they would tear the sentence, or move a terminal's cursor. */
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
