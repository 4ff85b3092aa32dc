import { parseHTML } from "linkedom";
import { beforeAll, describe, expect, test } from "vitest";
import type { ReportBlock } from "../../src/figures/report-blocks.js";
import { reportPage } from "../../src/figures/report.js";
import { everyBlockPage, hostile, picture } from "../support/report-page.js";

describe("reportPage", () => {
  let page: string;
  let document: Document;
  beforeAll(async () => {
    page = await everyBlockPage();
    ({ document } = parseHTML(page));
  });

  test("is a whole page: doctype, language, character set, viewport, one heading", () => {
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(document.querySelector("meta[charset]")!.getAttribute("charset")).toBe("utf-8");
    expect(document.querySelector("meta[name=viewport]")).not.toBeNull();
    expect(document.querySelectorAll("h1")).toHaveLength(1);
    expect(document.querySelectorAll("h2")).toHaveLength(2);
  });

  test("escapes every text", () => {
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

  test("requests nothing from outside, and forbids it", () => {
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

  test("links to pages, never to programs", () => {
    const addresses = [...document.querySelectorAll("a")].map((a) => a.getAttribute("href"));
    expect(addresses.slice(0, 2)).toEqual(["#", "https://arxiv.org/abs/1511.06281"]);
  });

  test("has no duplicate ids", () => {
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    expect(ids).toEqual(["section-1", "section-2"]);
  });

  test("writes numbers of a column with the same digits, true minus signs and the unit in the head", () => {
    const table = document.querySelector("table")!;
    const texts = (selector: string) =>
      Array.from(table.querySelectorAll(selector), ({ textContent }) => textContent);
    expect(texts("td.number")).toEqual(["−2.039", "14.5", "1", "–", "4.8", "−0.5"]);
    expect(texts("thead th")[1]).toBe("ΔJnats per pixel");
    expect(texts("th[scope=row]")).toEqual([hostile, "ICA-MG"]);
  });

  test("gives every picture a text", () => {
    for (const svg of document.querySelectorAll("svg")) {
      expect(svg.getAttribute("aria-label")).not.toBe("");
      expect(svg.getAttribute("role")).toBe("img");
    }
  });

  test("is the same each time", async () => {
    expect(await everyBlockPage()).toBe(page);
  });

  test("rejects a picture from outside and a row with too few cells", () => {
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
});
