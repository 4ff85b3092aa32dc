/** Settings that differ between the chosen runs. */
import type { VNode } from "preact";
import type { RunDescription } from "../../../src/runs/run-description.js";
import { Wide } from "../../components/panel.js";

/** Settings that differ between the chosen runs, side by side. */
export function RunSettings({ runs }: { readonly runs: readonly RunDescription[] }): VNode {
  const settings = differingSettings(runs);
  if (settings.length === 0) return <p>The chosen runs have the same settings.</p>;
  return (
    <Wide label="Settings that differ">
      <table>
        <thead>
          <tr>
            {["Setting", ...runs.map(({ name }) => name)].map((heading) => (
              <th key={heading} scope="col">
                {heading}
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

/** Entries of the configuration that are not settings. */
const ignored = ["fingerprint", "window"];

function differingSettings(runs: readonly RunDescription[]) {
  const configs: readonly Readonly<Record<string, unknown>>[] = runs.map(({ config, images }) => ({
    ...config,
    images,
  }));
  const names = new Set(configs.flatMap((config) => Object.keys(config)));
  return [...names]
    .filter((name) => !ignored.includes(name))
    .map((name) => ({
      name: words(name),
      values: configs.map((config) => textOf(config[name])),
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
