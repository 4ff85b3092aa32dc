import { useJob } from "../../use-job.js";
import { keyOf } from "./pair-source.js";
import type { SourceState } from "./use-pair-source.js";
import type { PairView } from "./view-pairs-job.js";

export interface ViewState {
  /** Of the last source that could be read, also while the next one is on its way. */
  readonly view: PairView | null;
  readonly isLoading: boolean;
  readonly problem: string | null;
}

export function usePairView({ source, isLoading }: SourceState): ViewState {
  const { output, isOld, problem } = useJob("viewPairs", source, source ? keyOf(source) : "");
  if (isLoading) return { view: output, isLoading, problem: null };
  if (!source) return { view: null, isLoading, problem: null };
  return { view: output, isLoading: isOld && problem === null, problem };
}
