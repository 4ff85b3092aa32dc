import { useJob } from "../../use-job.js";
import { type PairSource, keyOf } from "./pair-source.js";
import type { PairView } from "./view-pairs-job.js";

export interface ViewState {
  /** Of the last source that could be read, also while the next one is on its way. */
  readonly view: PairView | null;
  readonly isLoading: boolean;
  readonly problem: string | null;
}

export function usePairView(source: PairSource | null): ViewState {
  const { output, isBusy, problem } = useJob("viewPairs", source, source ? keyOf(source) : "");
  if (!source) return { view: null, isLoading: false, problem: null };
  return { view: output, isLoading: isBusy, problem };
}
