/**
 * Typesets equations as GitHub does: blocks of code in the language "math", and $`…`$ in a
 * sentence. The result holds MathML for screen readers.
 */
import { renderToString } from "katex";
import type { MarkdownRenderer } from "vitepress";

export function math(markdown: MarkdownRenderer): void {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, k, options, environment, self) => {
    const { info, content } = tokens[k];
    if (info.trim() === "math") return block(content);
    return fence?.(tokens, k, options, environment, self) ?? "";
  };
  markdown.inline.ruler.before("backticks", "math", (state, isSilent) => {
    const found = /^\$`([^`]+)`\$/.exec(state.src.slice(state.pos));
    if (!found) return false;
    if (!isSilent) state.push("math", "", 0).content = found[1];
    state.pos += found[0].length;
    return true;
  });
  markdown.renderer.rules.math = (tokens, k) => inline(tokens[k].content);
}

/** Wide equations scroll; the focus lets arrow keys scroll them. */
function block(tex: string): string {
  const typeset = typesetOf(tex, true);
  return `<div class="equation" role="group" aria-label="Equation" tabindex="0">${typeset}</div>\n`;
}

function inline(tex: string): string {
  return typesetOf(tex, false);
}

function typesetOf(tex: string, displayMode: boolean): string {
  const typeset = renderToString(tex, { displayMode, throwOnError: true, strict: "error" });
  // Vue would read two braces as an expression.
  return typeset.replaceAll("{{", "&#123;&#123;");
}
