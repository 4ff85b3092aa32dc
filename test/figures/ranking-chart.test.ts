import { describe, expect, test } from "vitest";
import { svgDocument } from "../../node/figures.js";
import { rankingChart } from "../../src/figures/ranking-chart.js";

const entries = [
  { label: "ICA-MG, here", value: 127.25, series: 0 },
  { label: "RNADE <1>", value: 152.1, series: 1 },
  { label: "GDN, here", value: 152.35, series: 0 },
];
const options = { entries, series: ["here", "others"], xLabel: "nats", digits: 1 };

describe("a ranking chart", () => {
  test("has the largest on top, with its value, and says all of it in words", async () => {
    const svg = await rankingChart(await svgDocument(), options);
    expect(svg).toContain(
      'aria-label="GDN, here 152.3, RNADE &lt;1&gt; 152.1, ICA-MG, here 127.3. Horizontal: nats."',
    );
    const places = ["GDN, here", "RNADE", "ICA-MG, here"].map((name) => svg.indexOf(`>${name}`));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(svg.match(/<circle/g)).toHaveLength(3);
    expect(svg).not.toContain("↑");
  });

  test("is the same text each time, and refuses to show nothing", async () => {
    const document = await svgDocument();
    expect(await rankingChart(document, options)).toBe(await rankingChart(document, options));
    await expect(rankingChart(document, { ...options, entries: [] })).rejects.toThrow(
      /Expected entries to hold a value/,
    );
  });
});
