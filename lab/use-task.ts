/** Tasks that start again when their input changes, and end when their component is removed. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { compute } from "./compute/compute.js";
import type { InputOf, JobName, OutputOf, ReportOf } from "./compute/protocol.js";
import { Task, type TaskState, type Work } from "./task.js";

export interface KeyedTask<Output, Report = unknown> {
  /** Identifies the current input. */
  readonly key: string;
  /** Latest output, kept until the next one arrives or a problem occurs. */
  readonly output: Output | null;
  /** Whether the output belongs to an earlier input. */
  readonly isOld: boolean;
  /** State of the work for the current input. */
  readonly state: TaskState<Output, Report>;
  readonly problem: string | null;
  readonly report: Report | null;
  readonly cancel: () => void;
  /** Starts the work again after it failed or was cancelled. */
  readonly again: () => void;
}

interface Finished<Output> {
  readonly key: string;
  readonly output: Output;
}

const idle = { status: "idle" } as const;

/**
 * Runs `work` on `input`, or nothing if that is null. Inputs with the same key are equal. `work`
 * must not change. It starts after `delay` milliseconds without another key.
 */
export function useTask<Input, Output, Report = unknown>(
  work: Work<Input, Output, Report>,
  input: Input | null,
  key: string,
  delay = 0,
): KeyedTask<Output, Report> {
  const [task] = useState(() => new Task<Input, Output, Report>(work));
  const [round, setRound] = useState(0);
  const started = useRef<string | null>(null);
  const finished = useRef<Finished<Output> | null>(null);
  const now = task.state.value;
  if (now.status === "done" && started.current !== null) {
    finished.current = { key: started.current, output: now.output };
  }
  const isReady = input !== null;
  useEffect(() => {
    if (input === null || finished.current?.key === key) return undefined;
    const start = (): void => {
      started.current = key;
      void task.start(input);
    };
    const timer = delay > 0 ? setTimeout(start, delay) : undefined;
    if (delay === 0) start();
    return () => {
      clearTimeout(timer);
      task.reset();
    };
  }, [key, isReady, round]);
  const cancel = useCallback(() => {
    task.cancel();
  }, [task]);
  const again = useCallback(() => {
    setRound((before) => before + 1);
  }, []);
  const state = started.current === key ? now : idle;
  const isFailed = state.status === "failed";
  return {
    key,
    output: isFailed ? null : (finished.current?.output ?? null),
    isOld: finished.current?.key !== key,
    state,
    problem: isFailed ? state.problem : null,
    report: state.status === "running" ? state.report : null,
    cancel,
    again,
  };
}

/** Runs a job of compute/jobs.ts. Its input needs a key beside each file. */
export function useJob<N extends JobName>(
  job: N,
  input: InputOf<N> | null,
  delay = 0,
): KeyedTask<OutputOf<N>, ReportOf<N>> {
  return useTask<InputOf<N>, OutputOf<N>, ReportOf<N>>(
    (given, options) => compute(job, given, options),
    input,
    JSON.stringify(input),
    delay,
  );
}
