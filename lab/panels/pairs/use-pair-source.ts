/** From the state of the panel, and from files that were dropped, to the source of pairs. */
import { useEffect, useState } from "preact/hooks";
import { labPhotographs, loadPhotograph } from "../../photographs.js";
import type { NamedFile, PairSource } from "./pair-source.js";
import { type PairsState, orientations } from "./pairs-settings.js";

export interface DroppedFiles {
  readonly picture: NamedFile | null;
  readonly table: NamedFile | null;
}

let lastDropped = 0;

export function namedFile(file: File): NamedFile {
  return { key: `dropped ${++lastDropped}`, file };
}

export interface SourceState {
  /** Null while a photograph is on its way, and where a file is wanted. */
  readonly source: PairSource | null;
  readonly problem: string | null;
}

export function usePairSource(state: PairsState, { picture, table }: DroppedFiles): SourceState {
  const { data, photograph, seed: number } = state;
  const [loaded, setLoaded] = useState<NamedFile | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const wants = data === "wavelets" && picture === null;
  useEffect(() => {
    const found = labPhotographs.find(({ name }) => name === photograph);
    if (!wants || !found) return undefined;
    let isCurrent = true;
    setProblem(null);
    loadPhotograph(found).then(
      (file) => {
        if (isCurrent) setLoaded({ key: photograph, file });
      },
      (error: unknown) => {
        if (isCurrent) setProblem(error instanceof Error ? error.message : String(error));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [wants, photograph]);
  const seed = String(number);
  const count = Number(state.pairs);
  if (data === "csv") return { source: table && { kind: "csv", table, seed }, problem: null };
  if (data !== "wavelets") return { source: { kind: data, count, seed }, problem: null };
  const ready = picture ?? (loaded?.key === photograph ? loaded : null);
  const orientation = orientations.indexOf(state.orientation);
  const { separation } = state;
  const source = ready && {
    ...({ kind: "wavelets", picture: ready } as const),
    ...{ orientation, separation, count, seed },
  };
  return { source, problem: wants ? problem : null };
}
