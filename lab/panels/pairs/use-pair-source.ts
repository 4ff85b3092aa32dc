/** From the state of the panel, and from files of the user, to the source of pairs. */
import { usePhotograph } from "../../use-photograph.js";
import { type OwnFiles, pairSource } from "./own-files.js";
import type { PairSource } from "./pair-source.js";
import type { PairsState } from "./pairs-settings.js";

export interface SourceState {
  /** Null while a photograph is on its way, and where a file is wanted. */
  readonly source: PairSource | null;
  /** Whether a photograph is on its way. */
  readonly isLoading: boolean;
  readonly problem: string | null;
  /** After a problem. */
  readonly tryAgain: () => void;
}

export function usePairSource(state: PairsState, own: OwnFiles): SourceState {
  const wants = state.data === "wavelets" && own.picture === null;
  const { file: loaded, problem, tryAgain } = usePhotograph(wants ? state.photograph : null);
  return {
    source: pairSource(state, { ...own, picture: own.picture ?? loaded }),
    isLoading: wants && loaded === null && problem === null,
    ...{ problem, tryAgain },
  };
}
