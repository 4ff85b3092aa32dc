/** Files that were dropped, pasted or chosen. Each chooses the pairs that it has; one that cannot be read changes nothing. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { compute } from "../../compute/compute.js";
import { namedFile } from "../../named-file.js";
import { sentenceOf } from "../../sentence-of.js";
import { type OwnFiles, dataOfFile, pairSource } from "./own-files.js";
import type { PairsState } from "./pairs-settings.js";

export interface OwnFilesOfPanel {
  readonly own: OwnFiles;
  /** Whether a file is looked at that may take the place of what is shown. */
  readonly isReading: boolean;
  readonly problem: string | null;
  readonly closeProblem: () => void;
  /** The first of them. */
  readonly take: (files: readonly File[]) => void;
  /** Back to the photographs. */
  readonly leavePicture: () => void;
}

export function useOwnFiles(
  state: PairsState,
  change: (part: Partial<PairsState>) => void,
): OwnFilesOfPanel {
  const [own, setOwn] = useState<OwnFiles>({ picture: null, table: null });
  const [problem, setProblem] = useState<string | null>(null);
  const [reading, setReading] = useState<File | null>(null);
  const last = useRef<File | null>(null);
  // What is asked for when a file comes, without another function whenever a slider moves.
  const now = useRef(state);
  now.current = state;
  useEffect(
    () => () => {
      // Whoever has gone elsewhere is not called back by a file.
      last.current = null;
    },
    [],
  );
  const take = useCallback(
    ([file]: readonly File[]) => {
      const data = dataOfFile(file, now.current.data);
      const part = { [data === "csv" ? "table" : "picture"]: namedFile(file) };
      const source = pairSource({ ...now.current, data }, { picture: null, table: null, ...part });
      if (!source) return;
      last.current = file;
      setProblem(null);
      setReading(file);
      // The worker keeps what it has read: to show it is no more work.
      compute("viewPairs", source)
        .then(
          () => {
            if (last.current !== file) return;
            setOwn((before) => ({ ...before, ...part }));
            change({ data });
          },
          (error: unknown) => {
            if (last.current === file) setProblem(sentenceOf(error));
          },
        )
        .finally(() => {
          setReading((current) => (current === file ? null : current));
        });
    },
    [change],
  );
  const closeProblem = useCallback(() => {
    setProblem(null);
  }, []);
  const leavePicture = useCallback(() => {
    setOwn((before) => ({ ...before, picture: null }));
  }, []);
  return { own, isReading: reading !== null, problem, closeProblem, take, leavePicture };
}
