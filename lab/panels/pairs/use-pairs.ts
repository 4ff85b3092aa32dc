/** Hooks for the pairs of the panel: from its settings and from dropped files. */
import { useCallback, useLayoutEffect, useRef } from "preact/hooks";
import { compute } from "../../compute/compute.js";
import { type NamedFile, isPicture, isTable, namedFile } from "../../named-file.js";
import { useDropped } from "../../use-dropped.js";
import { usePhotograph } from "../../use-photograph.js";
import { useJob } from "../../use-task.js";
import { type Cloud, fewestDrawn } from "./drawn-cloud.js";
import type { PairSource } from "./pair-source.js";
import { type DataKind, type PairsState, orientations } from "./pairs-settings.js";

interface OwnFiles {
  readonly picture: NamedFile | null;
  readonly table: NamedFile | null;
}

const noFiles: OwnFiles = { picture: null, table: null };
/** One place for all files: only the last dropped file counts. */
const place = "pairs";

/**
 * Reads dropped files; `take` reads the first one, and switches the panel to its kind of pairs.
 * `leavePicture` returns to the photographs, and discards a file that is still being read.
 */
export function useOwnFiles(state: PairsState, change: (part: Partial<PairsState>) => void) {
  const dropped = useDropped(noFiles);
  const { take: read, discard, change: changeHeld } = dropped;
  /** Kind of pairs of the last file. */
  const asked = useRef<DataKind | null>(null);
  // Gives `take` the current state without a new function for each change.
  const now = useRef(state);
  now.current = state;
  const leavePicture = useCallback(() => {
    discard(place);
    changeHeld((before) => ({ ...before, picture: null }));
  }, []);
  // A later choice, by menu or address, wins over a file that is still being read.
  useLayoutEffect(() => leavePicture, [state.photograph]);
  useLayoutEffect(() => {
    if (asked.current !== state.data) discard(place);
  }, [state.data]);
  const take = useCallback(
    ([file]: readonly File[]) => {
      const data = dataOfFile(file, now.current.data);
      const part = { [data === "csv" ? "table" : "picture"]: namedFile(file) };
      const source = sourceOf({ ...now.current, data }, { ...noFiles, ...part }, []);
      if (!source) return;
      asked.current = data;
      const readPairs = async () => {
        // The worker keeps the result, so showing it costs nothing more.
        await compute("viewPairs", source);
        return (before: OwnFiles) => ({ ...before, ...part });
      };
      const onTaken = (): void => {
        change({ data });
      };
      read([{ file, place, read: readPairs, onTaken }]);
    },
    [change],
  );
  return { ...dropped, take, leavePicture };
}

/** A file of unknown type counts as the current kind of data. */
function dataOfFile(file: File, now: DataKind): "wavelets" | "csv" {
  if (isPicture(file)) return "wavelets";
  return isTable(file) || now === "csv" ? "csv" : "wavelets";
}

/** Returns the source of the pairs; null if its file or points are missing. */
function sourceOf(
  state: PairsState,
  { picture, table }: OwnFiles,
  drawn: Cloud,
): PairSource | null {
  const { data: kind, separation } = state;
  const seed = String(state.seed);
  const count = Number(state.pairs);
  if (kind === "csv") return table && { kind, table, seed };
  if (kind === "drawn")
    return drawn.length < 2 * fewestDrawn ? null : { kind, points: drawn, seed };
  if (kind !== "wavelets") return { kind, count, seed };
  const orientation = orientations.indexOf(state.orientation);
  return picture && { kind, picture, orientation, separation, count, seed };
}

export function usePairs(state: PairsState, own: OwnFiles, drawn: Cloud) {
  const wantsPhotograph = state.data === "wavelets" && own.picture === null;
  const photograph = usePhotograph(wantsPhotograph ? state.photograph : null);
  const source = sourceOf(state, { ...own, picture: own.picture ?? photograph.file }, drawn);
  const viewed = useJob("viewPairs", source);
  const isDownloading = wantsPhotograph && !photograph.file && photograph.problem === null;
  const isComputing = source !== null && viewed.isOld && viewed.problem === null;
  return {
    /** Null while a photograph loads, or if a file is missing. */
    source,
    /** The last pairs; they stay while the next ones load. */
    view: source || isDownloading ? viewed.output : null,
    isLoading: isDownloading || isComputing,
    problem: photograph.problem ?? viewed.problem,
    /** Null if trying again cannot help. */
    tryAgain: photograph.problem === null ? null : photograph.tryAgain,
  };
}
