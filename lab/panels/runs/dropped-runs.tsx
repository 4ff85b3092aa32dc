/** Files of runs that somebody dropped on the panel: metrics and models. */
import type { VNode } from "preact";
import { useCallback } from "preact/hooks";
import { checkFile } from "../../check-file.js";
import { type Curve, mostRuns } from "../../components/run-curves.js";
import type { RunModel } from "../../components/run-pictures.js";
import { type NamedFile, isModelFile, namedFile } from "../../named-file.js";
import { type Change, type Dropped, type FileToRead, useDropped } from "../../use-dropped.js";

export interface RunFiles {
  readonly curves: readonly Curve[];
  readonly model: RunModel | null;
}

export const noFiles: RunFiles = { curves: [], model: null };

export interface DroppedRuns extends Pick<
  Dropped<RunFiles>,
  "held" | "reading" | "problems" | "closeProblem"
> {
  readonly take: (files: readonly File[]) => void;
  readonly close: (kind: "curve" | "model", name: string) => void;
  /** Back to the models of runs; one that is still read is not taken. */
  readonly leaveModel: () => void;
}

export function useDroppedRuns(): DroppedRuns {
  const dropped = useDropped(noFiles);
  const { take: read, change, discard } = dropped;
  const take = useCallback((files: readonly File[]) => {
    const { taken, refused } = sorted(files);
    read(taken.map(toRead), refused);
  }, []);
  const close = useCallback((kind: "curve" | "model", name: string) => {
    change(closed(kind, name));
  }, []);
  const leaveModel = useCallback(() => {
    discard("model");
    change((before) => ({ ...before, model: null }));
  }, []);
  return { ...dropped, take, close, leaveModel };
}

/** Takes the first of models that are dropped together: one is shown at a time. */
export function sorted(files: readonly File[]): {
  readonly taken: readonly File[];
  readonly refused: readonly string[];
} {
  const [, ...others] = files.filter(isModelFile);
  return {
    taken: files.filter((file) => !others.includes(file)),
    refused: others.map(({ name }) => `One model is shown at a time: ${name} was left out.`),
  };
}

function toRead(file: File): FileToRead<RunFiles> {
  const { name } = file;
  const named = namedFile(file);
  const readModel = async (): Promise<Change<RunFiles>> => {
    await checkFile(["patch model", "image model"], named);
    return withModel(named);
  };
  const readMetrics = async (): Promise<Change<RunFiles>> => {
    const { records } = await checkFile(["metrics"], named);
    return withCurve({ name, records });
  };
  if (isModelFile(file)) return { file, place: "model", read: readModel };
  return { file, place: `metrics ${name}`, read: readMetrics };
}

/** Metrics are added to the chart, as far as there are colours. */
function withCurve(added: Curve): Change<RunFiles> {
  return (before) => {
    const others = before.curves.filter(({ name }) => name !== added.name);
    return { ...before, curves: [...others, added].slice(-mostRuns) };
  };
}

/** A model takes the place of the one before. */
export function withModel(model: NamedFile): Change<RunFiles> {
  const { name } = model.file;
  return (before) => ({ ...before, model: { ...model, kind: "file", name } });
}

/** Closes a file; a model may have the name of metrics. */
export function closed(kind: "curve" | "model", name: string): Change<RunFiles> {
  return (before) =>
    kind === "model"
      ? { ...before, model: null }
      : { ...before, curves: before.curves.filter((curve) => curve.name !== name) };
}

/**
 * Returns as many curves as have a look of their own: those that were dropped, and runs as far as
 * there is room. Runs that have nothing to draw need none.
 */
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

interface DroppedListProps {
  readonly files: RunFiles;
  readonly onClose: DroppedRuns["close"];
}

/** Lists the dropped files that are shown, each with a button that closes it. */
export function DroppedList({ files: { curves, model }, onClose }: DroppedListProps): VNode | null {
  const files = [
    ...curves.map(({ name }) => ({ kind: "curve", name }) as const),
    ...(model ? [{ kind: "model", name: model.name } as const] : []),
  ];
  if (files.length === 0) return null;
  return (
    <ul class="dropped" aria-label="Dropped files">
      {files.map(({ kind, name }) => (
        <li key={`${kind} ${name}`}>
          <span>{name}</span>
          <button
            type="button"
            aria-label={`Close ${name}`}
            onClick={() => {
              onClose(kind, name);
            }}
          >
            Close
          </button>
        </li>
      ))}
    </ul>
  );
}
