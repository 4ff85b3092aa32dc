/** A panel on the page: loaded when it is opened first, and hidden while another one is open. */
import type { ComponentChildren, ComponentType, VNode } from "preact";
import { useEffect, useErrorBoundary, useState } from "preact/hooks";
import { replaceAddress } from "../current-address.js";
import { IsOpen } from "../is-open.js";
import type { PanelEntry } from "../panels/panels.js";
import { sentenceOf } from "../problem.js";
import { Button } from "./controls.js";
import { Notice } from "./notice.js";

interface PanelPlaceProps {
  readonly entry: PanelEntry;
  readonly isOpen: boolean;
}

export function PanelPlace({ entry, isOpen }: PanelPlaceProps): VNode {
  return (
    <div hidden={!isOpen}>
      <IsOpen.Provider value={isOpen}>
        <Boundary
          title={entry.title}
          onForget={() => {
            replaceAddress({ panel: entry.name, values: new Map() });
          }}
        >
          <PanelOf entry={entry} />
        </Boundary>
      </IsOpen.Provider>
    </div>
  );
}

interface BoundaryProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Called before the panel is tried with its usual settings. */
  readonly onForget: () => void;
}

/** Keeps a mistake in a panel from ending the page without a word. */
function Boundary({ title, children, onForget }: BoundaryProps): VNode {
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

type LoadedPanel =
  | { readonly kind: "loaded"; readonly panel: ComponentType }
  /** Nobody answers; it can be tried again. */
  | { readonly kind: "no server" }
  /**
   * Browsers do not ask again for code that did not come: only a page that is loaded anew gets it.
   */
  | { readonly kind: "failed" };

/** The first panel comes with the page. */
let isFirst = true;

async function loadPanel({ load }: PanelEntry): Promise<LoadedPanel> {
  if (!isFirst && !(await doesServerAnswer())) return { kind: "no server" };
  isFirst = false;
  try {
    return { kind: "loaded", panel: await load() };
  } catch {
    return { kind: "failed" };
  }
}

async function doesServerAnswer(): Promise<boolean> {
  try {
    await fetch(location.pathname, { method: "HEAD", cache: "no-store" });
    return true;
  } catch {
    return false;
  }
}

function PanelOf({ entry }: { readonly entry: PanelEntry }): VNode {
  const [loaded, setLoaded] = useState<LoadedPanel | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    setLoaded(null);
    void loadPanel(entry).then(setLoaded);
  }, [entry, round]);
  const { title } = entry;
  switch (loaded?.kind) {
    case undefined:
      return <p class="loading">Loading {title} …</p>;
    case "loaded":
      return <loaded.panel />;
    case "no server":
      return (
        <NotLoaded
          title={title}
          advice="Was it ended? What the other panels have is kept."
          button="Try again"
          onClick={() => {
            setRound(round + 1);
          }}
        />
      );
    case "failed":
      return (
        <NotLoaded
          title={title}
          advice="It comes when the page is loaded again, which begins the other panels anew, too."
          button="Load the page again"
          onClick={() => {
            location.reload();
          }}
        />
      );
  }
}

interface NotLoadedProps {
  readonly title: string;
  readonly advice: string;
  readonly button: string;
  readonly onClick: () => void;
}

function NotLoaded({ title, advice, button, onClick }: NotLoadedProps): VNode {
  return (
    <article class="panel">
      <h1>{title}</h1>
      <Notice kind="problem">
        This part of the page could not be loaded from the server. {advice}
      </Notice>
      <div class="buttons">
        <Button isMain onClick={onClick}>
          {button}
        </Button>
      </div>
    </article>
  );
}
