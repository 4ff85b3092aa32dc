/** `gaussianize inspect MODEL`: what is in a model file. */
import type { Command } from "commander";
import {
  type AnyModel,
  type ImageVerification,
  type Verification,
  UsageError,
  decodeModel,
  describeCheckpoint,
  isCheckpoint,
  isImageModel,
  verify,
  verifyImageCascade,
} from "../../src/index.js";
import { openRunner, writePng } from "../../node/index.js";
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
  const model = decodeModel(bytes, path);
  // Before anything is printed: where there is nothing to draw, the sentence that says so stands alone.
  const picture = output === undefined ? null : pictureOf(model, path);
  const summary = summarize(model);
  const findings = await verifyWithoutData(model);
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

/** Locations on which convolutions are looked at: whether they are invertible depends a little on the size of an image. */
const grid = { width: 16, height: 16 };

async function verifyWithoutData(model: AnyModel) {
  const runner = await openRunner({ workers: 0 });
  try {
    if (isImageModel(model)) {
      const found = await verifyImageCascade(runner, model.transform, null, { grid });
      const { smallestSingularValue, observed: computed } = found;
      return { ...provenOf(found), smallestSingularValue, grid, computed };
    }
    return provenOf(await verify(runner, model.transform, null));
  } finally {
    await runner.close();
  }
}

function provenOf(found: ImageVerification | Verification): Proven {
  const { certificate, certified, cycleMean, invertible, proven } = found;
  return { certificate, certified, cycleMean, invertible, proven };
}

interface Proven extends Pick<
  Verification,
  "certificate" | "certified" | "cycleMean" | "invertible" | "proven"
> {
  readonly computed?: readonly string[];
}
