/** Gradient steps with pools of low rank and with a full γ, in samples per second of one worker. */
import { prose } from "../src/figures/report-text.js";
import type { KernelName } from "../src/kernels/kernels.js";
import type { TaskRunner } from "../src/parallel/job.js";
import { startingGdn } from "../src/transforms/gdn-start.js";
import type { Gdn } from "../src/transforms/gdn.js";
import { openRunner } from "../node/worker-threads.js";
import { uncheckedNegentropyGradient } from "../src/training/negentropy-gradient.js";
import { rateOf } from "./measure.js";
import { batchFor, layerFor } from "./problem.js";
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

interface Measured {
  readonly dimension: number;
  readonly group: "full" | "lowRank";
  readonly layer: Gdn;
  readonly x: Float32Array;
}

function measured(): readonly Measured[] {
  return Object.entries(batches).flatMap(([size, batch]) => {
    const dimension = Number(size);
    const x = batchFor({ dimension, batch });
    const { H } = layerFor({ structure: "column", dimension });
    const lowRank = startingGdn({ structure: "low-rank", dimension, rank, H });
    const ofLowRank: Measured = { dimension, group: "lowRank", layer: lowRank, x };
    if (dimension > largestFull) return [ofLowRank];
    const layer = startingGdn({ structure: "column", dimension, H });
    return [{ dimension, group: "full", layer, x } as const, ofLowRank];
  });
}

/** Measures the best of several turns. */
export async function measureLowRank(kernels: KernelName, turns: number): Promise<LowRankFigures> {
  const runner: TaskRunner = await openRunner({ kernels, workers: 1, callerWorks: true });
  const figures = { full: {} as Record<number, number>, lowRank: {} as Record<number, number> };
  const all = measured();
  for (let turn = 0; turn < turns; turn++) {
    for (const { dimension, group, layer, x } of all) {
      const step = async (): Promise<void> => {
        await uncheckedNegentropyGradient(runner, layer, x);
      };
      if (turn === 0) await step();
      const rate = (await rateOf(step, 400)) * (x.length / dimension);
      figures[group][dimension] = Math.max(figures[group][dimension] ?? 0, rate);
    }
  }
  await runner.close();
  return { kernels, rank, ...figures };
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
