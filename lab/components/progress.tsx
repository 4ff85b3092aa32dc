import type { VNode } from "preact";
import { Button } from "./controls.js";

interface ProgressProps {
  readonly label: string;
  /** From 0 to 1; null if unknown. */
  readonly part: number | null;
  /** "12 s left" */
  readonly text?: string;
  readonly onCancel?: () => void;
}

export function Progress({ label, part, text = "", onCancel }: ProgressProps): VNode {
  return (
    <div class="progress">
      <progress aria-label={label} {...(part === null ? {} : { value: part })} max={1} />
      {/* Only the label is read out; the text changes all the time, and the bar has its value. */}
      <span>
        <span role="status">{label}</span>
        {text === "" ? "" : `, ${text}`}
      </span>
      {onCancel && <Button onClick={onCancel}>Cancel</Button>}
    </div>
  );
}
