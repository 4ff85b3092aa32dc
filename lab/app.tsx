/** The frame around the panels: name, tabs, theme, and what computes here. */
import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { address, lastAddressOf, replaceAddress } from "./current-address.js";
import { Boundary } from "./components/boundary.js";
import { Notice } from "./components/notice.js";
import { compute } from "./compute/compute.js";
import { type PanelEntry, panels } from "./panels/panels.js";
import { theme, themes } from "./theme.js";

export function App(): VNode {
  const open = panels.find(({ name }) => name === address.value.panel) ?? panels[0];
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
            <a href={lastAddressOf(name)} aria-current={name === open.name ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <ThemeChoice />
      </header>
      <main id="panel" tabIndex={-1}>
        <Boundary
          key={open.name}
          title={open.title}
          onForget={() => {
            replaceAddress({ panel: open.name, values: new Map() });
          }}
        >
          <OpenPanel entry={open} />
        </Boundary>
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

function OpenPanel({ entry }: { readonly entry: PanelEntry }): VNode {
  const [Panel, setPanel] = useState<ComponentType | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    entry.load().then(
      (loaded) => {
        setPanel(() => loaded);
      },
      (error: unknown) => {
        setProblem(`This panel could not be loaded: ${String(error)}`);
      },
    );
  }, [entry]);
  if (problem !== null) return <Notice kind="problem">{problem}</Notice>;
  return Panel ? <Panel /> : <p class="loading">Loading {entry.title} …</p>;
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
