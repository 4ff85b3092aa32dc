import type { VNode } from "preact";
import type { Dropped } from "./dropped.js";

interface DroppedFilesProps {
  readonly dropped: Dropped;
  readonly onClose: (kind: "curve" | "model", name: string) => void;
}

/** What was dropped and is shown, each with a button that puts it away. */
export function DroppedFiles({ dropped, onClose }: DroppedFilesProps): VNode | null {
  const { curves, model } = dropped;
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
