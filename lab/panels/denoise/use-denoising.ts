/** Runs of the methods on one picture: the one that is going on, and what came of the others. */
import { useCallback, useEffect, useState } from "preact/hooks";
import type { DenoisingStage } from "../../../src/denoising/picture-denoiser.js";
import { compute } from "../../compute/compute.js";
import { Task, type TaskState } from "../../task.js";
import type { DenoiseInput, Denoised } from "./denoise-jobs.js";
import type { Way } from "./settings.js";
import type { Subject } from "./subject.js";

export interface DenoisingOfPanel {
  /** The last way that was started. */
  readonly way: Way | null;
  readonly state: TaskState<Denoised, DenoisingStage>;
  readonly results: ReadonlyMap<Way, Denoised>;
  readonly closeProblem: () => void;
  readonly start: (way: Way, input: Omit<DenoiseInput, "subject">) => Promise<void>;
  readonly cancel: () => void;
}

/** Another picture, or other noise, ends the run and forgets the results. */
export function useDenoising(subject: Subject | null): DenoisingOfPanel {
  const [task] = useState(
    () =>
      new Task<DenoiseInput, Denoised, DenoisingStage>((input, options) =>
        compute("denoise", input, options),
      ),
  );
  const [way, setWay] = useState<Way | null>(null);
  const [results, setResults] = useState<ReadonlyMap<Way, Denoised>>(new Map());
  const reset = useCallback(() => {
    task.reset();
  }, [task]);
  useEffect(() => {
    setResults(new Map());
    return reset;
  }, [subject, reset]);
  const start = async (next: Way, input: Omit<DenoiseInput, "subject">): Promise<void> => {
    if (!subject) return;
    setWay(next);
    const ended = await task.start({ ...input, subject });
    if (ended.status !== "done") return;
    setResults((before) => new Map(before).set(next, ended.output));
  };
  return { way, state: task.state.value, results, closeProblem: reset, start, cancel: reset };
}
