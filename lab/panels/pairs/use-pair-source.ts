/** From the state of the panel, and from files that were dropped, to the source of pairs. */
import type { NamedFile } from "../../named-file.js";
import { usePhotograph } from "../../use-photograph.js";
import type { PairSource } from "./pair-source.js";
import { type PairsState, orientations } from "./pairs-settings.js";

export interface DroppedFiles {
  readonly picture: NamedFile | null;
  readonly table: NamedFile | null;
}

export interface SourceState {
  /** Null while a photograph is on its way, and where a file is wanted. */
  readonly source: PairSource | null;
  readonly problem: string | null;
}

export function usePairSource(state: PairsState, { picture, table }: DroppedFiles): SourceState {
  const { data, photograph, seed: number } = state;
  const wants = data === "wavelets" && picture === null;
  const { file: loaded, problem } = usePhotograph(wants ? photograph : null);
  const seed = String(number);
  const count = Number(state.pairs);
  if (data === "csv") return { source: table && { kind: "csv", table, seed }, problem: null };
  if (data !== "wavelets") return { source: { kind: data, count, seed }, problem: null };
  const ready = picture ?? loaded;
  const orientation = orientations.indexOf(state.orientation);
  const { separation } = state;
  const source = ready && {
    ...({ kind: "wavelets", picture: ready } as const),
    ...{ orientation, separation, count, seed },
  };
  return { source, problem };
}
