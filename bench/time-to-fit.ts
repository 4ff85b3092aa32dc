/**
 * Time to a given ΔJ on 16×16 patches without dequantisation noise: a full γ with exact and with
 * estimated gradients (the default), low-rank pools, and a full γ in PyTorch.
 *
 * A fit reaches its ΔJ at its end, because its rates fall until then. So every kind of fit runs
 * with increasing lengths until it reaches the last target, and times are interpolated between
 * lengths. As in the paper, models are fitted to all images, and evaluated on one fixed set of
 * their patches. The kinds take turns, so that other load slows all alike; CPU seconds depend
 * little on it.
 *
 * PyTorch does not fit: the ΔJ after a number of exact steps does not depend on the program. Its
 * time is the number of samples / the rate of its step, without optimiser, images and start; ours
 * is that of the whole fit, including reading the images.
 */
import { densityOf } from "../src/density/density-of.js";
import { evaluate } from "../src/evaluation/evaluate.js";
import type { ImageReading } from "../src/patches/image-reading.js";
import { type ModelFitOptions, fitModel } from "../src/training/fit-model.js";
import { embeddedPhotographs } from "../node/embedded-photographs.js";
import { findImages } from "../node/find-images.js";
import { openImageSet } from "../node/image-set.js";
import { openRunner } from "../node/worker-threads.js";
import { problems } from "./problem.js";
import { type PyTorchFigures, measurePyTorch } from "./pytorch.js";
import { table, whole } from "./table.js";

/** Steps of a fit until it reaches a ΔJ, and its time. */
export interface FitTime {
  readonly steps: number;
  /** Seconds by the clock, and of all cores together. */
  readonly seconds: number;
  readonly cpuSeconds: number;
}

export interface FitPoint extends FitTime {
  /** ΔJ of the fixed patches, in nats per pixel. */
  readonly negentropyDifference: number;
}

const rank = 16;
const batch = 256;

/** The kinds of fits, with the options that distinguish them. */
const kinds = {
  exact: { gradient: "exact" },
  probes: {},
  lowRank: { poolRank: rank },
} as const satisfies Record<string, Partial<ModelFitOptions>>;

type Kind = keyof typeof kinds;
const kindNames = Object.keys(kinds) as readonly Kind[];
const titles: Readonly<Record<Kind, string>> = {
  exact: "full γ, exact",
  probes: "full γ, default",
  lowRank: `rank ${rank}`,
};

export interface TimeToFigures {
  readonly data: string;
  readonly batch: number;
  readonly fits: Readonly<Record<Kind, readonly FitPoint[]>>;
  readonly pyTorchSamplesPerCpuSecond: number | null;
  readonly targets: readonly TimeToTarget[];
}

/** Times to one ΔJ; null for a kind that does not reach it, and for PyTorch if not measured. */
export interface TimeToTarget extends Readonly<Record<Kind, FitTime | null>> {
  readonly negentropyDifference: number;
  readonly pyTorchCpuSeconds: number | null;
  /** CPU time of exact steps / that of the default. */
  readonly exactToProbes: number | null;
  readonly pyTorchToProbes: number | null;
  readonly pyTorchToLowRank: number | null;
}

/** Images with the ΔJ to reach on them. */
export interface TimeToData {
  readonly name: string;
  readonly paths: readonly string[];
  /** Values of ΔJ, the highest first. */
  readonly targets: readonly number[];
  /** Steps of the fits, in increasing order; each fit has a schedule of its own. */
  readonly lengths: readonly number[];
  /** Number of patches to evaluate. */
  readonly patches: number;
}

interface TimeToOptions {
  /** Number of workers, default 2; the calling thread is one of them. */
  readonly workers?: number;
  readonly withPyTorch: boolean;
}

const reading: ImageReading = {
  luminance: "linear",
  dequantize: false,
  layout: { size: 16, removeMean: false },
};

/** The Kodak set in a folder; the photographs of the package without one. */
export async function timeToData(pictures: string | undefined): Promise<TimeToData> {
  if (pictures === undefined) {
    return {
      name: "photographs of the package",
      paths: embeddedPhotographs().map(({ path }) => path),
      targets: [-2.6, -2.8],
      lengths: [125, 175, 250, 350, 500],
      patches: 24_000,
    };
  }
  return {
    name: "Kodak",
    paths: await findImages([pictures]),
    targets: [-2.4, -2.45, -2.48],
    lengths: [250, 350, 500, 700, 1000, 1400, 2000, 2800, 4000, 5600],
    patches: 24_000,
  };
}

export async function measureTimeTo(
  data: TimeToData,
  { workers = 2, withPyTorch }: TimeToOptions,
  say: (text: string) => void,
): Promise<TimeToFigures> {
  const pyTorch = withPyTorch ? await stepOfPyTorch(say) : null;
  const fits: Record<Kind, FitPoint[]> = { exact: [], probes: [], lowRank: [] };
  const last = Math.min(...data.targets);
  for (const steps of data.lengths) {
    for (const kind of kindNames) {
      if (reach(fits[kind], last)) continue;
      const point = await timedFit(data, kind, { steps, workers });
      fits[kind].push(point);
      say(`${data.name}, ${sentenceOf(titles[kind], point)}`);
    }
  }
  const rate = pyTorch?.samplesPerCpuSecond.n256 ?? null;
  return {
    data: data.name,
    batch,
    fits,
    pyTorchSamplesPerCpuSecond: rate,
    targets: data.targets.map((target) => compare(target, fits, rate)),
  };
}

