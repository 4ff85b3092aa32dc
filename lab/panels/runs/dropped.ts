/** Files of a run that somebody dropped on the page. */
import { compute } from "../../compute/compute.js";
import { mostRuns } from "../../components/curves.js";
import type { Curve } from "../../components/run-curves.js";
import type { ModelSource } from "../../components/run-pictures.js";
import { isModelFile } from "../../is-model-file.js";
import { sentenceOf } from "../../sentence-of.js";

export interface Dropped {
  readonly curves: readonly Curve[];
  readonly model: ModelSource | null;
  /** Sentences. */
  readonly problems: readonly string[];
}

export const nothingDropped: Dropped = { curves: [], model: null, problems: [] };

/** What becomes of the files so far, which may be others when this one is read. */
export type Change = (before: Dropped) => Dropped;

/** Of models that are dropped together, the first is taken: one is shown at a time. */
export function sorted(files: readonly File[]): {
  readonly taken: readonly File[];
  readonly problems: readonly string[];
} {
  const [, ...others] = files.filter(isModelFile);
  return {
    taken: files.filter((file) => !others.includes(file)),
    problems: others.map(({ name }) => `One model is shown at a time: ${name} was left out.`),
  };
}

/** One that cannot be read changes nothing of what is shown. */
export async function read(file: File): Promise<Change> {
  const { name } = file;
  try {
    if (!isModelFile(file)) {
      return withCurve({ name, records: await compute("readMetrics", { file }) });
    }
    await compute("checkModelFile", { file });
    return withModel(file);
  } catch (error) {
    return (before) => ({ ...before, problems: [...before.problems, sentenceOf(error)] });
  }
}

/** Metrics are added to the chart, as far as there are colours. */
function withCurve(added: Curve): Change {
  return (before) => {
    const others = before.curves.filter(({ name }) => name !== added.name);
    return { ...before, curves: [...others, added].slice(-mostRuns) };
  };
}

/** A model takes the place of the one before. */
export function withModel(file: File): Change {
  const { name } = file;
  return (before) => ({ ...before, model: { kind: "file", name, file } });
}

/** Where another model was chosen while the file was read. */
export function exceptModel(change: Change): Change {
  return (before) => ({ ...change(before), model: before.model });
}

/** Puts a file away; a model may have the name of metrics. */
export function closed(kind: "curve" | "model", name: string): Change {
  return (before) =>
    kind === "model"
      ? { ...before, model: null }
      : { ...before, curves: before.curves.filter((curve) => curve.name !== name) };
}

/** As many as have a look of their own: what was dropped, and runs as far as there is room; those that have nothing to draw need none. */
export function shownCurves(
  runs: readonly Curve[],
  dropped: readonly Curve[],
): { readonly shown: readonly Curve[]; readonly leftOut: readonly string[] } {
  const room = mostRuns - dropped.length;
  const hasSteps = ({ records }: Curve): boolean => records.length > 0;
  const drawn = runs.some(hasSteps) ? runs.filter(hasSteps) : runs;
  return {
    shown: [...drawn.slice(0, room), ...dropped],
    leftOut: drawn.slice(room).map(({ name }) => name),
  };
}
