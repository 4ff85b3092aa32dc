import { type ReportBlock, blockToHtml } from "./report-blocks.js";
import { reportStyle } from "./report-style.js";
import { type Text, escapeHtml, textToHtml } from "./report-text.js";

export interface ReportSection {
  readonly title: string;
  /** For links to it, and for the names of its pictures; letters, digits and hyphens. By default a number, and its title. */
  readonly name?: string | undefined;
  readonly blocks: readonly ReportBlock[];
}

export interface Report {
  readonly title: string;
  /** What a reader should know who reads nothing else. */
  readonly lead?: Text | undefined;
  /** Before the first section. */
  readonly opening?: readonly ReportBlock[] | undefined;
  readonly sections: readonly ReportSection[];
  /** Of the text, as in HTML; "en" by default. */
  readonly language?: string | undefined;
}

/** Nothing but what is in the file itself: a browser that obeys it asks for nothing else. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** A report as one HTML file that needs no other; the same report gives the same text. */
export function reportPage(report: Report): string {
  const { title, lead, opening = [], sections, language = "en" } = report;
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>
${reportStyle}
</style>
</head>
<body>
<main>
<header>
<h1>${escapeHtml(title)}</h1>
${lead === undefined ? "" : `<p class="lead">${textToHtml(lead)}</p>\n`}${opening.map(blockToHtml).join("\n")}
</header>
${sections.map(sectionToHtml).join("\n")}
</main>
</body>
</html>
`;
}

function sectionToHtml({ title, name, blocks }: ReportSection, k: number): string {
  const id = escapeHtml(name ?? `section-${k + 1}`);
  return `<section aria-labelledby="${id}">
<h2 id="${id}">${escapeHtml(title)}</h2>
${blocks.map(blockToHtml).join("\n")}
</section>`;
}
