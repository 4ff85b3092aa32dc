import type { ComponentChildren, VNode } from "preact";

interface NoticeProps {
  /** Problems are read out at once, news when there is time. */
  readonly kind: "news" | "problem";
  readonly children: ComponentChildren;
  /** For sentences that can be closed once they have been read. */
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

interface ProblemsProps {
  readonly sentences: readonly string[];
  readonly onClose: (sentence: string) => void;
}

/** Sentences that can be closed, each by itself. */
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
