import { prose } from "../src/figures/report-text.js";
import { thousands } from "../src/numbers/format-number.js";
import type { BrowserFigures } from "./browser.js";
import type { DenoisingFigures, PyTorchDenoising, ScoreMethod, Seconds } from "./denoising.js";
import type { InversionFigures } from "./inverse-iteration.js";
import type { InverseFigures } from "./inverse.js";
import { type EstimateFigures, estimatesTable } from "./estimates.js";
import { type LowRankFigures, lowRankTable } from "./low-rank.js";
import type { MpiFigures } from "./mpi.js";
import type { PairFigures } from "./pairs.js";
import type { SupplyFigures } from "./patch-supply.js";
import { type PeerFigures, peersTable } from "./peers.js";
import type { PyTorchFigures } from "./pytorch.js";
import type { StartupFigures } from "./startup.js";
import { type StepFigures, stepTable } from "./steps.js";
import { table, whole } from "./table.js";
import { type TimeToFigures, timeToTable } from "./time-to-fit.js";
import type { WorkerFigures } from "./workers.js";

/** Figures of one build of the kernels. */
interface BuildFigures {
  readonly inverse: InverseFigures & { readonly n64: InverseFigures };
  readonly inversion: InversionFigures;
  readonly step: StepFigures;
  readonly denoising: {
    readonly secondsPerMegapixel: Seconds;
    readonly ratioToPyTorch: Readonly<Record<ScoreMethod, number | null>>;
  };
}

export interface Report extends BuildFigures {
  readonly date: string;
  readonly cpu: string;
  readonly node: string;
  readonly startup: StartupFigures;
  readonly pyTorch: PyTorchFigures | null;
  readonly workers: {
    readonly fractionOfIndependent: number;
    readonly n64: WorkerFigures;
    readonly n256: WorkerFigures;
  };
  readonly supply: SupplyFigures;
  readonly lowRank: readonly LowRankFigures[];
  readonly peers: PeerFigures;
  readonly probes: EstimateFigures["probes"] & {
    /** Time to ΔJ −2.45 on Kodak with exact gradients / with the default; null without Kodak. */
    readonly timeRatio: number | null;
  };
  readonly timeTo: TimeToFigures | null;
  readonly rankOne: EstimateFigures["rankOne"];
  readonly pairs: PairFigures;
  readonly browser: BrowserFigures | null;
  readonly denoising: BuildFigures["denoising"] &
    Pick<DenoisingFigures, "width" | "height" | "stride" | "pyTorch">;
  /** Null if the engine has no relaxed SIMD. */
  readonly relaxed: BuildFigures | null;
}

type NamedBuild = BuildFigures & { readonly name: string };

const ratio = (value: number | null): string => (value === null ? "–" : `${value.toFixed(2)}×`);
const percent = (value: number, digits = 0): string => `${(100 * value).toFixed(digits)} %`;
const notMeasured = "PyTorch was not measured.";

/** The figures as Markdown tables, as in docs/performance.md. */
export function formatReport(report: Report): string {
  const { startup, pyTorch, relaxed } = report;
  const { kernelBytes, kernelsReadyInMilliseconds: ready } = startup;
  const builds: NamedBuild[] = [
    { ...report, name: "plain SIMD" },
    ...(relaxed ? [{ ...relaxed, name: "relaxed SIMD" }] : []),
  ];
  const bytes = `${whole(kernelBytes.simd)} bytes plain, ${whole(kernelBytes.relaxedSimd)} relaxed`;
  return [
    `${report.date}, ${report.cpu}, Node ${report.node}, ${startup.compiler}\n`,
    `Kernels: ${bytes}; ready after ${ready.toFixed(0)} ms.\n`,
    inverseTable(builds),
    synthesisTable(builds),
    stepTable({ plain: report.step, relaxed: relaxed?.step ?? null, pyTorch }),
    peersTable(report.peers),
    workersTable(report.workers),
    lowRankTable(report.lowRank),
    estimatesTable(report),
    ...(report.timeTo ? [timeToTable(report.timeTo)] : []),
    supplyTable(report.supply),
    pairsTable(report.pairs),
    denoisingTable(builds, report),
    `${report.denoising.pyTorch ? denoisingSettings(report.denoising.pyTorch) : notMeasured}\n`,
    browserTable(report.browser),
  ].join("\n");
}

function inverseTable(builds: readonly NamedBuild[]): string {
  return table(
    "inverse + log-det, one core | N | Gflop/s | log-det alone | multiply-add peak | of peak",
    builds.flatMap(({ name, inverse }) =>
      [inverse, inverse.n64].map((of) => [
        name,
        of.dimension,
        ...[of.gigaflops, of.logDeterminantGigaflops, of.peakGigaflops].map((x) => x.toFixed(1)),
        percent(of.fractionOfPeak),
      ]),
    ),
  );
}

function synthesisTable(builds: readonly NamedBuild[]): string {
  const [{ inversion }] = builds;
  return table(
    prose`
      synthesis, one core, residual ${inversion.tolerance} | N | Newton: iterations | µs/sample |
      fixed point: iterations | µs/sample | faster
    `,
    builds.map(({ name, inversion: { dimension, newton, fixedPoint, speedup } }) => [
      name,
      dimension,
      ...[newton, fixedPoint].flatMap(({ medianIterations, microsecondsPerSample }) => [
        medianIterations,
        microsecondsPerSample.toFixed(0),
      ]),
      `${speedup.toFixed(1)}×`,
    ]),
  );
}

