/** `gaussianize inspect MODEL`: what is in a model file. */
import type { Command } from "commander";
import { type Model, verify } from "../../src/index.js";
import { openRunner, readModel, requireWritable, writePng } from "../../node/index.js";
import type { Effects } from "../effects.js";
import { pictureOf } from "../model-picture.js";
import { summarize, summaryText } from "../model-summary.js";
import { fileName } from "../options.js";

interface InspectOptions {
  readonly output?: string;
  readonly json?: true;
}

export function configure(command: Command, effects: Effects): void {
  command
    .description("Shows what a model file holds: structure, sizes, figures and certificate.")
    .argument("<model>", "a model file (.safetensors)")
    .option("-o, --output <file>", "write a PNG: filters, and weights γ", fileName(".png"))
    .option("--json", "print everything as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  gaussianize inspect gdn.safetensors\n  gaussianize inspect gdn.safetensors -o filters.png\n  gaussianize inspect gdn.safetensors --json | jq .certificate\n",
    )
    .action((path: string, options: InspectOptions) => inspect(path, options, effects));
}

async function inspect(path: string, options: InspectOptions, effects: Effects): Promise<void> {
  const { output } = options;
  if (output !== undefined) await requireWritable(output);
  const model = await readModel(path);
  const summary = summarize(model);
  const { certificate, certified, proven } = await verifyWithoutData(model);
  if (options.json) {
    const everything = { model: path, ...model.about, ...summary, certificate, certified, proven };
    effects.stdout.write(`${JSON.stringify(everything, null, 2)}\n`);
  } else {
    const lines = [titleOf(path, model), summaryText(summary), ...proven, ...figuresOf(model)];
    effects.stdout.write(`${lines.join("\n")}\n`);
  }
  if (output !== undefined) {
    await writePng(output, pictureOf(model));
    effects.stderr.write(`Wrote ${output}.\n`);
  }
}

async function verifyWithoutData({ transform }: Model) {
  const runner = await openRunner({ workers: 0 });
  try {
    return await verify(runner, transform, null);
  } finally {
    await runner.close();
  }
}

function titleOf(path: string, { about: { name, patch } }: Model): string {
  const patches = patch ? `, ${patch.width}×${patch.height} patches` : "";
  return `${path}: ${name ?? "a model without a name"}${patches}`;
}

function figuresOf({ about }: Model): string[] {
  const figures = Object.entries(about.figures ?? {}).map(
    ([name, value]) => `${name}: ${String(value)}`,
  );
  const { data, seed, training } = about;
  return [
    ...figures,
    ...(training ? [`training: ${brief(training)}`] : []),
    ...(data ? [`data: ${brief(data)}`] : []),
    ...(seed === undefined ? [] : [`seed: ${seed}`]),
  ];
}

/** The entries that fit on a line: a long history is for --json. */
function brief(record: object): string {
  return Object.entries(record)
    .filter(([, value]) => typeof value !== "object")
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(", ");
}
