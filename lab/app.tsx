/** The frame around the panels: name, tabs, theme, and what computes here. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { linkTo, openPanel, wasOpened } from "./current-address.js";
import { PanelPlace } from "./components/panel-place.js";
import { compute } from "./compute/compute.js";
import { panels } from "./panels/panels.js";
import { theme, themes } from "./theme.js";

export function App(): VNode {
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
        All computing happens in this page
        <Machine />; nothing is sent anywhere. After Ballé, Laparra &amp; Simoncelli,{" "}
        <cite>Density modeling of images using a generalized normalization transformation</cite>,
        ICLR 2016.
      </footer>
    </>
  );
}

/** Also has the workers loaded before the first job. */
function Machine(): VNode {
  const [workers, setWorkers] = useState<number | null>(null);
  useEffect(() => {
    // Whoever starts a job hears what is wrong.
    compute("machine", null).then(
      (machine) => {
        setWorkers(machine.workers);
      },
      () => undefined,
    );
  }, []);
  return <>{workers === null ? "" : `, on ${workers} worker${workers === 1 ? "" : "s"}`}</>;
}

/** Not by a link: the address holds the state. */
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
        <option value="system">system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  );
}
