/** Files that were dropped, pasted or chosen. Each chooses the pairs that it has; one that cannot be read changes nothing. */
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import { compute } from "../../compute/compute.js";
import { namedFile } from "../../named-file.js";
import { sentenceOf } from "../../sentence-of.js";
import { type OwnFiles, dataOfFile, pairSource } from "./own-files.js";
import type { DataKind, PairsState } from "./pairs-settings.js";

export interface OwnFilesOfPanel {
  readonly own: OwnFiles;
  /** Whether a file is looked at that may take the place of what is shown. */
  readonly isReading: boolean;
  readonly problem: string | null;
  readonly closeProblem: () => void;
  /** The first of them. */
  readonly take: (files: readonly File[]) => void;
  /** Back to the photographs; a file that is still read is not taken. */
  readonly leavePicture: () => void;
}

/** A file that is looked at, by the pairs that it would choose. */
interface Asked {
  readonly data: DataKind;
}

export function useOwnFiles(
  state: PairsState,
  change: (part: Partial<PairsState>) => void,
): OwnFilesOfPanel {
  const [own, setOwn] = useState<OwnFiles>({ picture: null, table: null });
  const [problem, setProblem] = useState<string | null>(null);
  const [isReading, setReading] = useState(false);
  /** The last one: those that take longer must not come back after it. */
  const last = useRef<Asked | null>(null);
  // What is asked for when a file comes, without another function whenever a slider moves.
  const now = useRef(state);
  now.current = state;
  const stopReading = useCallback(() => {
    last.current = null;
    setReading(false);
  }, []);
  const leavePicture = useCallback(() => {
    stopReading();
    setOwn((before) => ({ ...before, picture: null }));
  }, [stopReading]);
  // Whoever has gone elsewhere, by a choice or an address, is not called back by a file.
  useLayoutEffect(() => leavePicture, [state.photograph, leavePicture]);
  useLayoutEffect(() => {
    if (last.current?.data !== state.data) stopReading();
  }, [state.data, stopReading]);
  const take = useCallback(
    ([file]: readonly File[]) => {
      const data = dataOfFile(file, now.current.data);
      const part = { [data === "csv" ? "table" : "picture"]: namedFile(file) };
      const source = pairSource({ ...now.current, data }, { picture: null, table: null, ...part });
      if (!source) return;
      const asked = { data };
      last.current = asked;
      setProblem(null);
      setReading(true);
      // The worker keeps what it has read: to show it is no more work.
      compute("viewPairs", source).then(
        () => {
          if (last.current !== asked) return;
          stopReading();
          setOwn((before) => ({ ...before, ...part }));
          change({ data });
        },
        (error: unknown) => {
          if (last.current !== asked) return;
          stopReading();
          setProblem(sentenceOf(error));
        },
      );
    },
    [change, stopReading],
  );
  const closeProblem = useCallback(() => {
    setProblem(null);
  }, []);
  return { own, isReading, problem, closeProblem, take, leavePicture };
}
