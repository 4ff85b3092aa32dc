import { thousands } from "../src/numbers/format-number.js";
import type { BrowserFigures } from "./browser.js";
import type { DenoisingFigures, ScoreMethod, Seconds } from "./denoising.js";
import type { InversionFigures } from "./inverse-iteration.js";
import type { InverseFigures } from "./inverse.js";
import { type LowRankFigures, lowRankTable } from "./low-rank.js";
import type { MpiFigures } from "./mpi.js";
import type { PairFigures } from "./pairs.js";
import type { SupplyFigures } from "./patch-supply.js";
import type { PyTorchFigures } from "./pytorch.js";
import type { StartupFigures } from "./startup.js";
import type { WorkerFigures } from "./workers.js";

export interface StepFigures {
  /** Samples per second by problem. */
  readonly oneWorker: Record<string, number>;
  readonly twoWorkers: Record<string, number>;
  /** Two workers against PyTorch at its best; null where torch is missing. */
  readonly ratioToPyTorch: Record<string, number | null>;
}

/** Figures that each build of the kernels has. */
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
  readonly pairs: PairFigures;
  readonly browser: BrowserFigures | null;
  readonly denoising: BuildFigures["denoising"] &
    Pick<DenoisingFigures, "width" | "height" | "stride" | "pyTorch">;
  /** Null where the engine has no relaxed SIMD. */
  readonly relaxed: BuildFigures | null;
}

/** The figures as Markdown tables, as they stand in docs/performance.md. */
export function formatReport(report: Report): string {
  const {
    startup,
    inverse,
    inversion,
    step,
    pyTorch,
    workers,
    supply,
    pairs,
    lowRank,
    denoising,
    relaxed,
  } = report;
  const number = (value: number): string => thousands(Math.round(value));
  const ratio = (value: number | null): string => (value === null ? "–" : `${value.toFixed(2)}×`);
  const percent = (value: number): string => `${(100 * value).toFixed(0)} %`;
  const lines = [
    `${report.date}, ${report.cpu}, Node ${report.node}, ${startup.compiler}`,
    "",
    `Kernels: ${number(startup.kernelBytes.simd)} bytes plain, ${number(startup.kernelBytes.relaxedSimd)} relaxed; ready after ${startup.kernelsReadyInMilliseconds.toFixed(0)} ms.`,
    "",
    "| inverse + log-det, one core | N | Gflop/s | log-det alone | multiply-add peak | of peak |",
    "| --- | --- | --- | --- | --- | --- |",
  ];
  const builds = [
    { name: "plain SIMD", inverse, inversion, step, denoising },
    ...(relaxed ? [{ name: "relaxed SIMD", ...relaxed }] : []),
  ];
  for (const build of builds) {
    for (const f of [build.inverse, build.inverse.n64]) {
      const figures = [f.gigaflops, f.logDeterminantGigaflops, f.peakGigaflops];
      lines.push(
        `| ${build.name} | ${f.dimension} | ${figures.map((value) => value.toFixed(1)).join(" | ")} | ${percent(f.fractionOfPeak)} |`,
      );
    }
  }
  lines.push(
    "",
    `| synthesis, one core, residual ${inversion.tolerance} | N | Newton: iterations | µs/sample | fixed point: iterations | µs/sample | faster |`,
    "| --- | --- | --- | --- | --- | --- | --- |",
  );
  for (const build of builds) {
    const { dimension, newton, fixedPoint, speedup } = build.inversion;
    const figures = [newton, fixedPoint].map(
      (method) => `${method.medianIterations} | ${method.microsecondsPerSample.toFixed(0)}`,
    );
    lines.push(
      `| ${build.name} | ${dimension} | ${figures.join(" | ")} | ${speedup.toFixed(1)}× |`,
    );
  }
  lines.push(
    "",
    "| gradient step, samples/s | build | 1 worker | 2 workers | PyTorch | 2 workers / PyTorch |",
    "| --- | --- | --- | --- | --- | --- |",
  );
  for (const [name, oneWorker] of Object.entries(step.oneWorker)) {
    for (const build of builds) {
      const peer = pyTorch ? number(pyTorch.samplesPerSecond[name]) : "–";
      const one = build.step.oneWorker[name] ?? oneWorker;
      lines.push(
        `| ${name} | ${build.name} | ${number(one)} | ${number(build.step.twoWorkers[name])} | ${peer} | ${ratio(build.step.ratioToPyTorch[name])} |`,
      );
    }
  }
  lines.push(
    "",
    pyTorch
      ? `PyTorch ${pyTorch.version} at its best: ${Object.entries(pyTorch.settings)
          .map(([name, setting]) => `${name} ${setting}`)
          .join("; ")}.`
      : "PyTorch was not measured.",
    "",
    "| two workers against two processes | pool, samples/s | processes, samples/s | fraction |",
    "| --- | --- | --- | --- |",
  );
  for (const name of ["n64", "n256"] as const) {
    const figures = workers[name];
    lines.push(
      `| ${name} | ${number(figures.samplesPerSecond)} | ${number(figures.independentSamplesPerSecond)} | ${percent(figures.fractionOfIndependent)} |`,
    );
  }
  lines.push(
    "",
    lowRankTable(lowRank),
    "| patch supply, 512 patches of 8×8 | ms per batch | ms per gradient step, N = 64 | share of a step |",
    "| --- | --- | --- | --- |",
    `| 180 images of 481×321 | ${supply.millisecondsPerBatch.toFixed(3)} | ${supply.millisecondsPerStep.toFixed(2)} | ${(100 * supply.shareOfStep).toFixed(1)} % |`,
    "",
    `| pairs of coefficients, one thread | seconds |`,
    "| --- | --- |",
    ...pairRows(pairs),
    "",
    `| denoising, ${denoising.width}×${denoising.height} pixels, stride ${denoising.stride} | seconds per megapixel | CPU seconds per megapixel | plain SIMD / PyTorch | relaxed SIMD / PyTorch |`,
    "| --- | --- | --- | --- | --- |",
  );
  const theirs = denoising.pyTorch;
  const denoisers = [
    ...builds.map(({ name, denoising: { secondsPerMegapixel } }) => ({
      name: `${name}, 2 workers`,
      seconds: secondsPerMegapixel,
      ratios: "– | –",
    })),
    ...(["autograd", "inverse"] as const).flatMap((method) => {
      const seconds = theirs?.secondsPerMegapixel[method];
      const [plain, other] = [denoising, relaxed?.denoising].map((ours) =>
        ratio(ours?.ratioToPyTorch[method] ?? null),
      );
      const name = `PyTorch, score ${method === "autograd" ? "by autograd" : "derived by hand"}`;
      return seconds ? [{ name, seconds, ratios: `${plain} | ${other}` }] : [];
    }),
  ];
  for (const { name, seconds, ratios } of denoisers) {
    lines.push(`| ${name} | ${seconds.wall.toFixed(2)} | ${seconds.cpu.toFixed(2)} | ${ratios} |`);
  }
  lines.push(
    "",
    theirs
      ? `PyTorch at its best: by autograd ${theirs.settings.autograd}; by hand ${theirs.settings.inverse}. Its pictures differ from ours by ${theirs.largestDifference.toExponential(1)} at most.`
      : "PyTorch was not measured.",
  );
  return `${lines.join("\n")}\n\n${browserTable(report.browser)}`;
}

