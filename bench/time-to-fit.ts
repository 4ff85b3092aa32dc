/**
 * Time to a given ΔJ on 16×16 patches: low-rank pooling here, the full γ in PyTorch. How far the
 * full γ comes in a number of steps does not depend on who takes them, so these are taken here, and
 * PyTorch's time is that of so many samples at the rate of its step, without its optimiser, images
 * and start; ours is the whole fit by the clock, reading the images included.
 */
import { thousands } from "../src/numbers/format-number.js";
import type { ImageReading } from "../src/patches/image-reading.js";
import { fitModel } from "../src/training/fit-model.js";
import { embeddedPhotographs } from "../node/embedded-photographs.js";
import { findImages } from "../node/find-images.js";
import { openImageSet } from "../node/image-set.js";
import { openRunner } from "../node/worker-threads.js";
import { problems } from "./problem.js";
import { type PyTorchFigures, measurePyTorch } from "./pytorch.js";

export interface FitPoint {
  readonly steps: number;
  readonly samples: number;
  readonly seconds: number;
  /** Of the images that were held out, in nats per pixel. */
  readonly negentropyDifference: number;
}

export interface TimeToFigures {
  readonly rank: number;
  readonly full: readonly FitPoint[];
  readonly lowRank: readonly FitPoint[];
  readonly pyTorchSamplesPerSecond: number | null;
  /** For each fit of the full γ, with the shortest of low rank that is as good. */
  readonly comparisons: readonly TimeToComparison[];
}

export interface TimeToComparison {
  readonly negentropyDifference: number;
  readonly fullSteps: number;
  readonly pyTorchSeconds: number | null;
  readonly lowRank: FitPoint | null;
  readonly ratio: number | null;
}

export interface TimeToOptions {
  /** A folder of photographs; without it those of the package. */
  readonly pictures: string | undefined;
  /** Each fit has a schedule of its own, which ends after so many steps. */
  readonly fullSteps: readonly number[];
  readonly lowRankSteps: readonly number[];
  readonly withPyTorch: boolean;
}

const rank = 16;
const batch = 256;
const reading: ImageReading = {
  luminance: "linear",
  dequantize: true,
  layout: { size: 16, removeMean: false },
};

export async function measureTimeTo(
  { pictures, fullSteps, lowRankSteps, withPyTorch }: TimeToOptions,
  say: (text: string) => void,
): Promise<TimeToFigures> {
  const pyTorch = withPyTorch ? await stepOfPyTorch(say) : null;
  const lowRank: FitPoint[] = [];
  for (const steps of lowRankSteps) {
    say(`fit of rank ${rank}, ${steps} steps`);
    lowRank.push(await timedFit(pictures, steps, rank));
  }
  const full: FitPoint[] = [];
  for (const steps of fullSteps) {
    say(`fit of the full γ, ${steps} steps`);
    full.push(await timedFit(pictures, steps));
  }
  const rate = pyTorch?.samplesPerSecond.n256 ?? null;
  const comparisons = full.map((point) => compare(point, lowRank, rate));
  return { rank, full, lowRank, pyTorchSamplesPerSecond: rate, comparisons };
}

function stepOfPyTorch(say: (text: string) => void): Promise<PyTorchFigures | null> {
  return measurePyTorch(
    problems.filter(({ name }) => name === "n256"),
    3,
    say,
  );
}

async function timedFit(
  pictures: string | undefined,
  steps: number,
  poolRank?: number,
): Promise<FitPoint> {
  const start = performance.now();
  const paths = pictures
    ? await findImages([pictures])
    : embeddedPhotographs().map(({ path }) => path);
  const set = await openImageSet(paths, reading);
  const runner = await openRunner({ workers: 2, callerWorks: true });
  const { model } = await fitModel(runner, {
    model: "gdn",
    reading,
    images: set.images.length,
    load: set.load,
    steps,
    batch,
    ...(poolRank === undefined ? {} : { poolRank }),
  });
  const seconds = (performance.now() - start) / 1000;
  await runner.close();
  const { negentropyDifferenceInNatsPerPixel: negentropyDifference } = model.about.figures ?? {};
  return { steps, samples: steps * batch, seconds, negentropyDifference };
}

/** Against the fit of low rank that needed least time to come as far as the full γ. */
export function compare(
  { steps, samples, negentropyDifference }: FitPoint,
  lowRank: readonly FitPoint[],
  rate: number | null,
): TimeToComparison {
  const best = lowRank
    .filter((point) => point.negentropyDifference <= negentropyDifference)
    .reduce<FitPoint | null>((a, b) => (a && a.seconds <= b.seconds ? a : b), null);
  const pyTorchSeconds = rate === null ? null : samples / rate;
  const ratio = best && pyTorchSeconds !== null ? pyTorchSeconds / best.seconds : null;
  return { negentropyDifference, fullSteps: steps, pyTorchSeconds, lowRank: best, ratio };
}

export function timeToTable({ rank: R, comparisons, full, lowRank }: TimeToFigures): string {
  const whole = (value: number | null | undefined): string =>
    value === null || value === undefined ? "–" : thousands(Math.round(value));
  const point = (name: string, { steps, seconds, negentropyDifference }: FitPoint): string =>
    `| ${name} | ${whole(steps)} | ${negentropyDifference.toFixed(4)} | ${seconds.toFixed(1)} |`;
  return [
    "| 16×16 patches, two workers | steps | ΔJ, nats per pixel | seconds, all in all |",
    "| --- | --- | --- | --- |",
    ...lowRank.map((fit) => point(`rank ${R}`, fit)),
    ...full.map((fit) => point("full γ", fit)),
    "",
    `| ΔJ | full γ, steps | PyTorch, s (its steps alone) | rank ${R}, steps | s | times less |`,
    "| --- | --- | --- | --- | --- | --- |",
    ...comparisons.map(
      ({ negentropyDifference, fullSteps, pyTorchSeconds, lowRank: best, ratio }) =>
        `| ${negentropyDifference.toFixed(4)} | ${whole(fullSteps)} | ${whole(pyTorchSeconds)} | ${whole(best?.steps)} | ${best ? best.seconds.toFixed(1) : "–"} | ${ratio === null ? "–" : `${ratio.toFixed(1)}×`} |`,
    ),
    "",
  ].join("\n");
}
