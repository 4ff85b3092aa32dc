/** Gradient steps with pools of low rank and with a full γ, in samples per second of one worker. */
import { prose } from "../src/figures/report-text.js";
import type { KernelName } from "../src/kernels/kernels.js";
import { startingGdn } from "../src/transforms/gdn-start.js";
import { openRunner } from "../node/worker-threads.js";
import { batchFor, layerFor } from "./problem.js";
import { type Step, bestRates } from "./step-rate.js";
import { table, whole } from "./table.js";

export interface LowRankFigures {
  readonly kernels: KernelName;
  readonly rank: number;
  /** Samples per second by N; without a full γ if a step would take seconds. */
  readonly full: Readonly<Record<number, number>>;
  readonly lowRank: Readonly<Record<number, number>>;
}

const rank = 16;
/** Larger for large N, where the inverse of H, once per step, would dominate the cost. */
const batches: Readonly<Record<number, number>> = { 64: 512, 256: 512, 1024: 1024 };
const largestFull = 256;

/** Steps by group and N, such as "lowRank 256". */
function stepsOf(): Readonly<Record<string, Step>> {
  const all = Object.entries(batches).flatMap(([size, batch]): [string, Step][] => {
    const dimension = Number(size);
    const x = batchFor({ dimension, batch });
    const { H } = layerFor({ structure: "column", dimension });
    const lowRank = startingGdn({ structure: "low-rank", dimension, rank, H });
    const ofLowRank: [string, Step] = [`lowRank ${dimension}`, { layer: lowRank, x }];
    if (dimension > largestFull) return [ofLowRank];
    const layer = startingGdn({ structure: "column", dimension, H });
    return [[`full ${dimension}`, { layer, x }], ofLowRank];
  });
  return Object.fromEntries(all);
}

/** Measures the best of several turns. */
export async function measureLowRank(kernels: KernelName, turns: number): Promise<LowRankFigures> {
  const runner = await openRunner({ kernels, workers: 1, callerWorks: true });
  const rates = await bestRates(runner, turns, stepsOf());
  await runner.close();
  return { kernels, rank, full: ratesOf("full", rates), lowRank: ratesOf("lowRank", rates) };
}

/** Rates of one group, by N. */
function ratesOf(
  group: "full" | "lowRank",
  rates: Readonly<Record<string, number>>,
): Record<number, number> {
  const own = Object.entries(rates).filter(([name]) => name.startsWith(`${group} `));
  return Object.fromEntries(own.map(([name, rate]) => [Number(name.split(" ")[1]), rate]));
}

export function lowRankTable(all: readonly LowRankFigures[]): string {
  return table(
    prose`
      gradient step, samples/s, 1 worker | N | full γ | low rank | faster | cost of a sample, N =
      256: 1 | R
    `,
    all.flatMap(({ kernels, rank: R, full, lowRank }) =>
      Object.entries(lowRank).map(([n, rate]) => {
        const fullRate = full[Number(n)];
        const faster = fullRate ? `${(rate / fullRate).toFixed(1)}×` : "–";
        const cost = `${(lowRank[256] / rate).toFixed(2)}×`;
        return [kernels, n, fullRate ? whole(fullRate) : "–", whole(rate), faster, cost, R];
      }),
    ),
  );
}
