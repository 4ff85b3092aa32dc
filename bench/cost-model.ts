/**
 * The time of a step of a fit on many machines (docs/scaling.md):
 *
 *   t = s (a₂ N² + a₃ N³) + t_sum + c₂ N² + c₃ N³,
 *   t_sum = (2 B + b) (P − 1)/(P w) + 3 (P − 1 + log₂ P) λ
 *
 *   symbol  variable                   meaning
 *   P       ranks                      processes, one on each node
 *   s       samplesOfThread            samples that the busiest thread of the busiest rank computes
 *   N       dimension                  components of a patch
 *   a₂, a₃  secondsPerSampleAnd…       products with H and γ; the elimination
 *   c₂, c₃  serialSecondsPer…          the serial work of every rank: the optimiser; H⁻¹ and
 *                                      K = H W⁻¹
 *   B       bytesOfSums                gradient sums: 4 bytes for each of 2 N² + 3 N numbers, sent
 *                                      as slices and sent back as sums
 *   b       bytesOfSamples             40 for each sample of the batch
 *   w, λ    bytesPerSecond, latency…   of the network
 *
 * A structure with γ = diag(g) + U Vᵀ of rank R has N² + N (2 R + 1) + 3 N numbers, and a sample
 * costs b₂ N² + b_R N R².
 */
import { sharesOf } from "../src/density/ranked-passes.js";
import { prose } from "../src/figures/report-text.js";
import { thousands } from "../src/numbers/format-number.js";
import { table } from "./table.js";

/** Constants of the model, measured by `bench --only-mpi`. */
export interface CostConstants {
  readonly secondsPerSampleAndSquare: number;
  readonly secondsPerSampleAndCube: number;
  /** For a pool of low rank: products with H, and the work proportional to N R². */
  readonly lowRankSecondsPerSampleAndSquare: number;
  readonly lowRankSecondsPerSampleAndRank: number;
  readonly serialSecondsPerSquare: number;
  readonly serialSecondsPerCube: number;
  /** Between two processes of this machine. */
  readonly latencyHere: number;
  readonly bandwidthHere: number;
}

export interface Cluster {
  readonly ranks: number;
  /** Threads of each rank. */
  readonly threads: number;
  readonly latencyInSeconds: number;
  readonly bytesPerSecond: number;
}

export interface CostProblem {
  readonly dimension: number;
  /** Samples of a step over all ranks. */
  readonly batch: number;
  /** Rank R of γ = diag(g) + U Vᵀ; undefined for a full γ. */
  readonly rank?: number;
}

export interface PredictedStep {
  readonly computeSeconds: number;
  readonly sumSeconds: number;
  readonly serialSeconds: number;
  readonly seconds: number;
  readonly samplesPerSecond: number;
  /** Share of the time that all threads spend on samples. */
  readonly efficiency: number;
}

export function predictedStep(
  constants: CostConstants,
  work: CostProblem & Cluster,
): PredictedStep {
  const { batch, ranks, threads, latencyInSeconds, bytesPerSecond } = work;
  const ofSample = secondsOfSample(constants, work);
  const computeSeconds = samplesOfThread(work) * ofSample;
  // An exchange, a gathering and a stop flag from each rank, each after a barrier.
  const messages = 3 * (ranks - 1 + Math.log2(ranks));
  const sumSeconds = bytesSent(work, ranks) / bytesPerSecond + messages * latencyInSeconds;
  const { serialSecondsPerSquare, serialSecondsPerCube } = constants;
  const n = work.dimension;
  const serialSeconds = serialSecondsPerSquare * n ** 2 + serialSecondsPerCube * n ** 3;
  const seconds = computeSeconds + sumSeconds + serialSeconds;
  return {
    computeSeconds,
    sumSeconds,
    serialSeconds,
    seconds,
    samplesPerSecond: batch / seconds,
    efficiency: (batch * ofSample) / (ranks * threads) / seconds,
  };
}

/** Seconds per sample of one thread. */
export function secondsOfSample(
  constants: CostConstants,
  { dimension: n, rank }: CostProblem,
): number {
  if (rank === undefined) {
    const { secondsPerSampleAndSquare: square, secondsPerSampleAndCube: cube } = constants;
    return square * n ** 2 + cube * n ** 3;
  }
  const { lowRankSecondsPerSampleAndSquare: square, lowRankSecondsPerSampleAndRank } = constants;
  return square * n ** 2 + lowRankSecondsPerSampleAndRank * n * rank ** 2;
}

