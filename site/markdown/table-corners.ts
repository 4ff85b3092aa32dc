/** Empty cells in the head of a table, such as its corner, are no headings. */
import type { MarkdownRenderer } from "vitepress";

export function tableCorners(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("table-corners", ({ tokens }) => {
    tokens.forEach((token, k) => {
      if (token.type !== "th_open" || tokens[k + 1].content !== "") return;
      token.tag = "td";
      tokens[k + 2].tag = "td";
    });
  });
}
