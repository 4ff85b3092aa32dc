/** A report with every kind of block, and the elements of the SVG that charts are. */
import { parseHTML } from "linkedom";
import { svgDocument } from "../../node/figures.js";
import { histogramOf } from "../../src/evaluation/histogram.js";
import { standardNormal } from "../../src/evaluation/reference-densities.js";
import { pngDataUrl } from "../../src/figures/encode-png.js";
import { histogramChart } from "../../src/figures/histogram-chart.js";
import { lineChart } from "../../src/figures/line-chart.js";
import type { ReportBlock } from "../../src/figures/report-blocks.js";
import { reportPage } from "../../src/figures/report.js";

export const hostile = `<img src=x onerror="alert('1')"> & co`;
export const picture = {
  image: pngDataUrl({ width: 2, height: 2, pixels: Float32Array.of(0, 1, 1, 0) }),
  alt: hostile,
  width: 200,
  height: 200,
};

async function everyBlock(): Promise<ReportBlock[]> {
  const document = await svgDocument();
  const histogram = histogramOf([0, 0.1, -0.5, 2], { bins: 10, from: -3, to: 3 });
  const series = [{ label: hostile, histogram }];
  const svg = await histogramChart(document, { series, expected: standardNormal, xLabel: "y" });
  const line = { label: "a", x: [0, 1], y: [1, 2] };
  const curve = await lineChart(document, { series: [line], xLabel: "step", yLabel: "nats" });
  return [
    { kind: "paragraph", text: hostile },
    {
      kind: "paragraph",
      text: [
        { strong: hostile },
        { emphasis: hostile },
        { code: hostile },
        { link: hostile, href: "javascript:alert(1)" },
        { link: "the paper", href: "https://arxiv.org/abs/1511.06281" },
      ],
    },
    { kind: "highlights", items: [{ label: hostile, value: hostile, unit: hostile }] },
    {
      kind: "table",
      caption: hostile,
      columns: [
        { label: "model" },
        { label: "ΔJ", unit: "nats per pixel", digits: 3 },
        { label: "time to fit the whole of it", unit: "s", digits: 1 },
        { label: "excess kurtosis of all components" },
      ],
      rows: [
        [hostile, -2.0391, 14.53, 1],
        ["ICA-MG", NaN, 4.8, -0.5],
      ],
    },
    { kind: "figure", svg, caption: hostile },
    { kind: "figures", figures: [{ svg: curve }, picture], caption: hostile },
    { kind: "code", code: `${hostile}${"-".repeat(200)}` },
    {
      kind: "details",
      summary: hostile,
      entries: [
        ["command", { code: hostile }],
        ["data", "0123456789abcdef".repeat(8)],
      ],
    },
  ];
}

export async function everyBlockPage(): Promise<string> {
  const blocks = await everyBlock();
  const sections = ["First", hostile].map((title) => ({ title, blocks }));
  return reportPage({ title: hostile, lead: hostile, opening: blocks.slice(0, 1), sections });
}

export function elementOf(svg: string): Element {
  return parseHTML(`<!doctype html><html><body>${svg}</body></html>`).document.querySelector(
    "svg",
  )!;
}

/** Returns the text of a chart. */
export function textsOf(svg: string): string[] {
  return Array.from(elementOf(svg).querySelectorAll("text"), (text) => text.textContent);
}

/** Returns elements by name that have all classes, or are in a group that has. */
export function drawnBy(svg: string, name: string, classes: string): Element[] {
  const selector = classes
    .split(" ")
    .map((part) => `.${part}`)
    .join("");
  return [...elementOf(svg).querySelectorAll(`g${selector} ${name}, ${name}${selector}`)];
}
