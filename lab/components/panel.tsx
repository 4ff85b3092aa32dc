/** The layout of every panel: heading, actions, settings and results. */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

interface PanelProps {
  readonly title: string;
  /** One sentence about the purpose of the panel. */
  readonly lead: ComponentChildren;
  /** Main buttons and their progress. They stay visible while the page scrolls. */
  readonly actions?: ComponentChildren;
  readonly controls: ComponentChildren;
  /** For readers who do not know the paper; panels may also explain their figures one by one. */
  readonly explanation?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Panel({
  title,
  lead,
  controls,
  explanation,
  children,
  ...rest
}: PanelProps): VNode {
  const drawer = useDrawer();
  const { isDrawn, id } = drawer;
  const hasActions = rest.actions !== undefined;
  return (
    <article class="panel">
      <header>
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
      </header>
      <div class="columns">
        <div class="side">
          <section class={hasActions ? "actions" : "actions few"} aria-label="Actions">
            <button
              ref={drawer.opener}
              type="button"
              class="open-settings"
              aria-expanded={isDrawn}
              aria-controls={id}
              onClick={drawer.toggle}
            >
              Settings
            </button>
            {rest.actions}
          </section>
          <section
            id={id}
            ref={drawer.sheet}
            class={isDrawn ? "controls drawn" : "controls"}
            aria-label="Settings"
            tabIndex={-1}
            onKeyDown={drawer.press}
          >
            <button type="button" class="close-settings" onClick={drawer.toggle}>
              Close the settings
            </button>
            {controls}
          </section>
        </div>
        <section class="results" aria-label="Results">
          <div class={explanation === undefined ? "outcome" : "outcome tall"}>{children}</div>
          {explanation !== undefined && (
            <details class="explanation" open>
              <summary>What is this?</summary>
              {explanation}
            </details>
          )}
        </section>
      </div>
    </article>
  );
}

/**
 * On phones, the settings are a sheet over the lower part of the screen, so that the plots above it
 * show what a change does. On wide screens they are always open.
 */
function useDrawer() {
  const [isDrawn, setDrawn] = useState(false);
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const sheet = useRef<HTMLElement>(null);
  const wasDrawn = useRef(false);
  useEffect(() => {
    if (isDrawn) sheet.current?.focus({ preventScroll: true });
    else if (wasDrawn.current) opener.current?.focus({ preventScroll: true });
    wasDrawn.current = isDrawn;
  }, [isDrawn]);
  const toggle = (): void => {
    setDrawn(!isDrawn);
  };
  const press = ({ key }: KeyboardEvent): void => {
    if (key === "Escape") setDrawn(false);
  };
  return { isDrawn, id, opener, sheet, toggle, press };
}

interface ActionBarProps {
  readonly buttons: ComponentChildren;
  /** Progress, or a line about what the buttons would do. Its place stays when it is empty. */
  readonly children: ComponentChildren;
}

/** Buttons above a line of progress. */
export function ActionBar({ buttons, children }: ActionBarProps): VNode {
  return (
    <>
      <div class="buttons">{buttons}</div>
      <div class="action-state">{children}</div>
    </>
  );
}

interface ExplainedProps {
  /** Question that the notes answer: "What is ΔJ?" */
  readonly question: string;
  readonly notes: ComponentChildren;
  /** The figure. */
  readonly children: ComponentChildren;
}

/** Returns whether the page was wide when the component appeared: then its details are open. */
export function useWide(): boolean {
  const [isWide] = useState(() => matchMedia("(min-width: 60rem)").matches);
  return isWide;
}

/** A figure with notes beside it on wide screens, and below it, closed, on phones. */
export function Explained({ question, notes, children }: ExplainedProps): VNode {
  return (
    <div class="explained">
      <div>{children}</div>
      <details class="note" open={useWide()}>
        <summary>{question}</summary>
        {notes}
      </details>
    </div>
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
