import { describe, expect, test } from "vitest";
import { chartStyle, seriesClass } from "../../src/figures/chart-theme.js";

/** Relative luminance of a colour, by WCAG 2. */
function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((k) => {
    const part = parseInt(colour.slice(k, k + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

describe("the colours of charts", () => {
  const [light, dark] = chartStyle.split("@media screen and (prefers-color-scheme:dark)");

  test.each([
    ["light", light, "#ffffff"],
    ["dark", dark, "#14171a"],
  ])("have a contrast of 3 to 1 with %s paper, texts of 4.5 to 1", (_, style, paper) => {
    const lines = [...style.matchAll(/stroke:(#\w{6})/g)].map(([, colour]) => colour);
    // Five series, and the paler contour lines.
    expect(lines).toHaveLength(6);
    for (const colour of lines) expect(contrast(colour, paper)).toBeGreaterThan(3);
    for (const [, colour] of style.matchAll(/(?:\bcolor|muted\{fill):(#\w{6})/g)) {
      expect(contrast(colour, paper)).toBeGreaterThan(4.5);
    }
  });

  test("come again as dashed lines after the last", () => {
    expect(seriesClass(0)).toBe("gz-s0");
    expect(seriesClass(5)).toBe("gz-s0 gz-dashed");
  });
});
