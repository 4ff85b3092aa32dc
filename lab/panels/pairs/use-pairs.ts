/** The pairs of the panel, from its state and from files of the user. */
import { useCallback, useLayoutEffect, useRef } from "preact/hooks";
import { compute } from "../../compute/compute.js";
import { type NamedFile, isPicture, isTable, namedFile } from "../../named-file.js";
import { type Dropped, useDropped } from "../../use-dropped.js";
import { usePhotograph } from "../../use-photograph.js";
import { useJob } from "../../use-task.js";
import type { PairSource } from "./pair-source.js";
import { type DataKind, type PairsState, orientations } from "./pairs-settings.js";
import type { PairView } from "./view-pairs-job.js";

export interface OwnFiles {
  readonly picture: NamedFile | null;
  readonly table: NamedFile | null;
}

export interface OwnFilesOfPanel extends Pick<
  Dropped<OwnFiles>,
  "held" | "reading" | "problems" | "closeProblem"
> {
  /** Reads the first of them. */
  readonly take: (files: readonly File[]) => void;
  /** Back to the photographs; a file that is still read is not taken. */
  readonly leavePicture: () => void;
}

const noFiles: OwnFiles = { picture: null, table: null };
/** Whatever it is, only the last file that was dropped is wanted. */
const place = "pairs";

/** Each file chooses the pairs that it has. */
export function useOwnFiles(
  state: PairsState,
  change: (part: Partial<PairsState>) => void,
): OwnFilesOfPanel {
  const dropped = useDropped(noFiles);
  const { take: read, discard, change: changeHeld } = dropped;
  /** The pairs of the last file. */
  const asked = useRef<DataKind | null>(null);
  // The state when a file comes, without another function whenever a slider moves.
  const now = useRef(state);
  now.current = state;
  const leavePicture = useCallback(() => {
    discard(place);
    changeHeld((before) => ({ ...before, picture: null }));
  }, []);
  // Whoever has gone elsewhere, by a choice or an address, is not called back by a file.
  useLayoutEffect(() => leavePicture, [state.photograph]);
  useLayoutEffect(() => {
    if (asked.current !== state.data) discard(place);
  }, [state.data]);
  const take = useCallback(
    ([file]: readonly File[]) => {
      const data = dataOfFile(file, now.current.data);
      const part = { [data === "csv" ? "table" : "picture"]: namedFile(file) };
      const source = sourceOf({ ...now.current, data }, { ...noFiles, ...part });
      if (!source) return;
      asked.current = data;
      const readPairs = async () => {
        // The worker keeps what it has read: to show it is no more work.
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

/** A file that says nothing of itself is what the panel has at the moment. */
function dataOfFile(file: File, now: DataKind): "wavelets" | "csv" {
  if (isPicture(file)) return "wavelets";
  return isTable(file) || now === "csv" ? "csv" : "wavelets";
}

/** Returns the source of the pairs of a state; null where it needs a file that is not there. */
function sourceOf(state: PairsState, { picture, table }: OwnFiles): PairSource | null {
  const { data: kind, separation } = state;
  const seed = String(state.seed);
  const count = Number(state.pairs);
  if (kind === "csv") return table && { kind, table, seed };
  if (kind !== "wavelets") return { kind, count, seed };
  const orientation = orientations.indexOf(state.orientation);
  return picture && { kind, picture, orientation, separation, count, seed };
}

export interface PairsOfPanel {
  /** Null while a photograph is on its way, and where a file is wanted. */
  readonly source: PairSource | null;
  /** The last pairs that could be read, also while the next ones are on their way. */
  readonly view: PairView | null;
  readonly isLoading: boolean;
  readonly problem: string | null;
  /** Null where trying again is of no use. */
  readonly tryAgain: (() => void) | null;
}

export function usePairs(state: PairsState, own: OwnFiles): PairsOfPanel {
  const wantsPhotograph = state.data === "wavelets" && own.picture === null;
  const photograph = usePhotograph(wantsPhotograph ? state.photograph : null);
  const source = sourceOf(state, { ...own, picture: own.picture ?? photograph.file });
  const viewed = useJob("viewPairs", source);
  const isOnItsWay = wantsPhotograph && !photograph.file && photograph.problem === null;
  const isRead = source !== null && viewed.isOld && viewed.problem === null;
  return {
    source,
    view: source || isOnItsWay ? viewed.output : null,
    isLoading: isOnItsWay || isRead,
    problem: photograph.problem ?? viewed.problem,
    tryAgain: photograph.problem === null ? null : photograph.tryAgain,
  };
}
