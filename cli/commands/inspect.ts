/** `gaussianize inspect MODEL`: what is in a model file. */
import type { Command } from "commander";
import type { Density } from "../../src/density/density.js";
import { decodeModel } from "../../src/density/model-files/model-file.js";
import { UsageError } from "../../src/errors.js";
import { describeCheckpoint, isCheckpoint } from "../../src/training/checkpoint-file.js";
import { openDensity } from "../../node/open-density.js";
import { writePng } from "../../node/figures.js";
import { readModelBytes } from "../../node/model-files.js";
import { checkpointReport, checkpointText } from "../checkpoint-summary.js";
import type { Effects } from "../effects.js";
import { requireOutput } from "../model-files.js";
import { pictureOf } from "../model-picture.js";
import { aboutText, summarize, summaryText, titleOf } from "../model-summary.js";
import { inputFile, outputFile } from "../options.js";
import { wrapped } from "../text.js";

interface InspectOptions {
  readonly output?: string;
  readonly json?: true;
}

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Shows what a model file holds: structure, sizes, figures and certificate. Of a checkpoint, shows how far its fit is and how to resume it.",
    )
    .argument("<model>", "a model file or a checkpoint (.safetensors)", inputFile)
    .option("-o, --output <file>", "write a PNG: filters, and weights γ", outputFile(".png"))
    .option("--json", "print everything as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  gaussianize inspect gdn.safetensors\n  gaussianize inspect gdn.safetensors -o filters.png\n  gaussianize inspect gdn.safetensors --json | jq .certificate\n",
    )
    .action((path: string, options: InspectOptions) => inspect(path, options, effects));
}

async function inspect(path: string, options: InspectOptions, effects: Effects): Promise<void> {
  const { output } = options;
  await requireOutput(output, path);
  const bytes = await readModelBytes(path);
  if (isCheckpoint(bytes)) {
    await inspectCheckpoint(bytes, path, options, effects);
    return;
  }
  await using density = await openDensity(decodeModel(bytes, path), { workers: 0 });
  const { model } = density;
  // Before anything is printed: where there is nothing to draw, the sentence that says so stands
  // alone.
  const picture = output === undefined ? null : pictureOf(density, path);
  const summary = summarize(density);
  const findings = await verifyWithoutData(density);
  if (options.json) {
    const everything = { model: path, ...summary, ...findings, about: model.about };
    effects.stdout.write(`${JSON.stringify(everything, null, 2)}\n`);
  } else {
    const { proven, computed = [] } = findings;
    const sentences = [...proven, ...computed].map((sentence) => wrapped(sentence)).join("\n");
    const paragraphs = [titleOf(path, model), summaryText(summary), sentences, aboutText(model)];
    effects.stdout.write(`${paragraphs.filter((text) => text !== "").join("\n\n")}\n`);
  }
  if (output !== undefined && picture) {
    await writePng(output, picture.image);
    effects.stderr.write(`Wrote ${output}: ${picture.shows}.\n`);
  }
}

async function inspectCheckpoint(
  bytes: Uint8Array,
  path: string,
  { output, json }: InspectOptions,
  effects: Effects,
): Promise<void> {
  const report = await checkpointReport(describeCheckpoint(bytes, path), path);
  if (output !== undefined) {
    const other = report.model === null ? "" : `; the model so far is ${report.model}`;
    throw new UsageError(`--output draws models, and ${path} is a checkpoint of a fit${other}.`);
  }
  effects.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : checkpointText(report));
}

/**
 * Locations on which convolutions are looked at: whether they are invertible depends a little on
 * the size of an image.
 */
const grid = { width: 16, height: 16 };

/** The proof; of whole images also what can be computed on a grid. */
async function verifyWithoutData(density: Density) {
  const found = await density.verify(null, { grid });
  const { certificate, certified, cycleMean, invertible, proven } = found;
  const proof = { certificate, certified, cycleMean, invertible, proven };
  if (!("smallestSingularValue" in found)) return { ...proof, computed: undefined };
  const { smallestSingularValue, observed: computed } = found;
  return { ...proof, smallestSingularValue, grid, computed };
}
