/** `gaussianize export MODEL --npz FILE`: the parameters for other programs. */
import type { Command } from "commander";
import { UsageError, encodeNpz, modelArrays } from "../../src/index.js";
import { readModel, writeAtomically } from "../../node/index.js";
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
      "Writes the parameters of a model, written out in full, as arrays for numpy (docs/model-files.md).",
    )
    .argument("<model>", "a model file (.safetensors)", inputFile)
    .option("--npz <file>", "the file to write", outputFile(".npz"))
    .option("--json", "print names and shapes of the arrays as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  gaussianize export gdn.safetensors --npz gdn.npz\n  python3 -c \"import numpy; print(numpy.load('gdn.npz')['stages.1.gamma'])\"\n",
    )
    .action((path: string, options: ExportOptions) => write(path, options, effects));
}

async function write(path: string, { npz, json }: ExportOptions, effects: Effects): Promise<void> {
  // Not by commander: it would complain of this before it looks for a misspelt --npz.
  if (npz === undefined) throw new UsageError("Where should the arrays go? Give --npz <file>.");
  await requireOutput(npz, path);
  const arrays = modelArrays(await readModel(path));
  await writeAtomically(npz, encodeNpz(arrays));
  const shapes = Object.entries(arrays).map(([name, array]) => ({
    name,
    shape: typeof array === "string" ? [] : array.shape,
  }));
  if (json) {
    effects.stdout.write(
      `${JSON.stringify({ model: path, file: npz, arrays: shapes }, null, 2)}\n`,
    );
  } else {
    for (const { name, shape } of shapes) {
      effects.stdout.write(`${name.padEnd(20)} ${shape.join("×") || "text"}\n`);
    }
  }
  effects.stderr.write(`Wrote ${npz}: ${shapes.length} arrays.\n`);
}
