/**
 * Time to a given ΔJ on 16×16 patches: low-rank pooling here, the full γ in PyTorch. The ΔJ of the
 * full γ after a number of steps is measured here, since it does not depend on the program.
 * PyTorch's time is the number of samples / the rate of its step, without optimiser, images and
 * start; ours is the wall time of the whole fit, including reading the images.
 */
import type { ImageReading } from "../src/patches/image-reading.js";
import { fitModel } from "../src/training/fit-model.js";
import { embeddedPhotographs } from "../node/embedded-photographs.js";
import { findImages } from "../node/find-images.js";
import { openImageSet } from "../node/image-set.js";
import { openRunner } from "../node/worker-threads.js";
import { problems } from "./problem.js";
import { type PyTorchFigures, measurePyTorch } from "./pytorch.js";
import { table, whole } from "./table.js";

export interface FitPoint {
  readonly steps: number;
  readonly samples: number;
  readonly seconds: number;
  /** ΔJ of the held-out images, in nats per pixel. */
  readonly negentropyDifference: number;
}

export interface TimeToFigures {
  readonly rank: number;
  readonly full: readonly FitPoint[];
  readonly lowRank: readonly FitPoint[];
  readonly pyTorchSamplesPerSecond: number | null;
  /** Each fit of the full γ, with the shortest fit of low rank that is as good. */
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
  /** A folder of photographs; by default those of the package. */
  readonly pictures: string | undefined;
  /** Steps of the fits; each has a schedule of its own. */
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
    ...(poolRank === undefined ? { gradient: "exact" } : { poolRank }),
  });
  const seconds = (performance.now() - start) / 1000;
  await runner.close();
  const { negentropyDifferenceInNatsPerPixel: negentropyDifference } = model.about.figures ?? {};
  return { steps, samples: steps * batch, seconds, negentropyDifference };
}

/** Compares with the fastest fit of low rank that reaches the ΔJ of the full γ. */
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
  const orNone = (value: number | null | undefined): string =>
    value === null || value === undefined ? "–" : whole(value);
  const row = (name: string, { steps, seconds, negentropyDifference }: FitPoint): string[] => [
    name,
    whole(steps),
    negentropyDifference.toFixed(4),
    seconds.toFixed(1),
  ];
  return [
    table("16×16 patches, two workers | steps | ΔJ, nats per pixel | seconds, all in all", [
      ...lowRank.map((fit) => row(`rank ${R}`, fit)),
      ...full.map((fit) => row("full γ", fit)),
    ]),
    table(
      `ΔJ | full γ, steps | PyTorch, s (its steps alone) | rank ${R}, steps | s | times less`,
      comparisons.map(
        ({ negentropyDifference, fullSteps, pyTorchSeconds, lowRank: best, ratio }) => [
          negentropyDifference.toFixed(4),
          whole(fullSteps),
          orNone(pyTorchSeconds),
          orNone(best?.steps),
          best ? best.seconds.toFixed(1) : "–",
          ratio === null ? "–" : `${ratio.toFixed(1)}×`,
        ],
      ),
    ),
  ].join("\n");
}
