import { parseHTML } from "linkedom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "playwright-core";
import { svgDocument } from "../../node/svg-document.js";
import { histogramOf } from "../../src/evaluation/histogram.js";
import { standardNormal } from "../../src/evaluation/reference-densities.js";
import { histogramChart } from "../../src/figures/histogram-chart.js";
import { lineChart } from "../../src/figures/line-chart.js";
import { pngDataUrl } from "../../src/figures/png-data-url.js";
import type { ReportBlock } from "../../src/figures/report-blocks.js";
import { reportPage } from "../../src/figures/report.js";
import { launchChromium } from "../support/chromium.js";

const hostile = `<img src=x onerror="alert('1')"> & co`;
const picture = {
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

describe("reportPage", () => {
  let page: string;
  let document: Document;
  beforeAll(async () => {
    page = await makePage();
    ({ document } = parseHTML(page));
  });

  async function makePage(): Promise<string> {
    const blocks = await everyBlock();
    const sections = ["First", hostile].map((title) => ({ title, blocks }));
    return reportPage({ title: hostile, lead: hostile, opening: blocks.slice(0, 1), sections });
  }

  it("is a whole page: doctype, language, character set, viewport, one heading", () => {
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(document.querySelector("meta[charset]")!.getAttribute("charset")).toBe("utf-8");
    expect(document.querySelector("meta[name=viewport]")).not.toBeNull();
    expect(document.querySelectorAll("h1")).toHaveLength(1);
    expect(document.querySelectorAll("h2")).toHaveLength(2);
  });

  it("escapes every text that it is given", () => {
    // As text and within attributes: no document has to be trusted with a bare sign.
    expect(page).not.toContain("<img src=x");
    expect(document.querySelectorAll("[onerror], script")).toHaveLength(0);
    for (const selector of ["h1", ".lead", "p strong", "p em", "p code", "dt", "caption"]) {
      expect(document.querySelector(selector)!.textContent).toBe(hostile);
    }
    expect(document.querySelector("img")!.getAttribute("alt")).toBe(hostile);
    expect(document.querySelector("figcaption")!.textContent).toBe(hostile);
    expect(document.querySelector("summary")!.textContent).toBe(hostile);
  });

  it("asks for nothing from elsewhere, and forbids it", () => {
    for (const element of document.querySelectorAll("[src], link[href]")) {
      expect(element.getAttribute("src") ?? element.getAttribute("href")).toMatch(/^data:/);
    }
    const withoutNames = page
      .replaceAll("http://www.w3.org/2000/svg", "")
      .replaceAll(/<a href="[^"]*">/g, "");
    expect(withoutNames).not.toMatch(/https?:\/\//);
    expect(page).not.toMatch(/@import|url\(/);
    const policy = document.querySelector("meta[http-equiv]")!.getAttribute("content");
    expect(policy).toContain("default-src 'none'");
  });

  it("links to pages, never to programs", () => {
    const addresses = [...document.querySelectorAll("a")].map((a) => a.getAttribute("href"));
    expect(addresses.slice(0, 2)).toEqual(["#", "https://arxiv.org/abs/1511.06281"]);
  });

  it("has no id twice", () => {
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    expect(ids).toEqual(["section-1", "section-2"]);
  });

  it("writes numbers of a column with the same digits, true minus signs and the unit in the head", () => {
    const table = document.querySelector("table")!;
    const texts = (selector: string) =>
      Array.from(table.querySelectorAll(selector), ({ textContent }) => textContent);
    expect(texts("td.number")).toEqual(["−2.039", "14.5", "1", "–", "4.8", "−0.5"]);
    expect(texts("thead th")[1]).toBe("ΔJnats per pixel");
    expect(texts("th[scope=row]")).toEqual([hostile, "ICA-MG"]);
  });

  it("gives every picture a text", () => {
    for (const svg of document.querySelectorAll("svg")) {
      expect(svg.getAttribute("aria-label")).not.toBe("");
      expect(svg.getAttribute("role")).toBe("img");
    }
  });

  it("is the same each time", async () => {
    expect(await makePage()).toBe(page);
  });

  it("refuses a picture from elsewhere and a row with too few cells", () => {
    const withBlock = (block: ReportBlock) => () =>
      reportPage({ title: "t", sections: [{ title: "s", blocks: [block] }] });
    expect(withBlock({ kind: "figure", ...picture, image: "https://example.org/a.png" })).toThrow(
      "image to be a data URL of an image",
    );
    const columns = [{ label: "a" }, { label: "b" }];
    expect(withBlock({ kind: "table", columns, rows: [["x"]] })).toThrow(
      "row 0 of the table to hold 2 cells but received 1",
    );
  });

  describe("in Chromium", () => {
    let browser: Browser;
    beforeAll(async () => {
      const launched = await launchChromium();
      if (typeof launched === "string") throw new Error(launched);
      browser = launched;
    }, 60_000);
    afterAll(async () => {
      await browser.close();
    });

    it("does not scroll sideways on a phone of 320 pixels, and asks for nothing", async () => {
      const tab = await browser.newPage({ viewport: { width: 320, height: 640 } });
      const requests: string[] = [];
      const problems: string[] = [];
      tab.on("request", (request) => requests.push(request.url()));
      tab.on("console", (message) => problems.push(message.text()));
      await tab.setContent(page);
      const tooWide = await tab.evaluate(() =>
        [...document.querySelectorAll("main > *, section > *")]
          .filter((element) => element.getBoundingClientRect().right > 320)
          .map(({ outerHTML }) => outerHTML.slice(0, 60)),
      );
      expect(tooWide).toEqual([]);
      expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
      expect(requests.filter((url) => !url.startsWith("data:"))).toEqual([]);
      expect(problems).toEqual([]);
      await tab.close();
    });

    it("is light on light paper, dark on a dark screen and light in print", async () => {
      const tab = await browser.newPage();
      await tab.setContent(page);
      const inkAndPaper = () =>
        tab.evaluate(() => [
          getComputedStyle(document.querySelector("svg")!).color,
          getComputedStyle(document.body).backgroundColor,
        ]);
      const light = ["rgb(31, 35, 40)", "rgb(255, 255, 255)"];
      expect(await inkAndPaper()).toEqual(light);
      await tab.emulateMedia({ colorScheme: "dark" });
      expect(await inkAndPaper()).toEqual(["rgb(232, 234, 237)", "rgb(20, 23, 26)"]);
      await tab.emulateMedia({ colorScheme: "dark", media: "print" });
      expect(await inkAndPaper()).toEqual(light);
      await tab.close();
    });
  });
});
