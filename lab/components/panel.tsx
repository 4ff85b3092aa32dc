/**
 * The parts of every panel: a heading, controls beside the results, an explanation for those who
 * have not read the paper.
 */
import type { ComponentChildren, VNode } from "preact";

interface PanelProps {
  readonly title: string;
  /** The purpose of the panel, in a sentence. */
  readonly lead: ComponentChildren;
  readonly controls: ComponentChildren;
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
