import type { ComponentChildren, VNode } from "preact";

interface NoticeProps {
  /** Problems are read out at once, news when there is time. */
  readonly kind: "news" | "problem";
  readonly children: ComponentChildren;
  /** Where whoever has read it may put it away. */
  readonly onClose?: () => void;
}

/** A sentence that appears while the page is open. */
export function Notice({ kind, children, onClose }: NoticeProps): VNode {
  return (
    <div class={`notice ${kind}`}>
      <p role={kind === "problem" ? "alert" : "status"}>{children}</p>
      {onClose && (
        <button type="button" aria-label="Close this message" onClick={onClose}>
          ×
        </button>
      )}
    </div>
  );
}