function stepOfPyTorch(say: (text: string) => void): Promise<PyTorchFigures | null> {
  return measurePyTorch(
    problems.filter(({ name }) => name === "n256"),
    3,
    say,
  );
}

function sentenceOf(title: string, { steps, cpuSeconds, negentropyDifference }: FitPoint): string {
  const [nats, seconds] = [negentropyDifference.toFixed(4), cpuSeconds.toFixed(1)];
  return `${title}, ${steps} steps: ΔJ ${nats} nats per pixel, ${seconds} s of CPU time`;
}

async function timedFit(
  { paths, patches }: TimeToData,
  kind: Kind,
  { steps, workers }: { readonly steps: number; readonly workers: number },
): Promise<FitPoint> {
  const [start, cpuStart] = [performance.now(), process.cpuUsage()];
  const set = await openImageSet(paths, reading);
  const runner = await openRunner({ workers, callerWorks: true });
  const { model } = await fitModel(runner, {
    model: "gdn",
    reading,
    images: set.images.length,
    load: set.load,
    heldOut: 0,
    steps,
    batch,
    ...kinds[kind],
  });
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpuStart);
  const { failedSamples, negentropyDifferencePerDimension: negentropyDifference } = await evaluate(
    densityOf(model, runner),
    set,
    { patches },
  );
  await runner.close();
  // The mean skips patches without a density, and would be too good.
  if (failedSamples > 0) throw new Error(`${failedSamples} patches have no density (${kind})`);
  return { steps, seconds, cpuSeconds: (user + system) / 1e6, negentropyDifference };
}

/**
 * Returns steps and time until ΔJ falls to a target, or null if no fit reaches it. Between two
 * lengths, ΔJ is taken to be linear in the logarithm of the steps, and time in the steps. The
 * shortest fit is not interpolated, so its time is an upper bound.
 */
export function reach(fits: readonly FitPoint[], target: number): FitTime | null {
  const k = fits.findIndex(({ negentropyDifference }) => negentropyDifference <= target);
  if (k < 0) return null;
  const after = fits[k];
  const before = fits[Math.max(0, k - 1)];
  if (before === after) return after;
  const share =
    (target - before.negentropyDifference) /
    (after.negentropyDifference - before.negentropyDifference);
  const steps = before.steps * (after.steps / before.steps) ** share;
  const weight = (steps - before.steps) / (after.steps - before.steps);
  const between = (a: number, b: number): number => a + weight * (b - a);
  return {
    steps: Math.round(steps),
    seconds: between(before.seconds, after.seconds),
    cpuSeconds: between(before.cpuSeconds, after.cpuSeconds),
  };
}

/** Compares the times to one ΔJ; PyTorch needs as many samples as our exact steps. */
export function compare(
  negentropyDifference: number,
  fits: TimeToFigures["fits"],
  pyTorchSamplesPerCpuSecond: number | null,
): TimeToTarget {
  const [exact, probes, lowRank] = [fits.exact, fits.probes, fits.lowRank].map((points) =>
    reach(points, negentropyDifference),
  );
  const pyTorchCpuSeconds =
    exact && pyTorchSamplesPerCpuSecond !== null
      ? (exact.steps * batch) / pyTorchSamplesPerCpuSecond
      : null;
  const ratio = (theirs: number | null | undefined, ours: FitTime | null): number | null =>
    theirs && ours ? theirs / ours.cpuSeconds : null;
  return {
    negentropyDifference,
    exact,
    probes,
    lowRank,
    pyTorchCpuSeconds,
    exactToProbes: ratio(exact?.cpuSeconds, probes),
    pyTorchToProbes: ratio(pyTorchCpuSeconds, probes),
    pyTorchToLowRank: ratio(pyTorchCpuSeconds, lowRank),
  };
}

/** CPU time of exact steps / that of the default, to ΔJ −2.45 on Kodak; else null. */
export function timeRatioOf({ data, targets }: TimeToFigures): number | null {
  const main = targets.find(({ negentropyDifference }) => negentropyDifference === -2.45);
  return data === "Kodak" && main ? main.exactToProbes : null;
}

export function timeToTable({ data, fits, targets }: TimeToFigures): string {
  const times = (ratio: number | null): string => (ratio === null ? "–" : `${ratio.toFixed(1)}×`);
  const stepsAndTime = (fit: FitTime | null): string =>
    fit ? `${whole(fit.steps)} (${fit.cpuSeconds.toFixed(1)})` : "–";
  return [
    table(
      `${data}, 16×16 patches | steps | ΔJ, nats per pixel | CPU seconds, all in all | by the clock`,
      kindNames.flatMap((kind) =>
        fits[kind].map(({ steps, negentropyDifference, cpuSeconds, seconds }) => [
          titles[kind],
          whole(steps),
          negentropyDifference.toFixed(4),
          cpuSeconds.toFixed(1),
          seconds.toFixed(1),
        ]),
      ),
    ),
    table(
      [
        "ΔJ",
        ...kindNames.map((kind) => `${titles[kind]}: steps (CPU s)`),
        "PyTorch, CPU s (its steps alone)",
        "exact / default",
        "PyTorch / default",
        `PyTorch / rank ${rank}`,
      ].join(" | "),
      targets.map((target) => [
        target.negentropyDifference.toFixed(2),
        ...kindNames.map((kind) => stepsAndTime(target[kind])),
        target.pyTorchCpuSeconds === null ? "–" : whole(target.pyTorchCpuSeconds),
        times(target.exactToProbes),
        times(target.pyTorchToProbes),
        times(target.pyTorchToLowRank),
      ]),
    ),
  ].join("\n");
}
