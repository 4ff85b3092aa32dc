/** Where a panel is on the page: loaded when it is opened first, and hidden while another one is open. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { replaceAddress } from "../current-address.js";
import { IsOpen } from "../is-open.js";
import { type LoadedPanel, loadPanel } from "../load-panel.js";
import type { PanelEntry } from "../panels/panels.js";
import { Boundary } from "./boundary.js";
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
