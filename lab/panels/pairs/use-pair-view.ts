import { useEffect, useState } from "preact/hooks";
import { compute } from "../../compute/compute.js";
import { type PairSource, keyOf } from "./pair-source.js";
import type { PairView } from "./view-pairs-job.js";

export interface ViewState {
  /** Of the last source that could be read, also while the next one is on its way. */
  readonly view: PairView | null;
  readonly isLoading: boolean;
  readonly problem: string | null;
}

export function usePairView(source: PairSource | null): ViewState {
  const [state, setState] = useState<ViewState>({ view: null, isLoading: false, problem: null });
  const key = source && keyOf(source);
  useEffect(() => {
    if (!source) {
      setState({ view: null, isLoading: false, problem: null });
      return undefined;
    }
    let isCurrent = true;
    setState(({ view }) => ({ view, isLoading: true, problem: null }));
    compute("viewPairs", source).then(
      (view) => {
        if (isCurrent) setState({ view, isLoading: false, problem: null });
      },
      (error: unknown) => {
        const problem = error instanceof Error ? error.message : String(error);
        if (isCurrent) setState({ view: null, isLoading: false, problem });
      },
    );
    return () => {
      isCurrent = false;
    };
    // The key says everything of the source.
  }, [key]);
  return state;
}
