/** Descriptions of runs, which the lab's server sends to the page. */
import type { JsonObject } from "../density/model-files/json.js";
import type { MetricsRecord } from "./run-metrics.js";

/** "done" if there is a model, "running" if a process is working on it. */
export type RunStatus = "running" | "done" | "interrupted";

export interface RunDescription {
  /** Path below the folder, with slashes; for the folder itself its name. */
  readonly name: string;
  readonly status: RunStatus;
  /** Options of the fit, without the paths of images. */
  readonly config: JsonObject;
  readonly images: number;
  readonly lastStep: MetricsRecord | null;
  readonly lastHeldOut: MetricsRecord | null;
  /** Time of the last change, in milliseconds since 1970. */
  readonly modified: number;
  /** Version of the model, which changes every few seconds during a fit; null before the first. */
  readonly model: string | null;
}

export interface RunList {
  /** Folder of the runs; null if the server was started without one. */
  readonly folder: string | null;
  readonly runs: readonly RunDescription[];
  /** False if there are too many runs to list. */
  readonly isComplete: boolean;
}

/** New lines of metrics.jsonl. */
export interface MetricsPart {
  /** Start of the part in bytes; 0 if the file was replaced and must be read again. */
  readonly from: number;
  /** Start of the next part in bytes. */
  readonly to: number;
  /** Mark of the content before `to`; the next request sends it to detect a replaced file. */
  readonly mark: string;
  readonly text: string;
  /** Whether the file has more text than fits into an answer. */
  readonly hasMore: boolean;
}
