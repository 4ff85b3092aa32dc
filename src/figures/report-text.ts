/** Text of a report: the only place where it becomes HTML, and there it is escaped. */

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

/** For the content of elements and for attributes in quotation marks. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign]);
}

/** Back again. */
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

/**
 * Pages, files beside the report and places within it; an address that runs a program leads
 * nowhere.
 */
export function safeAddress(href: string): string {
  return /^(https?:|[./#]|[\w-]+(\.|\/|$))/i.test(href) ? href : "#";
}
