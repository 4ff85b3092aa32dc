import { Resvg } from "@resvg/resvg-js";
import { beforeAll, describe, expect, test } from "vitest";
import { svgDocument } from "../../node/figures.js";
import { histogramOf } from "../../src/evaluation/histogram.js";
import { chiDistribution, standardNormal } from "../../src/evaluation/reference-densities.js";
import type { ChartDocument } from "../../src/figures/chart-options.js";
import { type HistogramChartOptions, histogramChart } from "../../src/figures/histogram-chart.js";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "../support/seed.js";
import { drawnBy, elementOf, textsOf } from "../support/report-page.js";

const values = createRandom(seed, "chart").normalFill(new Float64Array(5000));
const bins = { bins: 20, from: -5, to: 5 };
const options: HistogramChartOptions = {
  title: "Responses <y> & more",
  series: [
    { label: "GDN", histogram: histogramOf(values, bins) },
    {
      label: "ICA & MG",
      histogram: histogramOf(
        values.map((value) => 1.2 * value),
        bins,
      ),
    },
  ],
  expected: standardNormal,
  xLabel: "component of y",
};

describe("histogramChart", () => {
  let document: ChartDocument;
  beforeAll(async () => {
    document = await svgDocument();
  });

  test("shows its title, a legend of all lines and labels of both axes, escaped", async () => {
    const svg = await histogramChart(document, options);
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining([
        "Responses <y> & more",
        "GDN",
        "ICA & MG",
        "standard normal",
        "component of y →",
        "↑ density",
      ]),
    );
    expect(svg).not.toContain("<y>");
  });

  test("describes itself in words, or has the given description", async () => {
    const root = elementOf(await histogramChart(document, options));
    expect(root.getAttribute("role")).toBe("img");
    expect(root.getAttribute("aria-label")).toBe(
      "Responses <y> & more. Histograms of GDN (5000 values), ICA & MG (5000 values), with the density of " +
        "standard normal. Horizontal: component of y. Vertical: density.",
    );
    const told = elementOf(
      await histogramChart(document, { ...options, description: "Two bells." }),
    );
    expect(told.getAttribute("aria-label")).toBe("Two bells.");
  });

  test("gives a series the requested colour", async () => {
    const [{ histogram }] = options.series;
    const classes = async (colour?: number): Promise<string[]> => {
      const series = [{ label: "a", histogram, colour }];
      const svg = await histogramChart(document, { series, xLabel: "x" });
      return [...svg.matchAll(/class="(gz-s\d)/g)].map(([, name]) => name);
    };
    expect(new Set(await classes())).toEqual(new Set(["gz-s0"]));
    expect(new Set(await classes(2))).toEqual(new Set(["gz-s2"]));
  });

  test("draws each bin as a step between its edges, from the bottom and back", async () => {
    const histogram = histogramOf([0.5, 1.5, 1.5, 3.5], { bins: 4, from: 0, to: 4 });
    const one = { series: [{ label: "a", histogram }], xLabel: "x", width: 440, height: 200 };
    const [path] = drawnBy(await histogramChart(document, one), "path", "gz-s0 gz-line");
    const points = pathPoints(path);
    const bottom = points[0][1];
    const unit = bottom - points[1][1];
    const steps = [0, 1, 1, 2, 2, 0, 0, 1, 1, 0];
    points.forEach(([, y], k) => {
      expect((bottom - y) / unit).toBeCloseTo(steps[k], 2);
    });
    const width = points[9][0] - points[0][0];
    expect(points.map(([x]) => Math.round((4 * (x - points[0][0])) / width))).toEqual([
      0, 0, 1, 1, 2, 2, 3, 3, 4, 4,
    ]);
  });

  test("has powers of ten on a logarithmic axis, and interrupts lines at empty bins", async () => {
    const svg = await histogramChart(document, { ...options, logarithmic: true });
    expect(textsOf(svg)).toEqual(expect.arrayContaining(["10⁻¹", "10⁻²", "10⁻³"]));
    expect(svg).not.toMatch(/NaN|Infinity/);
    const [path] = drawnBy(svg, "path", "gz-s0 gz-line");
    // Every drawn point is above the bottom of the axis.
    const frame = Math.max(...pathPoints(path).map(([, y]) => y));
    const height = Number(elementOf(svg).getAttribute("viewBox")!.split(" ")[3]);
    expect(frame).toBeLessThan(height);
  });

  test("draws the curve of a χ distribution with 256 degrees of freedom, highest near √255", async () => {
    const histogram = histogramOf([16], { bins: 1000, from: 10, to: 22 });
    const svg = await histogramChart(document, {
      series: [{ label: "‖y‖", histogram: { ...histogram, density: new Float64Array(1000) } }],
      expected: chiDistribution(256),
      xLabel: "‖y‖",
    });
    const points = pathPoints(drawnBy(svg, "path", "gz-expected")[0]);
    const top = points.reduce((best, point) => (point[1] < best[1] ? point : best));
    const [left, right] = [points[0][0], points[points.length - 1][0]];
    expect(10 + (12 * (top[0] - left)) / (right - left)).toBeCloseTo(Math.sqrt(255), 1);
  });

  test("has no ids and no requests, and is the same each time", async () => {
    const first = await histogramChart(document, options);
    await histogramChart(document, { ...options, logarithmic: true });
    expect(await histogramChart(await svgDocument(), options)).toBe(first);
    expect(first).not.toMatch(/\sid=|url\(|href|<script/);
  });

  test("always has the same style", async () => {
    const styleOf = (svg: string) => elementOf(svg).querySelector("style")!.textContent;
    const other = { ...options, logarithmic: true, title: undefined };
    expect(styleOf(await histogramChart(document, other))).toBe(
      styleOf(await histogramChart(document, options)),
    );
  });

  test("is well-formed XML that another program draws in the colours of the series", async () => {
    const svg = await histogramChart(document, { ...options, description: `a < b & "c"` });
    const { pixels } = new Resvg(svg, { background: "white" }).render();
    const blues = pixels.filter((value, k) => k % 4 === 2 && value > 150 && pixels[k - 2] < 50);
    expect(blues.length).toBeGreaterThan(50);
  });

  test("scales: it has a viewBox, and a width that a page can override", async () => {
    const root = elementOf(await histogramChart(document, { ...options, width: 600 }));
    expect(root.getAttribute("viewBox")).toMatch(/^0 0 600 \d/);
  });

  test("breaks a wide legend into several rows", async () => {
    const series = ["generalized divisive normalization", "independent components", "PCA"].map(
      (label) => ({ label, histogram: options.series[0].histogram }),
    );
    const svg = await histogramChart(document, { ...options, series });
    const swatches = drawnBy(svg, "path", "gz-line").map((path) => path.getAttribute("d")!);
    const rows = swatches.filter((d) => d.includes("h")).map((d) => d.split(",")[1]);
    expect(new Set(rows).size).toBeGreaterThan(1);
  });

  test("rejects an empty list of series", async () => {
    const nothing = { ...options, series: [] };
    await expect(histogramChart(document, nothing)).rejects.toThrow("series to hold a histogram");
  });

  test("draws the members of a series as thin lines of its colour, and tells their number", async () => {
    const members = [0, 1, 2].map((k) =>
      histogramOf(values.subarray(1000 * k, 1000 * (k + 1)), bins),
    );
    const [first, second] = options.series;
    const series = [{ ...first, members }, second];
    const svg = await histogramChart(document, { ...options, series });
    expect(drawnBy(svg, "path", "gz-s0 gz-faint")).toHaveLength(3);
    expect(drawnBy(svg, "path", "gz-s1 gz-faint")).toHaveLength(0);
    expect(svg).toContain("GDN (5000 values, and each of 3 parts)");
    // An empty bin has no logarithm: lines are interrupted there, and no number is lost.
    const logarithmic = await histogramChart(document, { ...options, series, logarithmic: true });
    expect(logarithmic).not.toContain("NaN");
  });
});

function pathPoints(path: Element): [number, number][] {
  const numbers = path.getAttribute("d")!.matchAll(/(-?[\d.]+),(-?[\d.]+)/g);
  return Array.from(numbers, ([, x, y]) => [Number(x), Number(y)]);
}
