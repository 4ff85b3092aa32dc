import type { ComponentChildren, VNode } from "preact";

interface NoticeProps {
  /** Problems are read out at once, news when there is time. */
  readonly kind: "news" | "problem";
  readonly children: ComponentChildren;
}

/** A sentence that appears while the page is open. */
export function Notice({ kind, children }: NoticeProps): VNode {
  return (
    <p class={`notice ${kind}`} role={kind === "problem" ? "alert" : "status"}>
      {children}
    </p>
  );
}
