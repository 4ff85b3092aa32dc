/**
 * npm run bench -- [--json] [--quick] [--only-browser] [--only-low-rank] [--only-estimates]
 *                  [--only-peers] [--only-memory] [--only-mpi] [--only-time-to]
 *                  [--pictures <folder>] [--no-pytorch] [--fitted-layer <file>] [--picture <file>]
 *
 * Measures speeds as ratios in one run: to the machine's multiply-add peak, to PyTorch, to
 * independent processes; or in seconds. Prints tables to stdout (one JSON object with --json) and
 * progress to stderr.
 */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import type { KernelName } from "../src/kernels/kernels.js";
import { kernelBytes, loadKernels } from "../src/kernels/load-kernels.js";
import { enableRelaxedSimd } from "../node/worker-threads.js";
import { measureBrowser } from "./browser.js";
import { type DenoisingFigures, type ScoreMethod, measureDenoising } from "./denoising.js";
import { estimatesTable, measureEstimates } from "./estimates.js";
import { fitLayer, measureInversion, readLayer } from "./inverse-iteration.js";
import { type InverseFigures, inverseFigures } from "./inverse.js";
import { type LowRankFigures, lowRankTable, measureLowRank } from "./low-rank.js";
import { measureMemory, memoryTable } from "./memory.js";
import { measureMpi } from "./mpi.js";
import { measurePairs } from "./pairs.js";
import { measureSupply } from "./patch-supply.js";
import { measurePeers, peersTable } from "./peers.js";
import { type Problem, problems } from "./problem.js";
import { type Report, browserTable, formatReport, mpiTable } from "./report.js";
import { measureStartup } from "./startup.js";
import { type AllStepFigures, measureSteps, stepTable } from "./steps.js";
import {
  type TimeToFigures,
  measureTimeTo,
  timeRatioOf,
  timeToData,
  timeToTable,
} from "./time-to-fit.js";
import { type WorkerFigures, measureWorkers } from "./workers.js";

const { values: flags } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    /** Measures only Chromium and Node. */
    "only-browser": { type: "boolean", default: false },
    /** Measures only pools of low rank and a full γ. */
    "only-low-rank": { type: "boolean", default: false },
    /** Measures only steps without inverses: probe gradients and closed forms. */
    "only-estimates": { type: "boolean", default: false },
    /** Measures only gradient steps and inverses of other programs: PyTorch, jax-js and C. */
    "only-peers": { type: "boolean", default: false },
    /** Measures only the memory of fits to few and to many images. */
    "only-memory": { type: "boolean", default: false },
    /** Measures only MPI, and the constants of docs/scaling.md. */
    "only-mpi": { type: "boolean", default: false },
    /** Measures only the time to a given ΔJ, with exact and estimated gradients and low rank. */
    "only-time-to": { type: "boolean", default: false },
    /** A folder with the Kodak set, for the time to a given ΔJ. */
    pictures: { type: "string" },
    "no-pytorch": { type: "boolean", default: false },
    /** A model file whose GDN is inverted; by default one is fitted. */
    "fitted-layer": { type: "string" },
    /** A picture to denoise (its centre); by default a photograph of the package. */
    picture: { type: "string" },
  },
});
const haste = flags.quick ? 0.25 : 1;
const say = (text: string): void => void process.stderr.write(`bench: ${text}\n`);

if (flags["only-memory"]) {
  print(await measureMemory(say), memoryTable);
  process.exit();
}
enableRelaxedSimd();
const hasRelaxed = WebAssembly.validate(await kernelBytes("relaxed-simd"));
if (!hasRelaxed) say("this engine has no relaxed SIMD: skipped");

if (flags["only-low-rank"]) {
  print(await lowRankOf(), lowRankTable);
  process.exit();
}
if (flags["only-peers"]) {
  const steps = await stepsOf();
  const { plain: step, pyTorch } = steps;
  const peers = await measurePeers(haste, say);
  print({ step, pyTorch, peers }, () => `${stepTable(steps)}\n${peersTable(peers)}`);
  process.exit();
}
if (flags["only-estimates"]) {
  print(await measureEstimates(Math.ceil(8 * haste)), estimatesTable);
  process.exit();
}
if (flags["only-time-to"]) {
  const timeTo = await timeToOf();
  print({ probes: { timeRatio: timeRatioOf(timeTo) }, timeTo }, () => timeToTable(timeTo));
  process.exit();
}
if (flags["only-mpi"]) {
  print(await measureMpi(flags.quick ? 10 : 40, flags.quick ? 20 : 60, say), mpiTable);
  process.exit();
}
const browser = await measureBrowser(flags.quick ? 2 : 4, say);
if (flags["only-browser"]) {
  print(browser, browserTable);
  process.exit();
}
const startup = measureStartup();
const inverse = await inverseOf("simd");
const relaxedInverse = hasRelaxed ? await inverseOf("relaxed-simd") : null;
const inversion = await inversionOf(["simd", ...(hasRelaxed ? ["relaxed-simd" as const] : [])]);
const { plain, relaxed, pyTorch } = await stepsOf();
const peers = await measurePeers(haste, say);
const workers = { n64: await workersOf(problems[0]), n256: await workersOf(problems[1]) };
say("patch supply against a step, n64");
const supply = await measureSupply(problems[0], 5000 * haste);
const lowRank = await lowRankOf();
say("steps without inverses");
const estimates = await measureEstimates(Math.ceil(8 * haste));
if (flags.pictures === undefined) {
  say(
    "time to a given ΔJ: skipped, since it takes half an hour; --pictures names a folder with Kodak",
  );
}
const timeTo = flags.pictures === undefined ? null : await timeToOf();
say("pairs of coefficients");
const pairs = await measurePairs({ kernels: "simd", turns: Math.ceil(4 * haste) });
const denoised = await measureDenoising(
  {
    builds: ["simd", ...(hasRelaxed ? ["relaxed-simd" as const] : [])],
    turns: Math.ceil(6 * haste),
    picture: flags.picture,
    withPyTorch: !flags["no-pytorch"],
  },
  say,
);

