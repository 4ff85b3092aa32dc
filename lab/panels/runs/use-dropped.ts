/** Files that are dropped on the panel, and which of them is being read. */
import { useCallback, useRef, useState } from "preact/hooks";
import { isModelFile } from "../../is-model-file.js";
import { type Dropped, closed, exceptModel, nothingDropped, read, sorted } from "./dropped.js";

export interface DroppedState extends Dropped {
  /** The name of the file that is being read. */
  readonly reading: string | null;
  readonly take: (files: readonly File[]) => void;
  readonly close: (kind: "curve" | "model", name: string) => void;
  /** Back to the models of runs, also where one that was dropped is still being read. */
  readonly leaveModel: () => void;
  readonly closeProblem: (sentence: string) => void;
}

export function useDropped(): DroppedState {
  const [dropped, setDropped] = useState(nothingDropped);
  const [waiting, setWaiting] = useState<readonly File[]>([]);
  /** Files are read one after the other, so that the last one dropped is the last one shown. */
  const last = useRef(Promise.resolve());
  /** How often models were left: those that were dropped before must not come back. */
  const left = useRef(0);
  const take = useCallback((files: readonly File[]) => {
    const { taken, problems } = sorted(files);
    const leftBefore = left.current;
    const readOne = async (file: File): Promise<void> => {
      const change = await read(file);
      setDropped(left.current === leftBefore ? change : exceptModel(change));
      setWaiting((before) => before.filter((other) => other !== file));
    };
    setDropped((before) => ({ ...before, problems }));
    setWaiting((before) => [...before, ...taken]);
    for (const file of taken) last.current = last.current.then(() => readOne(file));
  }, []);
  const close = useCallback((kind: "curve" | "model", name: string) => {
    setDropped(closed(kind, name));
  }, []);
  const leaveModel = useCallback(() => {
    left.current++;
    setDropped((before) => ({ ...before, model: null }));
    setWaiting((before) => before.filter((file) => !isModelFile(file)));
  }, []);
  const closeProblem = useCallback((sentence: string) => {
    setDropped((before) => ({
      ...before,
      problems: before.problems.filter((other) => other !== sentence),
    }));
  }, []);
  const reading = waiting.length > 0 ? waiting[0].name : null;
  return { ...dropped, reading, take, close, leaveModel, closeProblem };
}
