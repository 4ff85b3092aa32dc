/** The running denoising of a picture, and the results of those that ended. */
import { useCallback, useEffect, useState } from "preact/hooks";
import type { DenoisingStage } from "../../../src/denoising/picture-denoiser.js";
import { compute } from "../../compute/compute.js";
import { Task } from "../../task.js";
import type { DenoiseInput, Denoised } from "./denoise-jobs.js";
import type { Way } from "./settings.js";
import type { Subject } from "./subject.js";

export type DenoisingOfPanel = ReturnType<typeof useDenoising>;

/** Another picture or other noise cancels the run and discards the results. */
export function useDenoising(subject: Subject | null) {
  const [task] = useState(
    () =>
      new Task<DenoiseInput, Denoised, DenoisingStage>((input, options) =>
        compute("denoise", input, options),
      ),
  );
  /** Way that was started last. */
  const [way, setWay] = useState<Way | null>(null);
  const [results, setResults] = useState<ReadonlyMap<Way, Denoised>>(new Map());
  /** Cancels the run, or closes its problem. */
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
  return { way, state: task.state.value, results, start, reset };
}
