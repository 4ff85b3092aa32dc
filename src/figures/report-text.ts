/** Text of a report, and the only place where it is escaped to HTML. */

/** A piece of running text. */
export type Inline =
  | string
  | { readonly strong: string }
  | { readonly emphasis: string }
  | { readonly code: string }
  | { readonly link: string; readonly href: string };

export type Text = Inline | readonly Inline[];

/** Joins the lines of a template literal with spaces, so that long texts wrap in the source. */
export function prose(strings: TemplateStringsArray, ...values: (string | number)[]): string {
  return String.raw({ raw: strings }, ...values)
    .replace(/ *\n */g, " ")
    .trim();
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for elements and for attributes in quotation marks. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign]);
}

/** Reverses `escapeHtml`. */
export function unescapeHtml(text: string): string {
  return Object.entries(entities).reduceRight(
    (plain, [sign, entity]) => plain.replaceAll(entity, sign),
    text,
  );
}

export function textToHtml(text: Text): string {
  if (Array.isArray(text)) return (text as readonly Inline[]).map(inlineToHtml).join("");
  return inlineToHtml(text as Inline);
}

function inlineToHtml(inline: Inline): string {
  if (typeof inline === "string") return escapeHtml(inline);
  if ("strong" in inline) return `<strong>${escapeHtml(inline.strong)}</strong>`;
  if ("emphasis" in inline) return `<em>${escapeHtml(inline.emphasis)}</em>`;
  if ("code" in inline) return `<code>${escapeHtml(inline.code)}</code>`;
  return `<a href="${escapeHtml(safeAddress(inline.href))}">${escapeHtml(inline.link)}</a>`;
}

/** Allows web pages, relative files and anchors; replaces other addresses (scripts) by "#". */
export function safeAddress(href: string): string {
  return /^(https?:|[./#]|[\w-]+(\.|\/|$))/i.test(href) ? href : "#";
}
