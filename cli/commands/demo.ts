/**
 * `gaussianize demo`: three densities of photographs, compared, drawn and put to use; nothing
 * needed but the package.
 */
import type { Command } from "commander";
import { svgDocument } from "../../node/figures.js";
import { writeModel } from "../../node/model-files.js";
import { openRunner } from "../../node/worker-threads.js";
import { requireWritable, writeAtomically } from "../../node/write-atomically.js";
import { shownSamples } from "../../paper/parts/model-figures.js";
import { sample } from "../../src/density/synthesis.js";
import { modelContributions } from "../../src/evaluation/pooling.js";
import type { Text } from "../../src/figures/report-text.js";
import { thousands } from "../../src/numbers/format-number.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { type DemoData, openPhotographs, patchesOf } from "../demo/data.js";
import {
  type DemoDenoising,
  denoiseDemo,
  denoisingStage,
  noisyFitStage,
  sigma,
} from "../demo/denoising.js";
import { type DemoFit, demoModels, fitDemoModel, fitStage, testPatches } from "../demo/fits.js";
import { demoHistograms } from "../demo/histograms.js";
import { DemoProgress } from "../demo/progress.js";
import { demoReport } from "../demo/report.js";
import { denoisingLine, meaningOf, tableHead, tableLine } from "../demo/text.js";
import type { Effects } from "../effects.js";
import { outputFile, wholeNumber, workerCount } from "../options.js";
import { packageVersion } from "../package-version.js";
import { machineOf } from "../paper/results.js";
import { duration } from "../text.js";

interface DemoOptions {
  readonly steps: number;
  readonly seed: number;
  readonly workers?: number;
  readonly output?: string;
  readonly save?: string;
  readonly json?: true;
}

const defaultReport = "gaussianize-demo.html";
const drawingStage = { label: "drawing", cost: 7000 };

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Fits three densities (ICA-MG, RG, GDN) to 8×8 patches of photographs that come with the package, compares them on one that was held out, denoises it, and writes a report with pictures. Takes about two minutes on two cores.",
    )
    .option(
      "--steps <n>",
      "steps of the GDN; the others in proportion (fewer are quicker)",
      wholeNumber(1),
      3000,
    )
    .option("--seed <n>", "seed of patches and noise", wholeNumber(0), 1)
    .option("--workers <n>", "worker threads, 0 to 1024 (default: one per core)", workerCount)
    .option(
      "-o, --output <file>",
      `the report, one HTML file (default: ${defaultReport})`,
      outputFile(".html"),
    )
    .option("--save <file>", "write the fitted GDN as a model file", outputFile(".safetensors"))
    .option("--json", "print the results as JSON")
    .addHelpText(
      "after",
      `
Examples:
  gaussianize demo                                  prints a table, writes ${defaultReport}
  gaussianize demo --steps 500 -o quick.html        less than half a minute
  gaussianize demo --save gdn.safetensors           keep the GDN for the other commands
  gaussianize demo --json --seed 7
`,
    )
    .action((options: DemoOptions) => demo(options, effects));
}

async function demo(options: DemoOptions, effects: Effects): Promise<void> {
  const { workers, save, output = defaultReport } = options;
  // Before the work, not after it.
  for (const file of [output, save]) if (file !== undefined) await requireWritable(file);
  const runner = await openRunner({
    callerWorks: true,
    ...(workers === undefined ? {} : { workers }),
  });
  try {
    await runDemo(runner, { ...options, output }, effects);
  } finally {
    await runner.close();
  }
}

type Chosen = DemoOptions & { readonly output: string };

