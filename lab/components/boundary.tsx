/** Keeps a mistake in a part of the page from ending it without a word. */
import type { ComponentChildren, VNode } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { Button } from "./controls.js";
import { sentenceOf } from "../sentence-of.js";
import { Notice } from "./notice.js";

interface BoundaryProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Before it is tried with what is usual. */
  readonly onForget: () => void;
}

export function Boundary({ title, children, onForget }: BoundaryProps): VNode {
  const [error, tryAgain] = useErrorBoundary() as [unknown, () => void];
  if (error === undefined) return <>{children}</>;
  return (
    <article>
      <h1>{title}</h1>
      <Notice kind="problem">This panel cannot be shown: {sentenceOf(error)}</Notice>
      <div class="buttons">
        <Button isMain onClick={tryAgain}>
          Open it again
        </Button>
        <Button
          onClick={() => {
            onForget();
            tryAgain();
          }}
        >
          Open it with its usual settings
        </Button>
      </div>
    </article>
  );
}
