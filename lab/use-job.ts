/** A job that belongs to what is on the page: started anew when its input is another one, cancelled when nobody looks any more. */
import { useCallback, useEffect, useState } from "preact/hooks";
import { compute, isCancelled } from "./compute/compute.js";
import type { InputOf, JobName, OutputOf, ReportOf } from "./compute/protocol.js";
import { sentenceOf } from "./sentence-of.js";

export interface JobState<N extends JobName> {
  /** Of the input that is wanted. */
  readonly key: string;
  /** The last one that came; it stays until the next one is there. */
  readonly output: OutputOf<N> | null;
  /** Whether it is of an earlier input. */
  readonly isOld: boolean;
  readonly problem: string | null;
  readonly report: ReportOf<N> | null;
  readonly isBusy: boolean;
  readonly cancel: () => void;
  /** Until it is begun again, or another one is wanted. */
  readonly wasCancelled: boolean;
  /** After it was cancelled. */
  readonly again: () => void;
}

interface Finished<N extends JobName> {
  readonly key: string;
  readonly output: OutputOf<N>;
}

/** `input` null: nothing to do yet. Inputs of the same key are the same. */
export function useJob<N extends JobName>(
  job: N,
  input: InputOf<N> | null,
  key: string,
): JobState<N> {
  const [finished, setFinished] = useState<Finished<N> | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [report, setReport] = useState<ReportOf<N> | null>(null);
  const [running, setRunning] = useState<AbortController | null>(null);
  const [cancelled, setCancelled] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const isReady = input !== null;
  useEffect(() => {
    setProblem(null);
    setReport(null);
    setCancelled(null);
    if (input === null || finished?.key === key) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    setRunning(controller);
    const onReport = (value: ReportOf<N>): void => {
      if (!signal.aborted) setReport(() => value);
    };
    const settle = (): void => {
      setRunning((now) => (now === controller ? null : now));
    };
    compute(job, input, { signal, onReport }).then(
      (output) => {
        settle();
        if (!signal.aborted) setFinished({ key, output });
      },
      (error: unknown) => {
        settle();
        if (signal.aborted || isCancelled(error)) return;
        setFinished(null);
        setProblem(sentenceOf(error));
      },
    );
    return () => {
      controller.abort();
    };
  }, [job, key, isReady, round]);
  const cancel = useCallback(() => {
    running?.abort();
    setRunning(null);
    setCancelled(key);
  }, [running, key]);
  const again = useCallback(() => {
    setRound((before) => before + 1);
  }, []);
  return {
    ...{ key, output: finished?.output ?? null, isOld: finished?.key !== key },
    ...{ problem, report, isBusy: running !== null },
    ...{ cancel, wasCancelled: cancelled === key, again },
  };
}
