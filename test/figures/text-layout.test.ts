import { describe, expect, test } from "vitest";
import { powerOfTen } from "../../src/figures/chart-frame.js";
import { flowInRows, spreadApart, textWidth, wrapText } from "../../src/figures/text-layout.js";

describe("textWidth", () => {
  test("grows with the font size, and distinguishes narrow and wide letters", () => {
    expect(textWidth("density", 20)).toBeCloseTo(2 * textWidth("density", 10), 12);
    expect(textWidth("ill", 10)).toBeLessThan(textWidth("mmm", 10) / 2);
    expect(textWidth("", 10)).toBe(0);
  });
});

describe("wrapText", () => {
  test("breaks between words, and keeps all of them", () => {
    const text = "How Gaussian do synthetic scenes become when responses normalize each other?";
    const lines = wrapText(text, 150, 15);
    expect(lines.join(" ")).toBe(text);
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(textWidth(line, 15)).toBeLessThanOrEqual(150);
    expect(wrapText("  ", 100, 15)).toEqual([]);
    expect(wrapText("incomprehensibilities a", 10, 15)).toEqual(["incomprehensibilities", "a"]);
  });
});

describe("flowInRows", () => {
  test("begins a new row if the next item does not fit", () => {
    expect(flowInRows([40, 40, 40, 200], 100, 10)).toEqual([
      { row: 0, left: 0 },
      { row: 0, left: 50 },
      { row: 1, left: 0 },
      { row: 2, left: 0 },
    ]);
  });
});

describe("spreadApart", () => {
  test("keeps distant heights, and moves close ones apart in order", () => {
    expect(spreadApart([10, 50, 90], 16, 0, 100)).toEqual([10, 50, 90]);
    expect(spreadApart([95, 96, 10], 16, 0, 100)).toEqual([84, 100, 10]);
    expect(spreadApart([5, 5, 5], 16, 0, 100)).toEqual([5, 21, 37]);
  });
});

describe("numbers in charts", () => {
  test("are powers of ten", () => {
    expect([1e-12, 1e-3, 1, 10, 1e5].map(powerOfTen)).toEqual(["10⁻¹²", "10⁻³", "1", "10", "10⁵"]);
  });
});
