/** The running denoising of a picture, and the results of those that ended. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { DenoisingStage } from "../../../src/denoising/picture-denoiser.js";
import { compute } from "../../compute/compute.js";
import { Task } from "../../task.js";
import { useWorkers } from "../../use-workers.js";
import type { DenoiseInput, Denoised, ShownTile } from "./denoise-jobs.js";
import type { Way } from "./settings.js";
import type { Subject } from "./subject.js";
import { type PictureToDenoise, expectedSeconds } from "./time-estimate.js";

export type DenoisingOfPanel = ReturnType<typeof useDenoising>;

interface Running {
  readonly way: Way;
  /** Time of the start (`performance.now()`). */
  readonly start: number;
  /** In seconds. */
  readonly expected: number;
}

const noTiles: readonly ShownTile[] = [];

/** Shorter runs, in seconds, tell little about the machine. */
const leastForPace = 0.5;

/** Another picture or other noise cancels the run and discards the results. */
export function useDenoising(subject: Subject | null, picture: PictureToDenoise | null) {
  /** Parts of the running result that are done. */
  const [tiles, setTiles] = useState<readonly ShownTile[]>([]);
  const [task] = useState(
    () =>
      new Task<DenoiseInput, Denoised, DenoisingStage>((input, { onReport, ...options }) =>
        compute("denoise", input, {
          ...options,
          onReport: (report) => {
            if ("stage" in report) onReport(report.stage);
            else setTiles((before) => [...before, report.tile]);
          },
        }),
      ),
  );
  const workers = useWorkers() ?? 1;
  /** Factor from expected to measured seconds in the last run. */
  const pace = useRef(1);
  const expected = (size: PictureToDenoise, way: Way): number =>
    expectedSeconds(size, way, { workers, pace: pace.current });
  /** The run that was started last. */
  const [running, setRunning] = useState<Running | null>(null);
  const [results, setResults] = useState<ReadonlyMap<Way, Denoised>>(new Map());
  /** Cancels the run, or closes its problem. */
  const reset = useCallback(() => {
    task.reset();
  }, [task]);
  useEffect(() => {
    setResults(new Map());
    return reset;
  }, [subject, reset]);
  const start = async (way: Way, input: Omit<DenoiseInput, "subject">): Promise<void> => {
    if (!subject || !picture) return;
    const run = { way, start: performance.now(), expected: expected(picture, way) };
    setRunning(run);
    setTiles([]);
    const ended = await task.start({ ...input, subject });
    if (ended.status !== "done") return;
    const { output } = ended;
    if (output.seconds >= leastForPace && !output.isUnchanged) {
      pace.current *= output.seconds / run.expected;
    }
    setResults((before) => new Map(before).set(way, output));
  };
  const state = task.state.value;
  const shownTiles = state.status === "running" ? tiles : noTiles;
  return { running, state, tiles: shownTiles, results, expected, start, reset };
}
