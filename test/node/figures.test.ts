import { describe, expect, test } from "vitest";
import { svgDocument } from "../../node/figures.js";

describe("svgDocument", () => {
  test("makes SVG elements whose text is escaped when written", async () => {
    const document = (await svgDocument()) as Document;
    const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    text.textContent = "a < b & c";
    expect(text.outerHTML).toBe("<text>a &lt; b &amp; c</text>");
  });
});
