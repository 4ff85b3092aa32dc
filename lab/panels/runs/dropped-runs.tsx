/** Metrics and models dropped on the panel. */
import type { VNode } from "preact";
import { useCallback } from "preact/hooks";
import { checkFile } from "../../check-file.js";
import { type Curve, mostRuns } from "../../components/run-curves.js";
import type { RunModel } from "../../components/run-pictures.js";
import { type NamedFile, isModelFile, namedFile } from "../../named-file.js";
import { type Change, type FileToRead, useDropped } from "../../use-dropped.js";

export interface RunFiles {
  readonly curves: readonly Curve[];
  readonly model: RunModel | null;
}

type FileOfRun = "curve" | "model";

export const noFiles: RunFiles = { curves: [], model: null };

export function useDroppedRuns() {
  const dropped = useDropped(noFiles);
  const { take: read, change, discard } = dropped;
  const take = useCallback((files: readonly File[]) => {
    const { taken, refused } = sorted(files);
    read(taken.map(toRead), refused);
  }, []);
  const close = useCallback((kind: FileOfRun, name: string) => {
    change(closed(kind, name));
  }, []);
  /** Returns to the models of runs, and discards a model that is still being read. */
  const leaveModel = useCallback(() => {
    discard("model");
    change((before) => ({ ...before, model: null }));
  }, []);
  return { ...dropped, take, close, leaveModel };
}

/** Takes the first model of those dropped together, because the panel shows one at a time. */
export function sorted(files: readonly File[]) {
  const [, ...others] = files.filter(isModelFile);
  return {
    taken: files.filter((file) => !others.includes(file)),
    refused: others.map(({ name }) => `${name} was skipped: the panel shows one model at a time.`),
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

/** Adds metrics to the chart. If there are too many, the oldest are removed. */
function withCurve(added: Curve): Change<RunFiles> {
  return (before) => {
    const others = before.curves.filter(({ name }) => name !== added.name);
    return { ...before, curves: [...others, added].slice(-mostRuns) };
  };
}

/** Replaces the model. */
export function withModel(model: NamedFile): Change<RunFiles> {
  const { name } = model.file;
  return (before) => ({ ...before, model: { ...model, kind: "file", name } });
}

/** Closes a file. The kind matters, because a model may have the name of metrics. */
export function closed(kind: FileOfRun, name: string): Change<RunFiles> {
  return (before) =>
    kind === "model"
      ? { ...before, model: null }
      : { ...before, curves: before.curves.filter((curve) => curve.name !== name) };
}

/**
 * Returns as many curves as there are colours: the dropped ones first, then runs. Runs without
 * records take no colour.
 */
export function shownCurves(runs: readonly Curve[], dropped: readonly Curve[]) {
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
  readonly onClose: (kind: FileOfRun, name: string) => void;
}

/** The dropped files, each with a button that closes it. */
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