function workersTable(workers: Report["workers"]): string {
  return table(
    "two workers against two processes | pool, samples/s | processes, samples/s | fraction",
    (["n64", "n256"] as const).map((name) => {
      const { samplesPerSecond, independentSamplesPerSecond, fractionOfIndependent } =
        workers[name];
      const rates = [samplesPerSecond, independentSamplesPerSecond].map(whole);
      return [name, ...rates, percent(fractionOfIndependent)];
    }),
  );
}

function supplyTable(supply: SupplyFigures): string {
  return table(
    prose`
      patch supply, 512 patches of 8×8 | ms per batch | ms per gradient step, N = 64 | share of a
      step
    `,
    [
      [
        "180 images of 481×321",
        supply.millisecondsPerBatch.toFixed(3),
        supply.millisecondsPerStep.toFixed(2),
        percent(supply.shareOfStep, 1),
      ],
    ],
  );
}

function pairsTable({ pairs, width, height, seconds, ...rates }: PairFigures): string {
  const count = thousands(pairs);
  const rate = whole(rates.gradientSamplesPerSecond);
  const rows: readonly [string, number][] = [
    [`\`fitSamples\` of ${count} pairs (gradients: ${rate} samples/s)`, seconds.fit],
    [`\`nearestNeighbourInformation\` of ${count} pairs`, seconds.nearestNeighbourInformation],
    [`\`histogramInformation\` of ${count} pairs`, seconds.histogramInformation],
    [`\`steerableBands\`, four of ${width}×${height}`, seconds.steerableBands],
  ];
  return table(
    "pairs of coefficients, one thread | seconds",
    rows.map(([name, value]) => [name, value.toFixed(2)]),
  );
}

function denoisingTable(builds: readonly NamedBuild[], { denoising, relaxed }: Report): string {
  const row = (name: string, { wall, cpu }: Seconds, ratios: readonly string[]): string[] => [
    name,
    wall.toFixed(2),
    cpu.toFixed(2),
    ...ratios,
  ];
  return table(
    prose`
      denoising, ${denoising.width}×${denoising.height} pixels, stride ${denoising.stride} | seconds
      per megapixel | CPU seconds per megapixel | plain SIMD / PyTorch | relaxed SIMD / PyTorch
    `,
    [
      ...builds.map(({ name, denoising: { secondsPerMegapixel } }) =>
        row(`${name}, 2 workers`, secondsPerMegapixel, ["–", "–"]),
      ),
      ...(["autograd", "inverse"] as const).flatMap((method) => {
        const seconds = denoising.pyTorch?.secondsPerMegapixel[method];
        const ratios = [denoising, relaxed?.denoising].map((ours) =>
          ratio(ours?.ratioToPyTorch[method] ?? null),
        );
        const name = `PyTorch, score ${method === "autograd" ? "by autograd" : "derived by hand"}`;
        return seconds ? [row(name, seconds, ratios)] : [];
      }),
    ],
  );
}

function denoisingSettings({ settings, largestDifference }: PyTorchDenoising): string {
  const best = `by autograd ${settings.autograd}; by hand ${settings.inverse}`;
  const difference = largestDifference.toExponential(1);
  return `PyTorch at its best: ${best}. Its pictures differ from ours by ${difference} at most.`;
}

export function browserTable(figures: BrowserFigures | null): string {
  if (!figures) return "The browser was not measured.\n";
  return table(
    `browser | unit | ${figures.version} | Node | Chromium / Node`,
    figures.measurements.map(({ name, unit, browser, node, ratio: fraction }) => {
      const digits = unit === "Gflop/s" ? 1 : 0;
      return [name, unit, browser.toFixed(digits), node.toFixed(digits), percent(fraction)];
    }),
  );
}

export function mpiTable(figures: MpiFigures | null): string {
  if (!figures) return "MPI was not measured.\n";
  const { fractions, exchanges, constants } = figures;
  const inMilliseconds = (seconds: number): string => `${(1000 * seconds).toFixed(1)} ms`;
  const inOrder = [...fractions].sort((a, b) => a - b);
  const quartiles = [0.25, 0.75].map((share) =>
    percent(inOrder[Math.floor(share * inOrder.length)], 1),
  );
  const [predicted, measured, best] = [
    figures.predictedSeconds,
    figures.measuredSeconds,
    figures.bestSeconds,
  ].map(inMilliseconds);
  return [
    table(
      prose`
        N = 256, batch 256 | two processes, samples/s | two ranks, samples/s | median of the
        fractions | half of them | best rounds | processes that only wait for each other
      `,
      [
        [
          "one thread each",
          whole(figures.independentSamplesPerSecond),
          whole(figures.ranksSamplesPerSecond),
          percent(figures.fractionOfIndependent, 1),
          quartiles.join(" to "),
          percent(figures.fractionOfBest, 1),
          percent(figures.fractionInStep, 1),
        ],
      ],
    ),
    table(
      "floats summed by two ranks | ms",
      exchanges.map(({ floats, milliseconds }) => [whole(floats), milliseconds.toFixed(2)]),
    ),
    `A step of two ranks: predicted ${predicted}, measured ${measured}, in the best round ${best}.`,
    "",
    ...Object.entries(constants).map(([name, value]) => `${name}: ${value.toExponential(2)},`),
    "",
  ].join("\n");
}
