/** The layout of every panel: heading, controls, results and an explanation. */
import type { ComponentChildren, VNode } from "preact";

interface PanelProps {
  readonly title: string;
  /** One sentence about the purpose of the panel. */
  readonly lead: ComponentChildren;
  readonly controls: ComponentChildren;
  /** For readers who do not know the paper. */
  readonly explanation: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Panel({ title, lead, controls, explanation, children }: PanelProps): VNode {
  return (
    <article class="panel">
      <header>
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
      </header>
      <div class="columns">
        <section class="controls" aria-label="Settings">
          {controls}
        </section>
        <section class="results" aria-label="Results">
          {children}
        </section>
        <details class="explanation" open>
          <summary>What is this?</summary>
          {explanation}
        </details>
      </div>
    </article>
  );
}

interface FigureProps {
  readonly caption: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Figure({ caption, children }: FigureProps): VNode {
  return (
    <figure>
      {children}
      <figcaption>{caption}</figcaption>
    </figure>
  );
}

interface WideProps {
  /** Names the contents for screen readers. */
  readonly label: string;
  readonly children: ComponentChildren;
}

/**
 * Scrolls contents that may be wider than a phone, by touch or arrow keys. A shadow marks the edge
 * that hides more.
 */
export function Wide({ label, children }: WideProps): VNode {
  return (
    <div class="wide" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
