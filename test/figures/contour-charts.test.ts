import { beforeAll, describe, expect, test } from "vitest";
import { svgDocument } from "../../node/figures.js";
import type { Grid } from "../../src/evaluation/histogram-2d.js";
import type { ChartDocument } from "../../src/figures/chart-options.js";
import { contourChart, contourGrid } from "../../src/figures/contour-charts.js";
import { contourLevels } from "../../src/figures/contour-panel.js";
import { drawnBy, elementOf, textsOf } from "../support/report-page.js";

/** exp(−½ (x² + y²/s²)) on 40×40 cells from −4 to 4. */
function hill(s: number): Grid {
  const at = (k: number): number => -3.9 + 0.2 * k;
  const values = Float64Array.from({ length: 1600 }, (_, k) =>
    Math.exp(-0.5 * (at(k % 40) ** 2 + (at(Math.floor(k / 40)) / s) ** 2)),
  );
  return { width: 40, height: 40, from: -4, to: 4, values };
}

const panel = { empirical: hill(0.5), model: hill(1), levels: [0.01, 0.1, 0.5] };
const options = { ...panel, title: "A<B", note: "KL 0.012 bit", xLabel: "x", yLabel: "x′" };

/** Those of densities, not those in the legend. */
function linesIn(svg: string, classes: string): Element[] {
  return drawnBy(svg, "path", classes).filter((path) => !path.hasAttribute("class"));
}

/** Numbers of the path, as points. */
function pointsIn(path: Element): [number, number][] {
  const numbers = [...(path.getAttribute("d") ?? "").matchAll(/-?[\d.]+/g)].map(Number);
  return Array.from({ length: numbers.length / 2 }, (_, k) => [numbers[2 * k], numbers[2 * k + 1]]);
}

/** Width and height of what a path covers. */
function extentOf(path: Element): [number, number] {
  const points = pointsIn(path);
  const along = (axis: number): number => {
    const values = points.map((point) => point[axis]);
    return Math.max(...values) - Math.min(...values);
  };
  return [along(0), along(1)];
}

