/** A model or a checkpoint that was dropped. One that cannot be read leaves the one before. */
import { useCallback, useRef, useState } from "preact/hooks";
import { compute } from "../../compute/compute.js";
import { sentenceOf } from "../../sentence-of.js";
import type { OpenedCheckpoint, OpenedModel } from "./open-file-job.js";
import type { CheckpointFiles } from "./train-job.js";

export interface Opened {
  readonly files: CheckpointFiles;
  readonly content: OpenedModel | OpenedCheckpoint;
}

interface OpenedState {
  readonly opened: Opened | null;
  /** The name of the file that is being read. */
  readonly reading: string | null;
  readonly problem: string | null;
  readonly open: (files: CheckpointFiles) => Promise<void>;
  readonly close: () => void;
  /** After it was closed, unless there is another one by now. */
  readonly reopen: (before: Opened) => void;
  readonly closeProblem: () => void;
}

export function useOpenedFile(): OpenedState {
  const [opened, setOpened] = useState<Opened | null>(null);
  const [reading, setReading] = useState<CheckpointFiles | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  /** What was asked for last: a file that takes longer must not come back after it. */
  const last = useRef<CheckpointFiles | null>(null);
  const open = useCallback(async (files: CheckpointFiles): Promise<void> => {
    last.current = files;
    setReading(files);
    setProblem(null);
    try {
      const content = await compute("openFile", files);
      if (last.current === files) setOpened({ files, content });
    } catch (error) {
      if (last.current === files) setProblem(sentenceOf(error));
    }
    setReading((now) => (now === files ? null : now));
  }, []);
  const closeProblem = useCallback(() => {
    setProblem(null);
  }, []);
  const close = useCallback(() => {
    last.current = null;
    setOpened(null);
    setReading(null);
    setProblem(null);
  }, []);
  const reopen = useCallback((before: Opened) => {
    if (last.current !== null) return;
    last.current = before.files;
    setOpened(before);
  }, []);
  const name = reading?.file.name ?? null;
  return { opened, reading: name, problem, open, close, reopen, closeProblem };
}
