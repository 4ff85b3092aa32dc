/** The work of `gaussianize demo`: fits three densities, compares them, writes a report. */
import { svgDocument } from "../../node/figures.js";
import { writeModel } from "../../node/model-files.js";
import { requireWritable, writeAtomically } from "../../node/write-atomically.js";
import { shownSamples } from "../../paper/parts/model-figures.js";
import { sample } from "../../src/density/synthesis.js";
import { modelContributions } from "../../src/evaluation/pooling.js";
import type { Text } from "../../src/figures/report-text.js";
import { measured, thousands } from "../../src/numbers/format-number.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import type { Effects } from "../effects.js";
import { withRunner } from "../model-files.js";
import { packageVersion } from "../package.js";
import { machineOf } from "../paper/results.js";
import { counted, duration, wrapped } from "../text.js";
import { type DemoData, openPhotographs, patchesOf } from "./data.js";
import {
  type DemoDenoising,
  denoiseDemo,
  denoisingStage,
  noisyFitStage,
  sigma,
} from "./denoising.js";
import {
  type DemoFit,
  demoModels,
  differenceOf,
  fitDemoModel,
  fitStage,
  testPatches,
} from "./fits.js";
import { demoHistograms } from "./histograms.js";
import { DemoProgress } from "./progress.js";
import { demoReport } from "./report.js";

export interface DemoOptions {
  readonly steps: number;
  readonly seed: number;
  readonly workers?: number;
  readonly output?: string;
  readonly save?: string;
  readonly json?: true;
}

const defaultReport = "gaussianize-demo.html";
const drawingStage = { label: "drawing", cost: 7000 };

export async function demo(options: DemoOptions, effects: Effects): Promise<void> {
  const { save, output = defaultReport } = options;
  // Before the work, not after it.
  for (const file of [output, save]) if (file !== undefined) await requireWritable(file);
  await withRunner(options, (runner) => runDemo(runner, { ...options, output }, effects));
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
  say(`\nWrote ${output} in ${duration(seconds)}: open it in a browser.\n`);
  if (save !== undefined) effects.stderr.write(`Wrote ${save}: the GDN.\n`);
}

function openingText(data: DemoData, threads: number, { seed, steps }: DemoOptions): string {
  const { training, heldOut } = data;
  return [
    `Fitting 8×8 patches of ${training.length} photographs; comparing on “${heldOut.title}”, held out.`,
    `${counted(threads, "thread")}, seed ${seed}, ${thousands(steps)} steps of the GDN`,
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
  const command = commandOf(options);
  const outcome = { ...results, histograms, contributions, samples, command, provenance };
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

function commandOf({ steps, seed }: DemoOptions): string {
  return `npx gaussianize demo --steps ${steps} --seed ${seed}`;
}

function provenanceOf(
  { size, kernels }: TaskRunner,
  { training, heldOut, fingerprint }: DemoData,
  options: Chosen,
  seconds: number,
): (readonly [string, Text])[] {
  const { seed } = options;
  return [
    ["command", { code: commandOf(options) }],
    ["seed", `${seed}: the same seed gives the same numbers, whatever the number of threads`],
    ["version", `gaussianize ${packageVersion()}`],
    ["machine", machineOf({ threads: size, kernels: kernels.name })],
    ["time", `${duration(seconds)}, not counting this report`],
    ["fitted to", training.map(({ name }) => name).join(", ")],
    ["held out", heldOut.name],
    ["data", { code: fingerprint }],
    [
      "preprocessing",
      "linear luminance, dequantised with uniform noise, then one curve for all pixels that makes them marginally normal (§6.3); for denoising, grey values, scaled and shifted",
    ],
  ];
}

export const tableHead = [
  "model   ΔJ                log-likelihood     code length     fit",
  "        nats per pixel    nats per patch     bits per pixel  seconds",
  "",
].join("\n");

export function tableLine({ title, evaluation, seconds, about }: DemoFit): string {
  const { standardErrors: errors, codeLengthInBitsPerPixel: codeLength } = evaluation;
  const difference = measured(
    evaluation.negentropyDifferencePerDimension,
    errors.negentropyDifferencePerDimension,
  );
  const likelihood = measured(evaluation.meanLogLikelihood, errors.meanLogLikelihood);
  const cells = [
    title.padEnd(8),
    difference.padEnd(18),
    likelihood.padEnd(19),
    (codeLength ?? NaN).toFixed(3).padEnd(16),
    `${seconds.toFixed(1).padStart(5)}  `,
    about,
  ];
  return `${cells.join("")}\n`;
}

/** Explains the table, whichever model came out best. */
export function meaningOf(fits: readonly DemoFit[]): string {
  const ranked = [...fits].sort((a, b) => differenceOf(a) - differenceOf(b));
  const names = ranked.map(({ title }) => title).join(", then ");
  const sentences = [
    "ΔJ is the change of negentropy (paper eq. 4) on a photograph that no model has seen: the lower, the more Gaussian the patches became, and the better the density.",
    `From best to worst: ${names}.`,
    ...(ranked[0] === fits[fits.length - 1]
      ? ["Filters that normalise each other describe photographs best."]
      : []),
  ];
  return `${wrapped(sentences.join(" "), "")}\n`;
}

function denoisingLine({ psnrNoisy, psnrDenoised }: DemoDenoising): string {
  const level = Math.round(255 * sigma);
  return `Denoising that photograph (σ = ${level}/255) with a GDN of noisy patches: ${psnrNoisy.toFixed(2)} dB → ${psnrDenoised.toFixed(2)} dB\n`;
}
