/** The records of a metrics.jsonl that somebody dropped. */
import { GaussianizeError } from "../../../src/index.js";
import { type MetricsRecord, parseMetrics } from "../../../src/runs/run-metrics.js";
import { thinned } from "../../components/thinned.js";
import type { LabJob, Perform } from "../../compute/job.js";

export type ReadMetrics = LabJob<{ readonly file: File }, readonly MetricsRecord[]>;

/** A fit writes about 40 kB. */
const mostBytes = 2 ** 24;

export const readMetrics: Perform<ReadMetrics> = async ({ file }) => {
  const { name, size } = file;
  if (size > mostBytes) throw new GaussianizeError(`${name} is too large for metrics of a fit.`);
  const records = thinned(parseMetrics(await file.text()));
  if (records.length > 0) return records;
  throw new GaussianizeError(`${name} has no metrics of a fit in it.`);
};
