import type { ComponentChildren, VNode } from "preact";

interface NoticeProps {
  /** Screen readers read problems at once, news in the next pause. */
  readonly kind: "news" | "problem";
  readonly children: ComponentChildren;
  /** Adds a close button. */
  readonly onClose?: () => void;
}

/** A message that appears while the page is open. */
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

interface ProblemsProps {
  readonly sentences: readonly string[];
  readonly onClose: (sentence: string) => void;
}

/** Messages that can be closed one by one. */
export function Problems({ sentences, onClose }: ProblemsProps): VNode {
  return (
    <>
      {sentences.map((sentence) => (
        <Notice
          key={sentence}
          kind="problem"
          onClose={() => {
            onClose(sentence);
          }}
        >
          {sentence}
        </Notice>
      ))}
    </>
  );
}
