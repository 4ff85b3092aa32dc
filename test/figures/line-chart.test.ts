import { beforeAll, describe, expect, test } from "vitest";
import { svgDocument } from "../../node/figures.js";
import type { ChartDocument } from "../../src/figures/chart-options.js";
import { type LineChartOptions, lineChart } from "../../src/figures/line-chart.js";
import { drawnBy, elementOf, textsOf } from "../support/report-page.js";

const steps = Array.from({ length: 2000 }, (_, k) => k + 1);
const options: LineChartOptions = {
  title: "Fitting",
  series: [
    { label: "GDN", x: steps, y: steps.map((s) => -2 + 2 * Math.exp(-s / 99) + Math.sin(s) / 9) },
    { label: "ICA<MG", x: [0, 1000, 2000], y: [0, -1.5, -1.75] },
  ],
  xLabel: "step",
  yLabel: "ΔJ (nats per pixel)",
  levels: [{ label: "PCA", y: -1.2 }],
};

describe("lineChart", () => {
  let document: ChartDocument;
  beforeAll(async () => {
    document = await svgDocument();
  });

  test("shows its title and labels of both axes, and names each line where it ends, with its last value", async () => {
    const svg = await lineChart(document, options);
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining([
        "Fitting",
        "step →",
        "↑ ΔJ (nats per pixel)",
        "GDN −2.00",
        "ICA<MG −1.75",
        "PCA",
      ]),
    );
    expect(svg).not.toContain("ICA<MG");
  });

  test("describes itself in words", async () => {
    const root = elementOf(await lineChart(document, options));
    expect(root.getAttribute("role")).toBe("img");
    expect(root.getAttribute("aria-label")).toBe(
      "Fitting. Lines that end at GDN −2.00, ICA<MG −1.75, against PCA −1.20. Horizontal: step. " +
        "Vertical: ΔJ (nats per pixel).",
    );
  });

  test("shows a long series as means with a band, a short one with its points", async () => {
    const svg = await lineChart(document, options);
    expect(drawnBy(svg, "path", "gz-s0 gz-band")).toHaveLength(1);
    expect(drawnBy(svg, "path", "gz-s1 gz-band")).toHaveLength(0);
    expect(drawnBy(svg, "circle", "gz-s1 gz-dot")).toHaveLength(3);
    expect(drawnBy(svg, "circle", "gz-s0 gz-dot")).toHaveLength(0);
    expect(svg.length).toBeLessThan(25_000);
  });

  test("interrupts a line at values that are not finite", async () => {
    const series = [{ label: "a", x: [0, 1, 2, 3, 4], y: [1, 2, NaN, Infinity, 3] }];
    const svg = await lineChart(document, { ...options, series, levels: [] });
    expect(svg).not.toMatch(/NaN|Infinity/);
    expect(textsOf(svg)).toContain("a 3.00");
  });

  test("separates the names of lines with close ends", async () => {
    const series = ["a", "b", "c"].map((label) => ({ label, x: [0, 1], y: [0, 1] }));
    const svg = await lineChart(document, { ...options, series, levels: [] });
    const heights = drawnBy(svg, "text", "gz-label").map((text) => Number(text.getAttribute("y")));
    heights.sort((a, b) => a - b);
    expect(heights[1] - heights[0]).toBeGreaterThanOrEqual(15.9);
    expect(heights[2] - heights[1]).toBeGreaterThanOrEqual(15.9);
  });

  test("draws a constant line", async () => {
    const series = [{ label: "a", x: [0, 1], y: [5, 5] }];
    expect(await lineChart(document, { series, xLabel: "x", yLabel: "y" })).not.toMatch(/NaN/);
  });

  test("shows standard errors as a band of their height, beneath all lines", async () => {
    const [x, y] = [
      [0, 1, 2],
      [0, 5, 10],
    ];
    const series = [
      { label: "a", x, y, error: [2, 1, NaN] },
      { label: "b", x, y: [1, 1, 1] },
    ];
    const svg = await lineChart(document, { series, xLabel: "x", yLabel: "y", height: 240 });
    const [band] = drawnBy(svg, "path", "gz-s0 gz-band");
    const numbers = [...(band.getAttribute("d") ?? "").matchAll(/-?[\d.]+/g)].map(Number);
    const heights = numbers.filter((_, k) => k % 2 === 1);
    // An axis from −2 to 10, 240 pixels high: y ± error are 80, 40 and 0 pixels apart, there and
    // back.
    const apart = [0, 1, 2].map((k) => heights[5 - k] - heights[k]);
    [80, 40, 0].forEach((each, k) => {
      expect(Math.abs(apart[k])).toBeCloseTo(each, 2);
    });
    expect(drawnBy(svg, "path", "gz-s1 gz-band")).toHaveLength(0);
    expect(svg.indexOf('gz-band"')).toBeLessThan(svg.indexOf('gz-line"'));
  });

  test("accepts errors of long series: the band includes all of them", async () => {
    const y = steps.map(() => 3);
    const series = [{ label: "a", x: steps, y, error: steps.map(() => 0.5) }];
    const svg = await lineChart(document, { series, xLabel: "x", yLabel: "y" });
    expect(drawnBy(svg, "path", "gz-s0 gz-band")).toHaveLength(1);
    expect(textsOf(svg)).toContain("a 3.00");
  });

  test("has equal widths and ticks for powers of two", async () => {
    const x = [1, 2, 4, 8, 16];
    const series = [{ label: "a", x, y: [5, 4, 3, 2, 1] }];
    const svg = await lineChart(document, { ...options, series, levels: [], powersOfTwo: true });
    expect(textsOf(svg)).toEqual(expect.arrayContaining(x.map(String)));
    const places = drawnBy(svg, "circle", "gz-dot").map((dot) => Number(dot.getAttribute("cx")));
    const steps = places.slice(1).map((place, k) => place - places[k]);
    for (const step of steps) expect(step).toBeCloseTo(steps[0], 2);
    expect(steps[0]).toBeGreaterThan(20);
  });

  test("names lines in a legend on request, each with its own mark", async () => {
    const series = ["raw", "ICA", "RG"].map((label, k) => ({ label, x: [1, 2], y: [k, 0] }));
    const svg = await lineChart(document, { ...options, series, names: "legend" });
    expect(textsOf(svg)).toEqual(expect.arrayContaining(["raw", "ICA", "RG", "PCA"]));
    expect(drawnBy(svg, "text", "gz-label")).toHaveLength(0);
    const shapes = [0, 1, 2].map((k) => {
      // Two on the line, one in the legend.
      const marks = drawnBy(svg, "path", `gz-s${k} gz-dot`);
      expect(marks).toHaveLength(3);
      return marks[0].getAttribute("d");
    });
    expect(new Set(shapes).size).toBe(3);
  });

  test("has no ids and is the same each time", async () => {
    const first = await lineChart(document, options);
    expect(await lineChart(await svgDocument(), options)).toBe(first);
    expect(first).not.toMatch(/\sid=|url\(|href|<script/);
  });

  test.each([
    [[], "series to hold a line"],
    [[{ label: "a", x: [1, 2], y: [1] }], "y of a to hold 2 values but received 1"],
    [[{ label: "a", x: [], y: [] }], "x of a to hold values"],
    [[{ label: "a", x: [1], y: [1], error: [1, 2] }], "error of a to hold 1 values"],
    [[{ label: "a", x: [1], y: [1], error: [-1] }], "error of a to not be negative"],
  ])("of %j is refused", async (series, what) => {
    await expect(lineChart(document, { ...options, series })).rejects.toThrow(what);
  });

  test("rejects x that are not positive for powers of two", async () => {
    const chart = lineChart(document, { ...options, powersOfTwo: true });
    await expect(chart).rejects.toThrow("x to be positive where the axis is logarithmic");
  });
});
