/** The page: the frame around the panels. */
import { type VNode, render } from "preact";
import { useEffect } from "preact/hooks";
import { CopyButton } from "./components/copy-button.js";
import { PanelPlace } from "./components/panel-place.js";
import { linkTo, openPanel, wasOpened } from "./current-address.js";
import { panels } from "./panels/panels.js";
import { theme, themes } from "./theme.js";
import { useWorkers } from "./use-workers.js";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/math.css";
import "./styles/panels.css";

ignoreStrayDrops();
const place = document.getElementById("lab");
if (place) render(<App />, place);

/** A file dropped beside its box must not open in place of the page: results would be lost. */
function ignoreStrayDrops(): void {
  for (const type of ["dragover", "drop"] as const) {
    addEventListener(type, (event) => {
      const { dataTransfer } = event;
      // Boxes for files have prevented the default. Text may still be dropped into fields.
      if (event.defaultPrevented || !dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      dataTransfer.dropEffect = "none";
    });
  }
}

function App(): VNode {
  const open = panels.find(({ name }) => name === openPanel.value) ?? panels[0];
  useEffect(() => {
    document.title = `${open.title} · gaussianize lab`;
  }, [open]);
  return (
    <>
      <header class="top">
        <button type="button" class="skip" onClick={focusPanel}>
          Skip to the panel
        </button>
        <p class="brand">
          <strong>gaussianize</strong> lab
        </p>
        <nav aria-label="Panels">
          {panels.map(({ name, title }) => (
            <a href={linkTo(name)} aria-current={name === open.name ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <CopyButton
          label="Share"
          name="Share: copy the address with your settings"
          textOf={() => location.href}
        />
        <ThemeChoice />
      </header>
      <main id="panel" tabIndex={-1}>
        {panels.map(
          (entry) =>
            wasOpened(entry.name) && (
              <PanelPlace key={entry.name} entry={entry} isOpen={entry === open} />
            ),
        )}
      </main>
      <footer>
        This page computes everything itself
        <Machine />; nothing is sent anywhere. Based on Ballé, Laparra &amp; Simoncelli,{" "}
        <cite>Density modeling of images using a generalized normalization transformation</cite>,
        ICLR 2016.
      </footer>
    </>
  );
}

/** Number of workers. */
function Machine(): VNode {
  const workers = useWorkers();
  return <>{workers === null ? "" : `, with ${workers} worker${workers === 1 ? "" : "s"}`}</>;
}

/** A link would change the address, which holds the state. */
function focusPanel(): void {
  document.getElementById("panel")?.focus();
}

function ThemeChoice(): VNode {
  return (
    <label class="theme">
      <span>Theme</span>
      <select
        value={theme.value}
        onChange={({ currentTarget }) => {
          theme.value = themes.find((name) => name === currentTarget.value) ?? "system";
        }}
      >
        {themes.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
