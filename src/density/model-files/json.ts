/** Checked JSON for model files; equal values give equal texts. */
import { describeValue, expected } from "../../errors.js";

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; undefined values are omitted. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Deepest nesting; more would exhaust the stack of a recursive reader. */
const deepest = 32;
/** Keys with which a careless copy could modify the prototype of all objects. */
const forbiddenKeys: readonly string[] = ["__proto__", "constructor", "prototype"];

/** Returns a copy of plain data with sorted keys; throws if JSON would change a value. */
export function checkedJson(value: unknown, name: string, depth = 0): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw expected(name, "be finite", value);
    // Turns −0 into 0, as JSON.stringify does.
    return value + 0;
  }
  if (typeof value !== "object") throw expected(name, "be JSON", value);
  if (depth === deepest) throw expected(name, `be nested at most ${deepest} deep`, value);
  if (Array.isArray(value)) {
    return Array.from(value, (item, k) => checkedJson(item, `${name}[${k}]`, depth + 1));
  }
  if (isPlain(value)) return checkedObject(value, name, depth);
  throw expected(name, "be JSON", value);
}

function checkedObject(value: object, name: string, depth: number): JsonObject {
  const entries = Object.entries(value as JsonObject).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const copies = entries.map(([key, item]) => {
    if (forbiddenKeys.includes(key)) throw expected(name, "have harmless keys", key);
    return [key, checkedJson(item, memberName(name, key), depth + 1)] as const;
  });
  return Object.fromEntries(copies);
}

/** Returns the name of a key in messages. */
export function memberName(name: string, key: string): string {
  return /^[\w-]{1,60}$/.test(key) ? `${name}.${key}` : `${name}[${describeValue(key)}]`;
}

/** Whether the prototype is that of all objects (of any window), or null. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses an untrusted text. */
export function parseJson(text: string, name: string): JsonValue {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw expected(name, "be JSON", text);
  }
  const key = repeatedKey(text);
  if (key !== undefined) throw expected(name, "have no key twice in one object", key);
  return checkedJson(value, name);
}

/** Finds a repeated key: JSON.parse keeps the last of two equal keys, other readers the first. */
function repeatedKey(validJson: string): string | undefined {
  const keysOfOpenObjects: Set<string>[] = [];
  for (let at = 0; at < validJson.length; at++) {
    const sign = validJson[at];
    if (sign === "{") keysOfOpenObjects.push(new Set());
    if (sign === "}") keysOfOpenObjects.pop();
    if (sign !== '"') continue;
    const start = at;
    at = endOfText(validJson, start);
    if (!isFollowedByColon(validJson, at)) continue;
    const key = JSON.parse(validJson.slice(start, at + 1)) as string;
    const keys = keysOfOpenObjects[keysOfOpenObjects.length - 1];
    if (keys.has(key)) return key;
    keys.add(key);
  }
  return undefined;
}

/** Returns the index of the closing quote of the text that opens at `start`. */
function endOfText(validJson: string, start: number): number {
  let at = start + 1;
  while (validJson[at] !== '"') at += validJson[at] === "\\" ? 2 : 1;
  return at;
}

function isFollowedByColon(validJson: string, at: number): boolean {
  let next = at + 1;
  while (" \t\n\r".includes(validJson[next] ?? "end")) next++;
  return validJson[next] === ":";
}
