/** What a model is, in numbers: the data behind `gaussianize inspect`. */
import { type FloatArray, type Model, type Stage, parametersOf, stagesOf } from "../src/index.js";

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

const symbols: Readonly<Record<string, string>> = {
  H: "H",
  alpha: "α",
  beta: "β",
  gamma: "γ",
  epsilon: "ε",
};

/** A few lines for people. */
export function summaryText({ dimension, parameters, stages }: ModelSummary): string {
  const lines = [`${dimension} dimensions, ${thousands(parameters)} parameters`];
  stages.forEach((stage, k) => {
    const kind = stage.structure === undefined ? stage.kind : `${stage.kind}, ${stage.structure}`;
    lines.push(`stage ${k}: ${kind}, ${thousands(stage.parameters)} parameters`);
    for (const group of stage.groups) lines.push(`  ${groupText(group)}`);
  });
  return lines.join("\n");
}

function groupText({ name, values, smallest, median, largest, zeros }: GroupSummary): string {
  const symbol = (symbols[name] ?? name).padEnd(9);
  const count = thousands(values).padStart(9);
  if (values === 1) return `${symbol} ${count} value   ${short(median)}`;
  const range = `${short(smallest)} … ${short(median)} … ${short(largest)}`;
  const share = zeros > 0 ? `   ${(100 * zeros).toFixed(0)} % are 0` : "";
  return `${symbol} ${count} values  ${range}${share}`;
}

function short(value: number): string {
  return Number(value.toPrecision(3)).toString().replace("-", "−");
}

export function thousands(value: number): string {
  return value.toLocaleString("en-US");
}