/** Bytes that each rank sends in a step, without the stop flag. */
export function bytesSent(work: CostProblem, ranks: number): number {
  return ((2 * bytesOfSums(work) + bytesOfSamples(work)) * (ranks - 1)) / ranks;
}

export function bytesOfSums({ dimension: n, rank }: CostProblem): number {
  const gamma = rank === undefined ? n ** 2 : n * (2 * rank + 1);
  return 4 * (n ** 2 + gamma + 3 * n);
}

function bytesOfSamples({ batch }: CostProblem): number {
  return 40 * batch;
}

/** Leaves are indivisible: a thread without one waits. */
function samplesOfThread({ batch, ranks, threads }: CostProblem & Cluster): number {
  const { nodes, leafSize } = sharesOf(batch, ranks);
  const most = Math.max(...nodes.map(({ leaves }) => leaves));
  return Math.min(batch, leafSize * Math.ceil(most / threads));
}

/** Bandwidth and latency of Ethernet and of a network for computing. */
export const networks = [
  { name: "1 Gbit/s", bytesPerSecond: 1.25e8, latencyInSeconds: 3e-5 },
  { name: "10 Gbit/s", bytesPerSecond: 1.25e9, latencyInSeconds: 1.5e-5 },
  { name: "100 Gbit/s", bytesPerSecond: 1.25e10, latencyInSeconds: 2e-6 },
] as const;

/** Predictions for N = 256 and nodes of 32 threads, with one leaf per thread if possible. */
export const predictions: readonly (Pick<CostProblem, "batch" | "rank"> &
  Pick<Cluster, "ranks">)[] = [
  { ranks: 1, batch: 1024 },
  { ranks: 8, batch: 8192 },
  { ranks: 64, batch: 65_536 },
  { ranks: 1000, batch: 65_536 },
  { ranks: 1, batch: 1024, rank: 16 },
  { ranks: 8, batch: 8192, rank: 16 },
  { ranks: 64, batch: 65_536, rank: 16 },
];
const dimension = 256;
const threads = 32;
const patches = 1e9;

/** Rows of the table of constants of docs/scaling.md. */
export function constantsTable(constants: CostConstants): string {
  const rows: readonly (readonly [string, keyof CostConstants])[] = [
    ["a₂, seconds per sample and N²", "secondsPerSampleAndSquare"],
    ["a₃, seconds per sample and N³", "secondsPerSampleAndCube"],
    ["b₂, low rank, per sample and N²", "lowRankSecondsPerSampleAndSquare"],
    ["b_R, low rank, per sample and N R²", "lowRankSecondsPerSampleAndRank"],
    ["c₂, seconds per N²", "serialSecondsPerSquare"],
    ["c₃, seconds per N³", "serialSecondsPerCube"],
    ["λ between two processes, seconds", "latencyHere"],
    ["w between two processes, bytes per second", "bandwidthHere"],
  ];
  return rows
    .map(([label, name]) => `| ${label} | ${constants[name].toExponential(2)} |`)
    .join("\n");
}

/** The table of predictions of docs/scaling.md, as Markdown. */
export function scalingTable(constants: CostConstants): string {
  const rows = predictions.flatMap(({ rank, ...job }) =>
    (job.ranks === 1 ? networks.slice(0, 1) : networks).map((network) => {
      const { ranks, batch } = job;
      const pool = rank === undefined ? {} : { rank };
      const step = predictedStep(constants, { ...network, ...job, ...pool, threads, dimension });
      const inMilliseconds = [step.computeSeconds, step.sumSeconds, step.serialSeconds].map((t) =>
        (1000 * t).toFixed(1),
      );
      return [
        rank === undefined ? "full" : `rank ${rank}`,
        thousands(ranks),
        thousands(batch),
        ranks === 1 ? "–" : network.name,
        ...inMilliseconds,
        thousands(Math.round(step.samplesPerSecond)),
        `${(100 * step.efficiency).toFixed(0)} %`,
        durationOf(patches / step.samplesPerSecond),
      ];
    }),
  );
  return table(
    prose`
      γ | nodes | batch | network | compute, ms | sum, ms | serial, ms | patches/s | efficiency |
      10⁹ patches
    `,
    rows,
  );
}

function durationOf(seconds: number): string {
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800
    ? `${(seconds / 3600).toFixed(1)} h`
    : `${(seconds / 86_400).toFixed(1)} days`;
}