export function browserTable(figures: BrowserFigures | null): string {
  if (!figures) return "The browser was not measured.\n";
  const rows = figures.measurements.map(({ name, unit, browser, node, ratio }) => {
    const digits = unit === "Gflop/s" ? 1 : 0;
    return `| ${name} | ${unit} | ${browser.toFixed(digits)} | ${node.toFixed(digits)} | ${(100 * ratio).toFixed(0)} % |`;
  });
  return [
    `| browser | unit | ${figures.version} | Node | Chromium / Node |`,
    "| --- | --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

export function mpiTable(figures: MpiFigures | null): string {
  if (!figures) return "MPI was not measured.\n";
  const { fractions, exchanges, constants } = figures;
  const number = (value: number): string => thousands(Math.round(value));
  const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
  const inMilliseconds = (seconds: number): string => `${(1000 * seconds).toFixed(1)} ms`;
  const inOrder = [...fractions].sort((a, b) => a - b);
  const quartiles = [0.25, 0.75].map((share) =>
    percent(inOrder[Math.floor(share * inOrder.length)]),
  );
  return [
    "| N = 256, batch 256 | two processes, samples/s | two ranks, samples/s | median of the fractions | half of them | best rounds | processes that only wait for each other |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    `| one thread each | ${number(figures.independentSamplesPerSecond)} | ${number(figures.ranksSamplesPerSecond)} | ${percent(figures.fractionOfIndependent)} | ${quartiles.join(" to ")} | ${percent(figures.fractionOfBest)} | ${percent(figures.fractionInStep)} |`,
    "",
    "| floats summed by two ranks | ms |",
    "| --- | --- |",
    ...exchanges.map(
      ({ floats, milliseconds }) => `| ${number(floats)} | ${milliseconds.toFixed(2)} |`,
    ),
    "",
    `A step of two ranks: predicted ${inMilliseconds(figures.predictedSeconds)}, measured ${inMilliseconds(figures.measuredSeconds)}, in the best round ${inMilliseconds(figures.bestSeconds)}.`,
    "",
    ...Object.entries(constants).map(([name, value]) => `${name}: ${value.toExponential(2)},`),
    "",
  ].join("\n");
}

function pairRows({ pairs, width, height, seconds, gradientSamplesPerSecond }: PairFigures) {
  const count = thousands(pairs);
  const rate = thousands(Math.round(gradientSamplesPerSecond));
  const rows: readonly [string, number][] = [
    [`\`fitSamples\` of ${count} pairs (gradients: ${rate} samples/s)`, seconds.fit],
    [`\`nearestNeighbourInformation\` of ${count} pairs`, seconds.nearestNeighbourInformation],
    [`\`histogramInformation\` of ${count} pairs`, seconds.histogramInformation],
    [`\`steerableBands\`, four of ${width}×${height}`, seconds.steerableBands],
  ];
  return rows.map(([name, value]) => `| ${name} | ${value.toFixed(2)} |`);
}
