/** What a model is, in numbers: the data behind `gaussianize inspect`. */
import { type FloatArray, type Model, type Stage, parametersOf, stagesOf } from "../src/index.js";
import { oneLine, short, thousands, wrapped } from "./text.js";

export interface GroupSummary {
  readonly name: string;
  readonly values: number;
  readonly smallest: number;
  readonly median: number;
  readonly largest: number;
  /** Part of the values that are exactly 0. */
  readonly zeros: number;
}

export interface StageSummary {
  readonly kind: Stage["kind"];
  readonly structure?: string;
  readonly parameters: number;
  readonly groups: readonly GroupSummary[];
}

export interface ModelSummary {
  readonly dimension: number;
  readonly parameters: number;
  readonly stages: readonly StageSummary[];
}

export function summarize({ transform }: Model): ModelSummary {
  const groups = parametersOf(transform);
  const stages = stagesOf(transform).map((stage, k): StageSummary => {
    const summaries = Object.entries(groups[k]).map(([name, values]) => groupOf(name, values));
    return {
      kind: stage.kind,
      ...(stage.kind === "gdn" ? { structure: stage.structure } : {}),
      parameters: summaries.reduce((sum, { values }) => sum + values, 0),
      groups: summaries,
    };
  });
  return {
    dimension: transform.dimension,
    parameters: stages.reduce((sum, { parameters }) => sum + parameters, 0),
    stages,
  };
}

function groupOf(name: string, values: FloatArray): GroupSummary {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length / 2;
  return {
    name,
    values: sorted.length,
    smallest: sorted[0],
    median: (sorted[Math.ceil(middle) - 1] + sorted[Math.floor(middle)]) / 2,
    largest: sorted[sorted.length - 1],
    zeros: sorted.reduce((sum, value) => sum + (value === 0 ? 1 : 0), 0) / sorted.length,
  };
}

/** Of parameters and of figures. */
const symbols: Readonly<Record<string, string>> = {
  alpha: "α",
  beta: "β",
  gamma: "γ",
  epsilon: "ε",
  "negentropy difference": "ΔJ",
};

export function titleOf(path: string, { about: { name, patch } }: Model): string {
  const patches = patch ? `, ${patch.width}×${patch.height} patches` : "";
  return oneLine(`${path}: ${name ?? "a model without a name"}${patches}`);
}

/** A table with a line for each group of parameters. */
export function summaryText({ dimension, parameters, stages }: ModelSummary): string {
  const layers = stages.filter(({ kind }) => kind === "gdn").length;
  const ofLayers = layers > 1 ? ` in ${layers} layers` : "";
  const lines = [`${dimension} dimensions, ${thousands(parameters)} parameters${ofLayers}`];
  stages.forEach((stage, k) => {
    const kind = stage.structure === undefined ? stage.kind : `${stage.kind}, ${stage.structure}`;
    lines.push("", row(`stage ${k}: ${kind}`, ["values", "smallest", "median", "largest"]));
    for (const group of stage.groups) lines.push(groupText(group));
  });
  return lines.join("\n");
}

function groupText({ name, values, smallest, median, largest, zeros }: GroupSummary): string {
  const numbers = [thousands(values), ...[smallest, median, largest].map((value) => short(value))];
  const share = zeros > 0 ? `   ${thousands(Math.round(zeros * values))} are 0` : "";
  return row(`  ${symbols[name] ?? name}`, numbers) + share;
}

function row(label: string, cells: readonly string[]): string {
  return label.padEnd(28) + cells.map((cell) => cell.padStart(11)).join("");
}

/** Where a model comes from and what is known about it, as far as it fits on a few lines: the rest is for --json. */
export function aboutText({ about }: Model): string {
  const { figures = {}, preprocessing = {}, training = {}, data = {}, seed } = about;
  const entries: readonly (readonly [label: string, text: string])[] = [
    ...Object.entries(figures).map(([name, value]) => figureOf(name, value)),
    ["training", brief(training)],
    ["data", brief(data)],
    ["preprocessing", brief(preprocessing)],
    ["seed", seed === undefined ? "" : `${seed}`],
  ];
  const shown = entries.filter(([, text]) => text !== "");
  const widest = shown.reduce((most, [label]) => Math.max(most, label.length), 0);
  const indent = " ".repeat(widest + 2);
  return shown
    .map(([label, text]) => wrapped(`${oneLine(label).padEnd(widest)}  ${text}`, indent))
    .join("\n");
}

/** negentropyDifferenceInNatsPerPixel → ΔJ, … nats per pixel */
function figureOf(name: string, value: number): [label: string, text: string] {
  const [quantity, unit = ""] = words(name).split(/ in (.*)/);
  return [symbols[quantity] ?? quantity, `${short(value, 4)} ${unit}`.trim()];
}

function brief(record: object): string {
  return Object.entries(record)
    .filter(([, value]) => typeof value !== "object")
    .map(([name, value]) => {
      const text = typeof value === "number" ? short(value, 4) : String(value);
      return name === "description" ? text : `${words(name)} ${text}`;
    })
    .join(", ");
}

/** noiseLevel → noise level */
function words(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
}
