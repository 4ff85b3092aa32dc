/** What the lab's server says of runs: plain data, for both sides. */
import type { JsonObject } from "../density/model-files/json.js";
import type { MetricsRecord } from "./run-metrics.js";

/** "done": there is a model; "running": a process is at work on it; else it was interrupted. */
export type RunStatus = "running" | "done" | "interrupted";

export interface RunDescription {
  /** Path below the folder, with slashes; of the folder itself its name. */
  readonly name: string;
  readonly status: RunStatus;
  /** What was asked for, without the paths of images. */
  readonly config: JsonObject;
  readonly images: number;
  readonly lastStep: MetricsRecord | null;
  readonly lastHeldOut: MetricsRecord | null;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /**
   * Changes whenever there is another model, of a fit that goes on every few seconds; null where
   * there is none yet.
   */
  readonly model: string | null;
}

export interface RunList {
  /** Where they are; null where the server was started without runs. */
  readonly folder: string | null;
  readonly runs: readonly RunDescription[];
  /** False where there are more than can be listed. */
  readonly isComplete: boolean;
}

/** New lines of metrics.jsonl. */
export interface MetricsPart {
  /** 0 where one has to begin anew: the file is another one than before. */
  readonly from: number;
  /** What to ask for next. */
  readonly to: number;
  /** Of what stands before `to`: sent along, it tells whether the file is still the same. */
  readonly mark: string;
  readonly text: string;
  /** There was more than fits an answer. */
  readonly hasMore: boolean;
}
