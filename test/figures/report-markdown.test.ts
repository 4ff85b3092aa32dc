import { describe, expect, test } from "vitest";
import { pngDataUrl } from "../../src/figures/encode-png.js";
import type { ReportBlock } from "../../src/figures/report-blocks.js";
import { reportMarkdown } from "../../src/figures/report-markdown.js";

function markdownOf(...blocks: ReportBlock[]) {
  const sections = [{ title: "What γ_ij does", blocks }];
  return reportMarkdown({ title: "A report", sections }, { folder: "figures" });
}

const image = pngDataUrl({ width: 2, height: 2, pixels: Float32Array.of(0, 1, 1, 0) });

describe("a report as Markdown", () => {
  test("has its title, lead, opening and sections", () => {
    const { markdown } = reportMarkdown(
      {
        title: "A *report*",
        lead: ["In ", { strong: "few" }, " words, ", { link: "here", href: "https://a.org/b_(c)" }],
        opening: [{ kind: "highlights", items: [{ label: "ΔJ", value: "−2.5", unit: "nats" }] }],
        sections: [{ title: "One", blocks: [{ kind: "code", code: "gaussianize demo" }] }],
      },
      { folder: "figures" },
    );
    expect(markdown).toBe(
      [
        "# A \\*report\\*",
        "In **few** words, [here](https://a.org/b_%28c%29)",
        "- ΔJ: −2.5 nats",
        "## One",
        "```sh\ngaussianize demo\n```\n",
      ].join("\n\n"),
    );
  });

  test("replaces addresses that run a program", () => {
    const text = { link: "x", href: "javascript:alert(1)" };
    expect(markdownOf({ kind: "paragraph", text }).markdown).toContain("[x](#)");
  });

  test("escapes the special characters of Markdown", () => {
    const { markdown } = markdownOf({ kind: "paragraph", text: "γ_ij |z|^α <b> [1] `x`" });
    expect(markdown).toContain("γ\\_ij \\|z\\|^α \\<b\\> \\[1\\] \\`x\\`");
  });

  test("escapes list markers, and keeps backticks in code", () => {
    const { markdown } = markdownOf(
      { kind: "paragraph", text: "1. is not a list" },
      { kind: "paragraph", text: "- nor this" },
      { kind: "paragraph", text: { code: "a `b` c" } },
      { kind: "code", code: "```\nx\n```" },
      { kind: "details", summary: "Sources", entries: [["a & b", "c~d"]] },
    );
    expect(markdown).toContain("\n1\\. is not a list\n");
    expect(markdown).toContain("\n\\- nor this\n");
    expect(markdown).toContain("`` a `b` c ``");
    expect(markdown).toContain("````sh\n```\nx\n```\n````");
    expect(markdown).toContain("**Sources**\n\n- a \\& b: c\\~d");
  });

  test("prints tables with the digits of their columns", () => {
    const { markdown } = markdownOf({
      kind: "table",
      columns: [{ label: "model" }, { label: "ΔJ", unit: "nats", digits: 2 }],
      rows: [
        ["GDN", -2.434],
        ["RG | x", Number.NaN],
      ],
    });
    expect(markdown).toContain(
      "| model | ΔJ (nats) |\n| --- | ---: |\n| GDN | −2.43 |\n| RG \\| x | – |",
    );
  });

  test("puts pictures into files that are named after their section", () => {
    const svg = '<svg role="img" aria-label="a &lt; b &amp; c"></svg>';
    const { markdown, files } = markdownOf(
      { kind: "figure", svg, caption: "A chart." },
      { kind: "figures", figures: [{ image, alt: "Two greys", width: 2, height: 2 }] },
    );
    expect(markdown).toContain("![a \\< b \\& c](figures/what-ij-does-1.svg)\n\nA chart.");
    expect(markdown).toContain("![Two greys](figures/what-ij-does-2.png)");
    expect(files.map(({ path }) => path)).toEqual([
      "figures/what-ij-does-1.svg",
      "figures/what-ij-does-2.png",
    ]);
    expect(new TextDecoder().decode(files[0].bytes)).toBe(`${svg}\n`);
    expect(Array.from(files[1].bytes.subarray(1, 4))).toEqual([0x50, 0x4e, 0x47]);
  });
});
