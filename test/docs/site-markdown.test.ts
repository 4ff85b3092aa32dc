/** The Markdown of the site: anchors, equations and indices; and its addresses. */
import { createMarkdownRenderer } from "vitepress";
import { beforeAll, describe, expect, test } from "vitest";
import { relativePage, rootFrom } from "../../site/any-folder.js";
import { withIndices } from "../../site/markdown/indices.js";
import { math } from "../../site/markdown/math.js";
import { githubSlug } from "../../site/markdown/slug.js";
import { tableCorners } from "../../site/markdown/table-corners.js";
import { replaceTexts } from "../../site/replace-texts.js";

describe("anchors", () => {
  test.each([
    ["The simple certificate: q < 1", "the-simple-certificate-q--1"],
    ["L_p and its U Vᵀ", "l_p-and-its-u-vᵀ"],
    ["Fourier transforms of any length", "fourier-transforms-of-any-length"],
    ["`gaussianize fit`", "gaussianize-fit"],
  ])("of %s are those of GitHub", (heading, anchor) => {
    expect(githubSlug(heading)).toBe(anchor);
  });
});

describe("indices", () => {
  test.each([
    ["α_ij", "α<sub>ij</sub>"],
    ["D_i^ε_i", "D<sub>i</sub><sup>ε<sub>i</sub></sup>"],
    ["|z_j|^α_ij", "|z<sub>j</sub>|<sup>α<sub>ij</sub></sup>"],
    ["dM_ij", "dM<sub>ij</sub>"],
    ["L_{s+1}", "L<sub>s+1</sub>"],
    ["e^(−iω·p)", "e<sup>(−iω·p)</sup>"],
    ["log_prob of snake_case", "log_prob of snake_case"],
    ["x_y_z_w_long", "x_y_z_w_long"],
    ["A sentence.", "A sentence."],
  ])("of %s", (text, html) => {
    expect(withIndices(text)).toBe(html);
  });
});

let render: (source: string) => string;
beforeAll(async () => {
  // VitePress keeps one renderer for each process.
  const markdown = await createMarkdownRenderer(".", {
    config: (own) => {
      math(own);
      tableCorners(own);
    },
  });
  render = (source) => markdown.render(source);
});

describe("equations", () => {
  test("in blocks and in sentences are typeset, with MathML", () => {
    const block = render("```math\ny_i = z_i\n```");
    expect(block).toContain('class="equation"');
    expect(block).toContain("<math ");
    expect(render("Let $`x^2`$ be.")).toContain("<msup>");
  });

  test("leave code and dollars alone", () => {
    expect(render("`$HOME` costs $5 and $6.")).not.toContain("katex");
    expect(render("```sh\necho $HOME\n```")).not.toContain("katex");
  });

  test("with an error stop the build", () => {
    expect(() => render("```math\n\\nosuchcommand\n```")).toThrow("KaTeX parse error");
  });

  test("have no braces that Vue would read", () => {
    expect(render("```math\n{{x}}\n```")).not.toContain("{{");
  });
});

test("an empty corner of a table is no heading", () => {
  const html = render("|   | a |\n| - | - |\n| b | 1 |");
  expect(html).toMatch(/<tr>\s*<td><\/td>\s*<th>a<\/th>/);
});

describe("addresses", () => {
  const data = `<script>window.__VP_SITE_DATA__=JSON.parse("{\\"base\\":\\"/\\"}");</script>`;

  test.each([
    ["index.md", "./"],
    ["docs/lab.md", "../"],
    ["a/b/c.md", "../../"],
  ])("%s finds the site at %s", (page, root) => {
    expect(rootFrom(page)).toBe(root);
  });

  test("of a page become relative, in tags only", () => {
    const html = relativePage(`<a class="x" href="/docs/a.html">href="/x"</a>${data}`, "docs/b.md");
    expect(html).toContain(`<a class="x" href="../docs/a.html">href="/x"</a>`);
    expect(html).toContain(`window.__VP_SITE_DATA__.base=new URL("../",location.href).pathname;`);
  });

  test("of other hosts stay", () => {
    const html = `<a href="//host/a"></a><a href="https://host/a"></a>${data}`;
    expect(relativePage(html, "docs/b.md")).toContain(html.replace("</script>", ""));
  });

  test("need texts of VitePress, whose absence is an error", () => {
    const text = "const base = import.meta.env.BASE_URL;";
    const module = "/app/utils.js";
    const { transform } = replaceTexts([{ module, text, replacement: "here" }]) as {
      transform: (code: string, id: string) => { code: string } | undefined;
    };
    expect(transform(`a; ${text} b;`, "c:\\app\\utils.js")?.code).toBe("a; here b;");
    expect(transform("other code", "/other.js")).toBeUndefined();
    expect(() => transform("other code", module)).toThrow("Has VitePress changed?");
    expect(() => relativePage("<html></html>", "a.md")).toThrow("Has VitePress changed?");
  });
});
