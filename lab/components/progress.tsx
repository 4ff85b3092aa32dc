import type { VNode } from "preact";
import { Button } from "./controls.js";

interface ProgressProps {
  readonly label: string;
  /** From 0 to 1; null while nobody knows. */
  readonly part: number | null;
  /** "12 s left" … */
  readonly text?: string;
  readonly onCancel?: () => void;
}

/** Keeps its height while it is empty, so that nothing jumps when it appears. */
export function Progress({ label, part, text = "", onCancel }: ProgressProps): VNode {
  return (
    <div class="progress">
      <progress aria-label={label} {...(part === null ? {} : { value: part })} max={1} />
      {/* What changes all the time is not read out: the bar says it to whoever asks. */}
      <span>
        <span role="status">{label}</span>
        {text === "" ? "" : `, ${text}`}
      </span>
      {onCancel && <Button onClick={onCancel}>Cancel</Button>}
    </div>
  );
}
