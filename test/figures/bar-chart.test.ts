import { describe, expect, test } from "vitest";
import { svgDocument } from "../../node/figures.js";
import { barChart } from "../../src/figures/bar-chart.js";
import { expectError } from "../support/expect-error.js";
import { drawnBy, textsOf } from "../support/report-page.js";

const document = await svgDocument();
const options = {
  groups: ["to the right", "below"],
  series: [
    { label: "stage 1", values: [0.4, 0.2], errors: [0.05, 0.01] },
    { label: "stage 2", values: [0.1, NaN] },
  ],
  xLabel: "neighbour",
  yLabel: "bits",
};

describe("a bar chart", () => {
  test("has a bar for every finite value, from 0 up to it", async () => {
    const svg = await barChart(document, options);
    const heights = (k: number): number[] =>
      drawnBy(svg, "rect", `gz-s${k} gz-bar`).map((bar) => Number(bar.getAttribute("height")));
    const [[first, second], third] = [heights(0), heights(1)];
    expect(first / second).toBeCloseTo(2, 3);
    expect(third).toHaveLength(1);
    expect(first / third[0]).toBeCloseTo(4, 3);
    expect(drawnBy(svg, "line", "gz-whisker")).toHaveLength(2);
  });

  test("names groups and series, and describes the values in words", async () => {
    const svg = await barChart(document, options);
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining(["to the right", "below", "stage 1", "stage 2", "↑ bits"]),
    );
    expect(svg).toContain(
      "stage 1: to the right 0.400, below 0.200; stage 2: to the right 0.100, below none.",
    );
  });

  test("extends below 0 for negative values", async () => {
    const [first] = options.series;
    const below = { ...first, values: [0.4, -0.1] };
    const svg = await barChart(document, { ...options, series: [below] });
    const bars = drawnBy(svg, "rect", "gz-bar");
    const [up, down] = bars.map((bar) => Number(bar.getAttribute("y")));
    expect(down).toBeCloseTo(up + Number(bars[0].getAttribute("height")), 2);
  });

  test("rejects empty options, and values that do not match the groups", async () => {
    await expectError(barChart(document, { ...options, groups: [] }), {
      code: "invalid-argument",
      argument: "groups",
    });
    const short = [{ label: "stage 1", values: [1] }];
    await expectError(barChart(document, { ...options, series: short }), {
      code: "invalid-argument",
      argument: "values of stage 1",
    });
  });
});
