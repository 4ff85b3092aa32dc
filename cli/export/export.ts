/** The work of `gaussianize export`: writes parameters as .npz, or prints them as JSON. */
import { modelArrays } from "../../src/density/model-files/model-arrays.js";
import { type NpyArray, encodeNpz } from "../../src/density/model-files/npz.js";
import { UsageError } from "../../src/errors.js";
import { readModel } from "../../node/model-files.js";
import { writeAtomically } from "../../node/write-atomically.js";
import type { Effects } from "../effects.js";
import { requireOutput } from "../model-files.js";

export interface ExportOptions {
  readonly npz?: string;
  readonly json?: true;
}

export async function exportModel(
  path: string,
  { npz, json }: ExportOptions,
  effects: Effects,
): Promise<void> {
  // Checked here: commander would check it before it notices a misspelt --npz.
  if (npz === undefined && !json) {
    throw new UsageError("Where should the arrays go? Give --npz <file>, or --json to print them.");
  }
  await requireOutput(npz, path);
  const arrays = modelArrays(await readModel(path));
  if (npz === undefined) printArrays(path, arrays, effects);
  else await writeArrays(path, npz, arrays, json ?? false, effects);
}

type Arrays = Readonly<Record<string, NpyArray>>;

async function writeArrays(
  path: string,
  npz: string,
  arrays: Arrays,
  json: boolean,
  { stdout, stderr }: Effects,
): Promise<void> {
  await writeAtomically(npz, encodeNpz(arrays));
  const shapes = Object.entries(arrays).map(([name, array]) => ({
    name,
    shape: typeof array === "string" ? [] : array.shape,
  }));
  if (json) {
    stdout.write(`${JSON.stringify({ model: path, file: npz, arrays: shapes }, null, 2)}\n`);
  } else {
    for (const { name, shape } of shapes) {
      stdout.write(`${name.padEnd(20)} ${shape.join("×") || "text"}\n`);
    }
  }
  stderr.write(`Wrote ${npz}: ${shapes.length} arrays.\n`);
}

/** Prints array by array: all of them together may exceed the longest possible string. */
function printArrays(path: string, { metadata, ...arrays }: Arrays, { stdout }: Effects): void {
  stdout.write(`{\n  "model": ${JSON.stringify(path)},\n  "metadata": ${metadata as string},\n`);
  let before = '  "arrays": [\n';
  for (const [name, array] of Object.entries(arrays)) {
    if (typeof array === "string") continue;
    const { shape, values } = array;
    const fields = [`"name": ${JSON.stringify(name)}`, `"shape": ${JSON.stringify(shape)}`];
    stdout.write(`${before}    { ${fields.join(", ")}, "values": ${nested(values, shape)} }`);
    before = ",\n";
  }
  stdout.write("\n  ]\n}\n");
}

/** Formats values as nested lists, like numpy's `tolist`. */
function nested(values: Exclude<NpyArray, string>["values"], shape: readonly number[]): string {
  // JSON has −0, but JavaScript prints it as 0.
  const text = (value: number): string => (Object.is(value, -0) ? "-0.0" : String(value));
  if (shape.length <= 1) return `[${Array.from(values, text).join(",")}]`;
  const [rows, ...rest] = shape;
  const size = values.length / rows;
  const parts = Array.from({ length: rows }, (_, k) =>
    nested(values.subarray(k * size, (k + 1) * size), rest),
  );
  return `[${parts.join(",\n      ")}]`;
}
