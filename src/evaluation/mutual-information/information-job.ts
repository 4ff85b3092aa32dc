/** Both estimates of mutual information for many sets of pairs, one task for each set. */
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
  /** k of {@link nearestNeighbourInformation}, default 4. */
  readonly neighbours?: number;
  /** Sizes of groups of consecutive pairs that come from one image, the same in all sets. */
  readonly groups?: readonly number[];
  readonly signal?: AbortSignal;
  /** Receives, after each set, the number of sets done and of all sets. */
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

/** Returns the estimates in the order of the sets, bit-identical for any number of workers. */
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
