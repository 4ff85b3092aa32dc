/** Runs of the methods on one picture: the one that is going on, and what came of the others. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { DenoisingStage } from "../../../src/index.js";
import { compute, isCancelled } from "../../compute/compute.js";
import { sentenceOf } from "../../sentence-of.js";
import type { DenoiseInput, Denoised } from "./denoise-jobs.js";
import type { Way } from "./settings.js";
import type { Subject } from "./subject.js";

export interface Run {
  readonly way: Way;
  readonly stage: DenoisingStage | null;
  readonly seconds: number;
}

export interface DenoisingOfPanel {
  readonly run: Run | null;
  readonly results: ReadonlyMap<Way, Denoised>;
  readonly problem: string | null;
  readonly closeProblem: () => void;
  readonly start: (way: Way, input: Omit<DenoiseInput, "subject">) => void;
  readonly cancel: () => void;
}

/** Another picture, or other noise, ends the run and forgets the results. */
export function useDenoising(subject: Subject | null): DenoisingOfPanel {
  const [run, setRun] = useState<Run | null>(null);
  const [results, setResults] = useState<ReadonlyMap<Way, Denoised>>(new Map());
  const [problem, setProblem] = useState<string | null>(null);
  const running = useRef<AbortController | null>(null);
  const cancel = useCallback(() => {
    running.current?.abort();
    running.current = null;
    setRun(null);
  }, []);
  useEffect(() => {
    setResults(new Map());
    setProblem(null);
    return cancel;
  }, [subject, cancel]);
  const start = (way: Way, input: Omit<DenoiseInput, "subject">): void => {
    if (!subject) return;
    cancel();
    setProblem(null);
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    const begin = performance.now();
    setRun({ way, stage: null, seconds: 0 });
    const onReport = (stage: DenoisingStage): void => {
      if (!signal.aborted) setRun({ way, stage, seconds: (performance.now() - begin) / 1000 });
    };
    compute("denoise", { ...input, subject }, { signal, onReport }).then(
      (denoised) => {
        if (signal.aborted) return;
        setResults((before) => new Map(before).set(way, denoised));
        setRun(null);
      },
      (error: unknown) => {
        if (signal.aborted || isCancelled(error)) return;
        setProblem(sentenceOf(error));
        setRun(null);
      },
    );
  };
  const closeProblem = useCallback(() => {
    setProblem(null);
  }, []);
  return { run, results, problem, closeProblem, start, cancel };
}
