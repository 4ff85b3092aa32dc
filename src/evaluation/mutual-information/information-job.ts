/** Both estimates of mutual information for many sets of pairs, each a task for a worker. */
import { checkRunner } from "../../density/batch-passes.js";
import type { FloatArray } from "../../kernels/kernels.js";
import type { Job, TaskRunner } from "../../parallel/job.js";
import { checkFields } from "../../transforms/checks.js";
import type { PairInformation } from "./groups.js";
import { type HistogramInformation, histogramInformation } from "./histogram-information.js";
import { nearestNeighbourInformation } from "./nearest-neighbour-information.js";

export interface BothInformations {
  readonly byNeighbours: PairInformation;
  readonly byHistogram: HistogramInformation;
}

export interface InformationOptions {
  /** Of {@link nearestNeighbourInformation}, default 4. */
  readonly neighbours?: number;
  /** How many consecutive pairs belong together, for each group and in all sets alike. */
  readonly groups?: readonly number[];
  readonly signal?: AbortSignal;
  /** After each set: how many are done, and all of them. */
  readonly onProgress?: (done: number, total: number) => void;
}

type Shared = Pick<InformationOptions, "neighbours" | "groups">;

export const informationJob: Job<Shared, FloatArray, BothInformations> = {
  name: "mutual information",
  open() {
    let shared: Shared = {};
    return {
      share(options) {
        shared = options;
      },
      perform(pairs) {
        const { groups } = shared;
        const result = {
          byNeighbours: nearestNeighbourInformation(pairs, shared),
          byHistogram: histogramInformation(pairs, groups && { groups }),
        };
        return { result, transfer: [] };
      },
    };
  },
};

/** In the order of the sets; the same bits for any number of workers. */
export async function pairInformations(
  runner: TaskRunner,
  sets: readonly FloatArray[],
  options: InformationOptions = {},
): Promise<BothInformations[]> {
  checkRunner(runner);
  checkFields("the options", options, ["neighbours", "groups", "signal", "onProgress"]);
  const { neighbours = 4, groups, signal, onProgress } = options;
  const inputs = sets.map((task) => ({ task, transfer: [] }));
  let done = 0;
  return runner.run(informationJob, { neighbours, ...(groups && { groups }) }, inputs, {
    ...(signal && { signal }),
    onTaskDone: () => onProgress?.(++done, sets.length),
  });
}
