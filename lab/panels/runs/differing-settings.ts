/** What runs were asked for, as far as it is not the same. */
import type { RunDescription } from "../../../src/runs/run-description.js";

export interface DifferingSetting {
  /** "learning rate" */
  readonly name: string;
  /** Of every run, as texts. */
  readonly values: readonly string[];
}

/** Not what somebody asked for. */
const passedOver = ["fingerprint", "window"];

export function differingSettings(runs: readonly RunDescription[]): DifferingSetting[] {
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
