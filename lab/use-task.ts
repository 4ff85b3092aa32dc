/**
 * A task that belongs to what is on the page: started anew when its input changes, cancelled when
 * nobody looks any more.
 */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { compute } from "./compute/compute.js";
import type { InputOf, JobName, OutputOf, ReportOf } from "./compute/protocol.js";
import { Task, type TaskState, type Work } from "./task.js";

export interface KeyedTask<Output, Report = unknown> {
  /** Identifies the input that is wanted. */
  readonly key: string;
  /** The latest output. It stays until the next one is there, but not beside a problem. */
  readonly output: Output | null;
  /** Whether the output is of an earlier input. */
  readonly isOld: boolean;
  /** State of the work for this key. */
  readonly state: TaskState<Output, Report>;
  readonly problem: string | null;
  readonly report: Report | null;
  readonly cancel: () => void;
  /** Starts the work again, after it failed or was cancelled. */
  readonly again: () => void;
}

interface Finished<Output> {
  readonly key: string;
  readonly output: Output;
}

const idle = { status: "idle" } as const;

/**
 * `input` null: nothing to do yet. Inputs of the same key are the same. `work` must not change. The
 * work starts after `delay` milliseconds without another key.
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

/** A job of compute/jobs.ts as a task. Files in its input have keys of their own beside them. */
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
