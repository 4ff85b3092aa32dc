/** Files of a run that somebody dropped on the page. */
import { compute } from "../../compute/compute.js";
import { mostRuns } from "../../components/curves.js";
import type { Curve } from "../../components/run-curves.js";
import type { ModelSource } from "./run-pictures.js";

export interface Dropped {
  readonly curves: readonly Curve[];
  readonly model: ModelSource | null;
  readonly problem: string | null;
}

export const nothingDropped: Dropped = { curves: [], model: null, problem: null };

/** Metrics are added to the chart, as far as there are colours; a model takes the place of the one before. */
export async function take(file: File, before: Dropped): Promise<Dropped> {
  const { name } = file;
  if (/\.safetensors$/i.test(name)) {
    return { ...before, model: { kind: "file", name, file }, problem: null };
  }
  try {
    const records = await compute("readMetrics", { file });
    const others = before.curves.filter((curve) => curve.name !== name);
    return { ...before, curves: [...others, { name, records }].slice(-mostRuns), problem: null };
  } catch (error) {
    return { ...before, problem: error instanceof Error ? error.message : String(error) };
  }
}
