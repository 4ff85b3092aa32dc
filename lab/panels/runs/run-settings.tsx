import type { VNode } from "preact";
import { Wide } from "../../components/panel.js";
import type { RunDescription } from "../../../src/runs/run-description.js";

/** Settings of the chosen runs, side by side, as far as they differ. */
export function RunSettings({ runs }: { readonly runs: readonly RunDescription[] }): VNode {
  const settings = differingSettings(runs);
  if (settings.length === 0) return <p>All settings of the chosen runs are the same.</p>;
  return (
    <Wide label="Settings that differ">
      <table>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            {runs.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {settings.map(({ name, values }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {values.map((value, k) => (
                <td key={runs[k].name}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

interface DifferingSetting {
  /** "learning rate" */
  readonly name: string;
  /** One for each run, as texts. */
  readonly values: readonly string[];
}

/** Entries of the configuration that nobody chose. */
const passedOver = ["fingerprint", "window"];

function differingSettings(runs: readonly RunDescription[]): DifferingSetting[] {
  const configs = runs.map(({ config, images }) => ({ ...config, images }));
  const names = new Set(configs.flatMap((config) => Object.keys(config)));
  return [...names]
    .filter((name) => !passedOver.includes(name))
    .map((name) => ({
      name: words(name),
      values: configs.map((config) => textOf((config as Record<string, unknown>)[name])),
    }))
    .filter(({ values }) => new Set(values).size > 1);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** learningRate → learning rate */
function words(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
}
