import type { ComponentChildren, VNode } from "preact";

interface WideProps {
  /** Names the contents, for screen readers. */
  readonly label: string;
  readonly children: ComponentChildren;
}

/**
 * What may be wider than a phone scrolls by itself, by fingers or by arrow keys; a shadow is at the
 * edge behind which there is more.
 */
export function Wide({ label, children }: WideProps): VNode {
  return (
    <div class="wide" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
