/** Tables of runs: all of them with their latest figures, and the settings of the chosen ones. */
import type { VNode } from "preact";
import { fixed, thousands } from "../../../src/numbers/format-number.js";
import type { RunDescription } from "../../../src/runs/run-description.js";
import type { MetricsRecord } from "../../../src/runs/run-metrics.js";
import { Wide } from "../../components/panel.js";

interface RunTableProps {
  readonly runs: readonly RunDescription[];
  readonly chosen: readonly string[];
  readonly onChoose: (name: string, isChosen: boolean) => void;
  /** No more runs can be chosen. */
  readonly isFull: boolean;
}

const headings = [
  { text: "Run" },
  { text: "State" },
  { text: "Steps", isNumber: true },
  { text: "ΔJ", isNumber: true },
  { text: "ΔJ held out", isNumber: true },
  { text: "Last written" },
];

/** All runs, with boxes to choose those that are compared. */
export function RunTable({ runs, chosen, onChoose, isFull }: RunTableProps): VNode {
  return (
    <Wide label="Table of runs">
      <table class="runs">
        <thead>
          <tr>
            {headings.map(({ text, isNumber = false }) => (
              <th key={text} scope="col" class={isNumber ? "number" : ""}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.name}>
              <th scope="row">
                <label class="check">
                  <input
                    type="checkbox"
                    checked={chosen.includes(run.name)}
                    disabled={isFull && !chosen.includes(run.name)}
                    onChange={({ currentTarget }) => {
                      onChoose(run.name, currentTarget.checked);
                    }}
                  />
                  <span>{run.name}</span>
                </label>
              </th>
              <td>{run.status}</td>
              <td class="number">{stepsOf(run)}</td>
              <td class="number">{differenceOf(run.lastStep)}</td>
              <td class="number">{differenceOf(run.lastHeldOut)}</td>
              <td>{timeOf(run.modified)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

function stepsOf({ config, lastStep, lastHeldOut }: RunDescription): string {
  const done = Math.max(lastStep?.step ?? 0, lastHeldOut?.step ?? 0);
  const asked = typeof config.steps === "number" ? ` of ${thousands(config.steps)}` : "";
  return `${thousands(done)}${asked}`;
}

function differenceOf(record: MetricsRecord | null): string {
  return record ? fixed(record.negentropyDifferencePerDimension, 4) : "–";
}

/** Local time, as 2026-11-16 16:04. */
function timeOf(modified: number): string {
  const date = new Date(modified - 60_000 * new Date(modified).getTimezoneOffset());
  return date.toISOString().slice(0, 16).replace("T", " ");
}

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