const report: Report = {
  date: new Date().toISOString().slice(0, 10),
  cpu: `${cpus()[0].model}, ${cpus().length} cores`,
  node: process.version,
  startup,
  inverse,
  inversion: inversion[0],
  step: plain,
  pyTorch,
  peers,
  workers: {
    fractionOfIndependent: Math.min(
      workers.n64.fractionOfIndependent,
      workers.n256.fractionOfIndependent,
    ),
    ...workers,
  },
  supply,
  lowRank,
  probes: { ...estimates.probes, timeRatio: timeTo && timeRatioOf(timeTo) },
  rankOne: estimates.rankOne,
  timeTo,
  pairs,
  browser,
  denoising: {
    width: denoised.width,
    height: denoised.height,
    stride: denoised.stride,
    ...denoisingOf(denoised, "simd"),
    pyTorch: denoised.pyTorch,
  },
  relaxed: relaxed &&
    relaxedInverse && {
      inverse: relaxedInverse,
      inversion: inversion[1],
      step: relaxed,
      denoising: denoisingOf(denoised, "relaxed-simd"),
    },
};
print(report, formatReport);

function print<Figures>(figures: Figures, asText: (figures: Figures) => string): void {
  process.stdout.write(flags.json ? `${JSON.stringify(figures, null, 2)}\n` : asText(figures));
}

async function inverseOf(name: KernelName): Promise<InverseFigures & { n64: InverseFigures }> {
  say(`inverse, ${name}`);
  const n64 = await inverseFigures(name, 64, 2500 * haste);
  return { ...(await inverseFigures(name, 256, 5000 * haste)), n64 };
}

/** Figures of each build, on one fitted layer. */
async function inversionOf(names: readonly KernelName[]) {
  const file = flags["fitted-layer"];
  say(file === undefined ? "fitting a layer to invert, N = 256" : `reading ${file}`);
  const layer = file === undefined ? await fitLayer(Math.ceil(400 * haste)) : await readLayer(file);
  const loaded = await Promise.all(names.map((kernels) => loadKernels({ kernels })));
  return loaded.map(({ kernels }) => {
    say(`Newton's method against the fixed point, ${kernels.name}`);
    return measureInversion(kernels, layer, 6000 * haste);
  });
}

async function lowRankOf(): Promise<LowRankFigures[]> {
  const figures: LowRankFigures[] = [];
  for (const name of ["simd", ...(hasRelaxed ? ["relaxed-simd" as const] : [])] as const) {
    say(`pools of low rank, ${name}`);
    figures.push(await measureLowRank(name, Math.ceil(6 * haste)));
  }
  return figures;
}

async function timeToOf(): Promise<TimeToFigures> {
  const data = await timeToData(flags.pictures);
  return measureTimeTo(data, { withPyTorch: !flags["no-pytorch"] }, say);
}

function stepsOf(): Promise<AllStepFigures> {
  return measureSteps({ hasRelaxed, withPyTorch: !flags["no-pytorch"], haste }, say);
}

function workersOf(problem: Problem): Promise<WorkerFigures> {
  say(`two workers against two processes, ${problem.name}`);
  return measureWorkers(problem, Math.ceil(24 * haste));
}

/** Seconds of one build, and its speed relative to both methods in PyTorch. */
function denoisingOf(
  { secondsPerMegapixel: seconds, pyTorch: peer }: DenoisingFigures,
  name: KernelName,
) {
  const ours = seconds[name] ?? { wall: NaN, cpu: NaN };
  const ratioTo = (method: ScoreMethod): number | null =>
    peer && peer.secondsPerMegapixel[method].wall / ours.wall;
  return {
    secondsPerMegapixel: ours,
    ratioToPyTorch: { autograd: ratioTo("autograd"), inverse: ratioTo("inverse") },
  };
}
