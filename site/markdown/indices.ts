/**
 * Typesets the indices and exponents of symbols in sentences and tables: "α_ij", "D_i^ε_i", "e^x".
 * Only single letters have them, so that other words with underscores stay as they are.
 */
import type { MarkdownRenderer } from "vitepress";

const index = String.raw`(?:[A-Za-z0-9Α-Ωα-ω]{1,2}(?![A-Za-z0-9Α-Ωα-ω])|\{[^{}]{1,12}\}|\([^()]{1,12}\))`;
const letter = String.raw`(?<![\p{L}\p{N}_^])[d∂]?\p{L}\p{M}?`;
/** Brackets and bars have exponents only. */
const bracket = String.raw`[)|‖](?=\^)`;
const symbol = new RegExp(
  String.raw`(${letter}|${bracket})((?:_${index})?(?:\^−?${index}(?:_${index})?)?)(?!_)`,
  "gu",
);

/** Returns HTML. The text must be escaped already. */
export function withIndices(text: string): string {
  return text.replace(symbol, (_, base: string, marks: string) => {
    const parts: readonly (string | undefined)[] =
      /^(?:_(.+?))?(?:\^(.+?)(?:_(.+))?)?$/su.exec(marks) ?? [];
    const [, below, above, belowAbove] = parts;
    const small = belowAbove === undefined ? "" : `<sub>${bare(belowAbove)}</sub>`;
    return [
      base,
      below === undefined ? "" : `<sub>${bare(below)}</sub>`,
      above === undefined ? "" : `<sup>${bare(above)}${small}</sup>`,
    ].join("");
  });
}

/** Braces only group. */
function bare(text: string): string {
  return text.replace(/^\{(.*)\}$/, "$1");
}

export function indices(markdown: MarkdownRenderer): void {
  const { text } = markdown.renderer.rules;
  markdown.renderer.rules.text = (tokens, k, options, environment, self) =>
    withIndices(text?.(tokens, k, options, environment, self) ?? "");
}