async function runDemo(runner: TaskRunner, options: Chosen, effects: Effects): Promise<void> {
  const { seed, steps, output, save, json } = options;
  const say = (text: string): void => {
    if (!json) effects.stdout.write(text);
  };
  const progress = new DemoProgress(effects, [
    ...demoModels.map((model) => fitStage(model, steps)),
    noisyFitStage(steps),
    denoisingStage,
    drawingStage,
  ]);
  const data = await openPhotographs(seed);
  say(openingText(data, runner.size, options));
  const fits: DemoFit[] = [];
  for (const model of demoModels) {
    const fit = await fitDemoModel(runner, data, model, options, progress);
    fits.push(fit);
    progress.clear();
    say(tableLine(fit));
  }
  say(`\n${meaningOf(fits)}\n`);
  const denoising = await denoiseDemo(runner, data, options, progress);
  progress.clear();
  say(denoisingLine(denoising));
  progress.enter(drawingStage);
  await writeReport(runner, { data, fits, denoising }, options, progress);
  progress.clear();
  if (save !== undefined) await writeModel(save, fits[fits.length - 1].model);
  const seconds = progress.seconds();
  if (json)
    effects.stdout.write(`${JSON.stringify(resultsOf(options, fits, denoising), null, 2)}\n`);
  else
    effects.stdout.write(
      `\nReport, to open in a browser: ${output}   (${duration(seconds)} in all)\n`,
    );
  if (save !== undefined) {
    effects.stderr.write(`Wrote ${save}: the GDN; see "gaussianize inspect ${save}".\n`);
  }
}

function openingText(data: DemoData, threads: number, { seed, steps }: DemoOptions): string {
  const { training, heldOut } = data;
  return [
    `8×8 patches of ${training.length} photographs, compared on “${heldOut.title}”, which is not fitted to;`,
    `${threads} ${threads === 1 ? "thread" : "threads"}, seed ${seed}, ${thousands(steps)} steps of the GDN`,
    "",
    tableHead,
  ].join("\n");
}

interface Results {
  readonly data: DemoData;
  readonly fits: readonly DemoFit[];
  readonly denoising: DemoDenoising;
}

async function writeReport(
  runner: TaskRunner,
  results: Results,
  options: Chosen,
  progress: DemoProgress,
): Promise<void> {
  const { data, fits } = results;
  const { seed, output } = options;
  const patches = await patchesOf(data, "held out", testPatches, seed);
  const histograms = await demoHistograms(runner, fits, patches);
  const { model: gdn } = fits[fits.length - 1];
  const contributions = await modelContributions(runner, gdn, patches);
  progress.report(0.8);
  const photographs = await patchesOf(data, "training", shownSamples, seed);
  const samples = [{ title: "Photographs", values: photographs }];
  for (const { title, model } of fits) {
    const drawn = await sample(runner, model.transform, shownSamples, seed);
    samples.push({ title, values: Float32Array.from(drawn) });
  }
  const provenance = provenanceOf(runner, data, options, progress.seconds());
  const outcome = { ...results, histograms, contributions, samples, provenance };
  const page = await demoReport(await svgDocument(), outcome);
  await writeAtomically(output, new TextEncoder().encode(page));
}

function resultsOf(
  { seed, steps, output }: Chosen,
  fits: readonly DemoFit[],
  { psnrNoisy, psnrDenoised }: DemoDenoising,
) {
  const results = fits.map(({ title, evaluation, steps: own, rejectedSteps, seconds }) => ({
    model: title,
    negentropyDifferencePerPixel: evaluation.negentropyDifferencePerDimension,
    standardError: evaluation.standardErrors.negentropyDifferencePerDimension,
    meanLogLikelihood: evaluation.meanLogLikelihood,
    codeLengthInBitsPerPixel: evaluation.codeLengthInBitsPerPixel,
    steps: own,
    rejectedSteps,
    seconds,
  }));
  const denoising = { sigma, psnrNoisy, psnrDenoised };
  return { seed, steps, testPatches, results, denoising, report: output };
}

function provenanceOf(
  { size, kernels }: TaskRunner,
  { training, heldOut, fingerprint }: DemoData,
  { seed, steps }: Chosen,
  seconds: number,
): (readonly [string, Text])[] {
  return [
    ["command", { code: `gaussianize demo --steps ${steps} --seed ${seed}` }],
    ["seed", `${seed}: the same seed gives the same numbers, with any number of threads`],
    ["version", `gaussianize ${packageVersion()}`],
    ["machine", machineOf({ threads: size, kernels: kernels.name })],
    ["time", `${duration(seconds)}, without the drawing of this report`],
    ["fitted to", training.map(({ name }) => name).join(", ")],
    ["held out", heldOut.name],
    ["data", { code: fingerprint }],
    [
      "preprocessing",
      "linear luminance, codes spread by uniform noise, then one curve for all pixels that makes them marginally normal (§6.3); for denoising, grey values with a scale and a shift",
    ],
  ];
}
