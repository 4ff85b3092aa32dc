/** Describes a model in numbers, for `gaussianize inspect`. */
import type { Density } from "../../src/density/density.js";
import { subjectOf } from "../../src/density/model-files/model-reading.js";
import { soundStages } from "../../src/density/model-files/model-file.js";
import { type AnyModel, isMixtureModel } from "../../src/density/model-files/model.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { significant, thousands } from "../../src/numbers/format-number.js";
import { medianOf } from "../../src/numbers/order-statistics.js";
import type { ImageStage } from "../../src/transforms/image-cascade.js";
import { stageParameters } from "../../src/transforms/parameters.js";
import { oneLine, wrapped } from "../text.js";
import { type MixtureSummary, mixtureSummary, mixtureText } from "./mixture-summary.js";

export interface GroupSummary {
  readonly name: string;
  readonly values: number;
  readonly smallest: number;
  readonly median: number;
  readonly largest: number;
  /** Share of the values that are exactly 0. */
  readonly zeros: number;
}

export interface StageSummary {
  readonly kind: ImageStage["kind"];
  readonly structure?: string;
  /** Rank of low-rank pools. */
  readonly rank?: number;
  /** Locations that a convolution mixes. */
  readonly taps?: Size;
  /** Size of filters in pixels, for a convolution of pixels. */
  readonly filter?: Size;
  /** Number of maps of a convolution. */
  readonly maps?: number;
  readonly parameters: number;
  readonly groups: readonly GroupSummary[];
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface ModelSummary {
  /** Dimensions of a patch; in models of whole images, of a location: stride². */
  readonly dimension: number;
  /** Side of a block in pixels, in models of whole images. */
  readonly stride?: number;
  /** How the transforms are mixed; only mixtures have it. */
  readonly mixture?: MixtureSummary;
  readonly parameters: number;
  readonly stages: readonly StageSummary[];
}

export function summarize({ model, dimension }: Density): ModelSummary {
  const { transform } = model;
  const all = soundStages(model);
  const stages = all.map((stage, k): StageSummary => {
    const summaries = Object.entries(stageParameters(stage))
      .flatMap((group) => partsOf(stage, group))
      .map(([name, values]) => groupOf(name, values));
    return {
      kind: stage.kind,
      ...(stage.kind === "gdn" ? { structure: stage.structure } : {}),
      ...(stage.kind === "gdn" && stage.rank !== undefined ? { rank: stage.rank } : {}),
      ...(stage.kind === "convolution" ? sizesOf(stage, isOnPixels(all.slice(0, k))) : {}),
      parameters: summaries.reduce((sum, { values }) => sum + values, 0),
      groups: summaries,
    };
  });
  return {
    dimension,
    ...("stride" in transform && { stride: transform.stride }),
    ...(isMixtureModel(model) && { mixture: mixtureSummary(model.transform) }),
    parameters: stages.reduce((sum, { parameters }) => sum + parameters, 0),
    stages,
  };
}

/** Splits the array of a low-rank γ = diag(g) + U Vᵀ into g, U and V. */
function partsOf(stage: ImageStage, group: [string, FloatArray]): [string, FloatArray][] {
  const [name, values] = group;
  if (name !== "gamma" || stage.kind !== "gdn" || stage.rank === undefined) return [group];
  const n = stage.dimension;
  const firstOfV = n * (1 + stage.rank);
  return [
    ["g", values.subarray(0, n)],
    ["U", values.subarray(n, firstOfV)],
    ["V", values.subarray(firstOfV)],
  ];
}

/** Returns whether the stages before keep pixels: convolutions and GDN turn them into maps. */
function isOnPixels(before: readonly ImageStage[]): boolean {
  return before.every(({ kind }) => kind !== "convolution" && kind !== "gdn");
}

function sizesOf(
  { maps, taps: { width, height } }: Extract<ImageStage, { kind: "convolution" }>,
  ofPixels: boolean,
) {
  const stride = Math.sqrt(maps);
  const filter = { width: stride * width, height: stride * height };
  return { taps: { width, height }, maps, ...(ofPixels && { filter }) };
}

function groupOf(name: string, values: FloatArray): GroupSummary {
  const sorted = Float64Array.from(values).sort();
  return {
    name,
    values: sorted.length,
    smallest: sorted[0],
    median: medianOf(sorted),
    largest: sorted[sorted.length - 1],
    zeros: sorted.reduce((sum, value) => sum + (value === 0 ? 1 : 0), 0) / sorted.length,
  };
}

const symbols: Readonly<Record<string, string>> = {
  alpha: "α",
  beta: "β",
  gamma: "γ",
  epsilon: "ε",
  "negentropy difference": "ΔJ",
};

export function titleOf(path: string, model: AnyModel): string {
  const { name = "a model without a name" } = model.about;
  const subject = subjectOf(model);
  return oneLine(`${path}: ${name}${subject === undefined ? "" : `, ${subject}`}`);
}

/** Returns a table with a line for each group of parameters. */
export function summaryText(summary: ModelSummary): string {
  const { dimension, stride, mixture, parameters, stages } = summary;
  const layers = stages.filter(({ kind }) => kind === "gdn").length;
  const ofLayers = layers > 1 && !mixture ? ` in ${layers} layers` : "";
  const size =
    stride === undefined
      ? `${dimension} dimensions`
      : `blocks of ${stride}×${stride} pixels (stride ${stride}), ${dimension} maps`;
  const lines = [`${size}, ${thousands(parameters)} parameters${ofLayers}`];
  if (mixture) lines.push("", ...mixtureText(mixture));
  stages.forEach((stage, k) => {
    lines.push(
      "",
      ...filterText(stage, k),
      row(`stage ${k}: ${kindText(stage)}`, ["values", "smallest", "median", "largest"]),
    );
    for (const group of stage.groups) lines.push(groupText(group));
  });
  return lines.join("\n");
}

function kindText({ kind, structure, rank, taps }: StageSummary): string {
  const ofPools = rank === undefined ? structure : `${structure} ${rank}`;
  const detail = taps ? `${taps.width}×${taps.height}` : ofPools;
  return detail === undefined ? kind : `${kind}, ${detail}`;
}

/** Describes a convolution: its filters see pixels, or maps after a normalization. */
function filterText({ taps, filter, maps }: StageSummary, k: number): string[] {
  if (!taps || maps === undefined) return [];
  const locations = `${taps.width}×${taps.height} locations`;
  const filters = filter
    ? `${filter.width}×${filter.height} pixels`
    : `${locations} × ${maps} maps`;
  return [`stage ${k} mixes ${locations}: filters of ${filters}`];
}

function groupText({ name, values, smallest, median, largest, zeros }: GroupSummary): string {
  const numbers = [
    thousands(values),
    ...[smallest, median, largest].map((value) => significant(value)),
  ];
  const count = Math.round(zeros * values);
  const share = count > 0 ? `   ${thousands(count)} ${count === 1 ? "is" : "are"} 0` : "";
  return row(`  ${symbols[name] ?? name}`, numbers) + share;
}

function row(label: string, cells: readonly string[]): string {
  return label.padEnd(28) + cells.map((cell) => cell.padStart(11)).join("");
}

/** Returns figures, training, data and seed in a few lines; --json has everything. */
export function aboutText({ about }: AnyModel): string {
  const { figures = {}, preprocessing = {}, training = {}, data = {}, seed } = about;
  const entries: readonly (readonly [label: string, text: string])[] = [
    ...Object.entries(figures).map(([name, value]) => figureOf(name, value, training)),
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

/** Formats negentropyDifferenceInNatsPerPixel as ΔJ … nats per pixel. */
function figureOf(
  name: string,
  value: number,
  training: NonNullable<AnyModel["about"]["training"]>,
): [label: string, text: string] {
  const [quantity, inWords = ""] = words(name).split(/ in (.*)/);
  const unit = name === "smallestSingularValue" ? gridText(training) : inWords;
  return [symbols[quantity] ?? quantity, `${significant(value, 4)} ${unit}`.trim()];
}

/** Names the grid of the fit, on which singular values depend a little. */
function gridText({ frequencyGrid: grid }: NonNullable<AnyModel["about"]["training"]>): string {
  // Model files are not trusted.
  const { width, height } = (grid ?? {}) as { readonly width?: unknown; readonly height?: unknown };
  return typeof width === "number" && typeof height === "number"
    ? `on ${width}×${height} locations, after the fit`
    : "on the grid of the fit";
}

function brief(record: object): string {
  return Object.entries(record)
    .filter(([, value]) => typeof value !== "object")
    .map(([name, value]) => {
      const text = typeof value === "number" ? significant(value, 4) : String(value);
      return name === "description" ? text : `${words(name)} ${text}`;
    })
    .join(", ");
}

/** Turns noiseLevel into noise level. */
function words(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
}