describe("contourChart", () => {
  let document: ChartDocument;
  beforeAll(async () => {
    document = await svgDocument();
  });

  test("draws a line for each level, of the histogram in grey beneath those of the model", async () => {
    const svg = await contourChart(document, options);
    expect(linesIn(svg, "gz-contour")).toHaveLength(6);
    expect(linesIn(svg, "gz-contour gz-pale")).toHaveLength(3);
    expect(svg.indexOf("gz-contour gz-pale")).toBeLessThan(svg.indexOf('"gz-contour"'));
  });

  test("has equal scales: a circle is as wide as high, an ellipse is not", async () => {
    const svg = await contourChart(document, { ...options, title: undefined });
    const lines = linesIn(svg, "gz-contour");
    const [ofEllipse, ofCircle] = [lines[2], lines[5]].map(extentOf);
    // Marching squares keep the symmetry of the grid; coordinates have three digits.
    expect(Math.abs(ofCircle[0] - ofCircle[1])).toBeLessThan(0.01);
    expect(ofEllipse[1] / ofEllipse[0]).toBeCloseTo(0.5, 1);
    expect(ofCircle[0]).toBeGreaterThan(50);
  });

  test("shows title, labels, note and legend, and describes itself in words", async () => {
    const svg = await contourChart(document, options);
    const texts = ["A<B", "x →", "↑ x′", "KL 0.012 bit", "histogram", "model"];
    expect(textsOf(svg)).toEqual(expect.arrayContaining(texts));
    expect(elementOf(svg).getAttribute("aria-label")).toBe(
      "A<B. Contour lines at 3 densities: of a histogram in grey, of a model in black. KL 0.012 bit. " +
        "Horizontal: x. Vertical: x′.",
    );
  });

  test("drops specks of one cell", async () => {
    const values = Float64Array.from(panel.empirical.values);
    values[35 * 40 + 36] = 0.05;
    const svg = await contourChart(document, {
      ...options,
      empirical: { ...panel.empirical, values },
    });
    expect(linesIn(svg, "gz-contour gz-pale")).toHaveLength(3);
  });

  test("has no ids and is the same each time", async () => {
    const first = await contourChart(document, options);
    expect(await contourChart(await svgDocument(), options)).toBe(first);
    expect(first).not.toMatch(/\sid=|url\(|href|<script|NaN/);
  });

  test.each([
    [{ model: { ...hill(1), to: 5 } }, "model to have 40×40 cells from -4 to 4"],
    [{ model: { ...hill(1), values: [1] } }, "values of model to hold 1600 values (40×40)"],
    [{ levels: [0.1, 0] }, "levels to be positive numbers but received 0"],
    [
      { empirical: { ...hill(1), values: new Float64Array(1600) }, levels: undefined },
      "a density to have a finite peak but received 0",
    ],
  ])("rejects %#", async (wrong, what) => {
    await expect(contourChart(document, { ...options, ...wrong })).rejects.toThrow(what);
  });
});

describe("contourLevels", () => {
  test("rise to half of the peak, two per decade", () => {
    const levels = contourLevels({ ...hill(1), values: [0, 8, 2], width: 3, height: 1 }, 3);
    [0.4, 0.4 * Math.sqrt(10), 4].forEach((level, k) => {
      expect(levels[k]).toBeCloseTo(level, 12);
    });
    expect(() => contourLevels(hill(1), 0)).toThrow("count to be a positive integer");
  });
});

describe("contourGrid", () => {
  const note = (text: string) => ({ ...panel, note: text });
  const grid = {
    title: "Pairs",
    columns: ["d = 2", "d = 16", "d = 128"],
    rows: [
      { label: "RG", panels: [note("KL 1"), note("KL 2"), note("KL 3")] },
      { label: "GDN", panels: [note("KL 4"), panel, note("KL 6")] },
    ],
    xLabel: "x",
    yLabel: "x′",
  };

  test("is one SVG with the headings of rows and columns and all notes", async () => {
    const svg = await contourGrid(await svgDocument(), grid);
    expect(svg.match(/<svg/g)).toHaveLength(1);
    const texts = textsOf(svg);
    for (const text of [...grid.columns, "RG", "GDN", "KL 1", "KL 4", "KL 6"]) {
      expect(texts.filter((each) => each === text)).toHaveLength(1);
    }
    expect(elementOf(svg).getAttribute("aria-label")).toContain(
      "RG: d = 2 KL 1, d = 16 KL 2, d = 128 KL 3. GDN: d = 2 KL 4, d = 16, d = 128 KL 6.",
    );
  });

  test("draws each panel in a square of its own", async () => {
    const svg = await contourGrid(await svgDocument(), grid);
    expect(linesIn(svg, "gz-contour")).toHaveLength(6 * 6);
    const frames = [...elementOf(svg).querySelectorAll("rect")].map((rect) =>
      ["width", "height"].map((name) => Number(rect.getAttribute(name))),
    );
    expect(frames).toHaveLength(6);
    for (const [width, height] of frames) expect(Math.abs(width - height)).toBeLessThan(0.01);
  });

  test("rejects a row of too few panels and a panel that does not fit, by name", async () => {
    const document = await svgDocument();
    const short = { ...grid, rows: [{ label: "RG", panels: [panel] }] };
    await expect(contourGrid(document, short)).rejects.toThrow("panels of RG to be 3");
    const wrong = { ...panel, model: { ...hill(1), from: -5 } };
    const misfit = { ...grid, rows: [{ label: "RG", panels: [panel, wrong, panel] }] };
    await expect(contourGrid(document, misfit)).rejects.toThrow("model (RG, d = 16) to have");
    await expect(contourGrid(document, { ...grid, rows: [] })).rejects.toThrow("rows to hold");
    await expect(contourGrid(document, { ...grid, columns: [] })).rejects.toThrow("columns to");
  });
});
