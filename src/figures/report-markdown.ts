/** A report as Markdown, with its pictures as separate files. */
import { type Figure, type Picture, type ReportBlock, cellText } from "./report-blocks.js";
import type { Report } from "./report.js";
import { type Inline, type Text, safeAddress, unescapeHtml } from "./report-text.js";

export interface MarkdownReport {
  readonly markdown: string;
  /** Files of the pictures. */
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[];
}

export interface MarkdownOptions {
  /** Folder of the pictures, relative to the text, without a trailing slash. */
  readonly folder: string;
}

/** Converts a report to Markdown; equal reports give equal bytes. */
export function reportMarkdown(report: Report, { folder }: MarkdownOptions): MarkdownReport {
  const pictures = new Pictures(folder);
  const { title, lead, opening = [], sections } = report;
  const parts = [`# ${escapeMarkdown(title)}`];
  if (lead !== undefined) parts.push(textToMarkdown(lead));
  const add = (blocks: readonly ReportBlock[], name: string): void => {
    const place = pictures.of(name);
    parts.push(...blocks.map((block) => blockToMarkdown(block, place)));
  };
  add(opening, "opening");
  for (const section of sections) {
    parts.push(`## ${escapeMarkdown(section.title)}`);
    add(section.blocks, section.name ?? section.title);
  }
  return { markdown: `${parts.join("\n\n")}\n`, files: pictures.files };
}

type Place = (picture: Picture) => string;

/** Names each picture after its section, with a number. */
class Pictures {
  readonly files: { readonly path: string; readonly bytes: Uint8Array }[] = [];

  constructor(private readonly folder: string) {}

  of(section: string): Place {
    const name = section
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "");
    let count = 0;
    return (picture) => {
      count++;
      const ending = "svg" in picture ? "svg" : endingOf(picture.image);
      const path = `${this.folder}/${name}-${count}.${ending}`;
      this.files.push({ path, bytes: bytesOf(picture) });
      return path;
    };
  }
}

function endingOf(dataUrl: string): string {
  return /^data:image\/(\w+)/.exec(dataUrl)?.[1] ?? "png";
}

function bytesOf(picture: Picture): Uint8Array {
  if ("svg" in picture) return new TextEncoder().encode(`${picture.svg}\n`);
  const base64 = picture.image.slice(picture.image.indexOf(",") + 1);
  return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
}

function blockToMarkdown(block: ReportBlock, place: Place): string {
  switch (block.kind) {
    case "paragraph":
      return textToMarkdown(block.text);
    case "highlights":
      return block.items
        .map(
          ({ label, value, unit = "" }) =>
            `- ${escapeMarkdown(`${label}: ${value} ${unit}`.trim())}`,
        )
        .join("\n");
    case "table":
      return tableToMarkdown(block);
    case "figure":
      return figureToMarkdown(block, place);
    case "figures":
      return [
        ...block.figures.map((figure) => figureToMarkdown(figure, place)),
        ...(block.caption === undefined ? [] : [textToMarkdown(block.caption)]),
      ].join("\n\n");
    case "code": {
      const fence = fenceFor(block.code, 3);
      return `${fence}sh\n${block.code}\n${fence}`;
    }
    case "details":
      return [
        `**${escapeMarkdown(block.summary)}**\n`,
        ...block.entries.map(
          ([name, value]) => `- ${escapeMarkdown(name)}: ${textToMarkdown(value)}`,
        ),
      ].join("\n");
  }
}

function figureToMarkdown(figure: Figure, place: Place): string {
  const image = `![${escapeMarkdown(descriptionOf(figure))}](${place(figure)})`;
  return figure.caption === undefined ? image : `${image}\n\n${textToMarkdown(figure.caption)}`;
}

/** The text alternative of a picture; charts have it in their SVG. */
function descriptionOf(picture: Picture): string {
  if (!("svg" in picture)) return picture.alt;
  return unescapeHtml(/aria-label="([^"]*)"/.exec(picture.svg)?.[1] ?? "");
}

function tableToMarkdown({
  caption,
  columns,
  rows,
}: Extract<ReportBlock, { kind: "table" }>): string {
  const numeric = columns.map((_, k) => rows.every((row) => isNumeric(row[k])));
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const head = columns.map(({ label, unit }) =>
    escapeMarkdown(unit === undefined ? label : `${label} (${unit})`),
  );
  const table = [
    line(head),
    line(numeric.map((isNumber) => (isNumber ? "---:" : "---"))),
    ...rows.map((row) => line(row.map((cell, k) => escapeMarkdown(cellText(cell, columns[k]))))),
  ].join("\n");
  return caption === undefined ? table : `${table}\n\n${textToMarkdown(caption)}`;
}

/** Whether a cell is a number, or the text of one such as −2.14 ± 0.13. */
function isNumeric(cell: string | number): boolean {
  return typeof cell === "number" || /^[−–\-\d.,±*\s]+$/.test(cell);
}

function textToMarkdown(text: Text): string {
  const all = Array.isArray(text) ? (text as readonly Inline[]) : [text as Inline];
  return all.map(inlineToMarkdown).join("");
}

function inlineToMarkdown(inline: Inline): string {
  if (typeof inline === "string") return escapeMarkdown(inline);
  if ("strong" in inline) return `**${escapeMarkdown(inline.strong)}**`;
  if ("emphasis" in inline) return `_${escapeMarkdown(inline.emphasis)}_`;
  if ("code" in inline) {
    const fence = fenceFor(inline.code, 1);
    // Markdown strips one space at both ends.
    return fence === "`" ? `\`${inline.code}\`` : `${fence} ${inline.code} ${fence}`;
  }
  const address = safeAddress(inline.href).replace(/[()\s]/g, percentEncoded);
  return `[${escapeMarkdown(inline.link)}](${address})`;
}

/** Returns more backticks than the longest run in the code. */
function fenceFor(code: string, least: number): string {
  const longest = Math.max(0, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  return "`".repeat(Math.max(least, longest + 1));
}

/** Escapes the characters that Markdown would interpret. */
function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*_[\]<>|#&~]/g, (sign) => `\\${sign}`)
    .replace(/\s*\n\s*/g, " ")
    .replace(/^([-+]|\d+[.)])(?=\s)/, (start) => `${start.slice(0, -1)}\\${start.slice(-1)}`);
}

/** Unlike encodeURIComponent, this also encodes parentheses. */
function percentEncoded(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
