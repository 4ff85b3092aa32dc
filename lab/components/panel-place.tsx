/** The place of a panel on the page: loads it when first opened, hides it while another is open. */
import type { ComponentChildren, ComponentType, VNode } from "preact";
import { useEffect, useErrorBoundary, useState } from "preact/hooks";
import { closeProblemOfAddress, problemsOfAddress, replaceAddress } from "../current-address.js";
import { IsOpen, PanelName } from "../is-open.js";
import type { PanelEntry } from "../panels/panels.js";
import { sentenceOf } from "../problem.js";
import { Button } from "./controls.js";
import { Notice, Problems } from "./notice.js";

interface PanelPlaceProps {
  readonly entry: PanelEntry;
  readonly isOpen: boolean;
}

export function PanelPlace({ entry, isOpen }: PanelPlaceProps): VNode {
  return (
    <div hidden={!isOpen}>
      <IsOpen.Provider value={isOpen}>
        <Problems
          sentences={problemsOfAddress(entry.name)}
          onClose={(sentence) => {
            closeProblemOfAddress(entry.name, sentence);
          }}
        />
        <PanelName.Provider value={entry.name}>
          <Boundary entry={entry}>
            <PanelOf entry={entry} />
          </Boundary>
        </PanelName.Provider>
      </IsOpen.Provider>
    </div>
  );
}

interface BoundaryProps {
  readonly entry: PanelEntry;
  readonly children: ComponentChildren;
}

/** Shows the error of a panel that fails, and keeps the rest of the page alive. */
function Boundary({ entry, children }: BoundaryProps): VNode {
  const [error, tryAgain] = useErrorBoundary() as [unknown, () => void];
  if (error === undefined) return <>{children}</>;
  return (
    <article>
      <h1>{entry.title}</h1>
      <Notice kind="problem">Cannot show this panel: {sentenceOf(error)}</Notice>
      <div class="buttons">
        <Button isMain onClick={tryAgain}>
          Open it again
        </Button>
        <Button
          onClick={() => {
            replaceAddress({ panel: entry.name, values: new Map() });
            tryAgain();
          }}
        >
          Open it with default settings
        </Button>
      </div>
    </article>
  );
}

/**
 * Trying again helps after "no server". After "failed" only a reload does, because browsers do not
 * request failed code twice.
 */
type LoadedPanel = { readonly panel: ComponentType } | "no server" | "failed";

/** The first panel comes with the page. */
let isFirst = true;

async function loadPanel({ load }: PanelEntry): Promise<LoadedPanel> {
  if (!isFirst && !(await doesServerAnswer())) return "no server";
  isFirst = false;
  try {
    return { panel: await load() };
  } catch {
    return "failed";
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
  if (loaded === null) return <p class="loading">Loading {title} …</p>;
  if (typeof loaded === "object") return <loaded.panel />;
  const isWithoutServer = loaded === "no server";
  return (
    <article class="panel">
      <h1>{title}</h1>
      <Notice kind="problem">
        This panel could not be loaded from the server.{" "}
        {isWithoutServer
          ? "Is the server still running? The other panels keep their state."
          : "Reload the page to load it; this resets the other panels."}
      </Notice>
      <div class="buttons">
        <Button
          isMain
          onClick={() => {
            if (isWithoutServer) setRound(round + 1);
            else location.reload();
          }}
        >
          {isWithoutServer ? "Try again" : "Reload the page"}
        </Button>
      </div>
    </article>
  );
}
