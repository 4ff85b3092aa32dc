/**
 * `gaussianize export MODEL`: writes the parameters as .npz, or prints them as JSON, for other
 * programs.
 */
import type { Command } from "commander";
import { modelArrays } from "../../src/density/model-files/model-arrays.js";
import { type NpyArray, encodeNpz } from "../../src/density/model-files/npz.js";
import { UsageError } from "../../src/errors.js";
import { readModel } from "../../node/model-files.js";
import { writeAtomically } from "../../node/write-atomically.js";
import type { Effects } from "../effects.js";
import { requireOutput } from "../model-files.js";
import { inputFile, outputFile } from "../options.js";

interface ExportOptions {
  readonly npz?: string;
  readonly json?: true;
}

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Writes the parameters of a model, written out in full, as arrays for numpy (docs/model-files.md), or prints them as JSON.",
    )
    .argument("<model>", "a model file (.safetensors)", inputFile)
    .option("--npz <file>", "the file to write", outputFile(".npz"))
    .option("--json", "print the arrays as JSON; with --npz only their names and shapes")
    .addHelpText(
      "after",
      "\nExamples:\n  gaussianize export gdn.safetensors --npz gdn.npz\n  gaussianize export gdn.safetensors --json | jq .metadata.figures\n  python3 -c \"import numpy; print(numpy.load('gdn.npz')['stages.1.gamma'])\"\n",
    )
    .action((path: string, options: ExportOptions) => write(path, options, effects));
}

async function write(path: string, { npz, json }: ExportOptions, effects: Effects): Promise<void> {
  // Not by commander: it would complain of this before it looks for a misspelt --npz.
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

/** One array after the other: the text of all of them may be longer than a string can be. */
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

/** Rows within rows, as numpy's `tolist` nests them. */
function nested(values: Exclude<NpyArray, string>["values"], shape: readonly number[]): string {
  // JSON has a −0, which JavaScript would write as 0.
  const text = (value: number): string => (Object.is(value, -0) ? "-0.0" : String(value));
  if (shape.length <= 1) return `[${Array.from(values, text).join(",")}]`;
  const [rows, ...rest] = shape;
  const size = values.length / rows;
  const parts = Array.from({ length: rows }, (_, k) =>
    nested(values.subarray(k * size, (k + 1) * size), rest),
  );
  return `[${parts.join(",\n      ")}]`;
}
