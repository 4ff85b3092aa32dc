/** The blocks of a report, and their HTML. */
import { expected } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";
import { fixed, withMinus } from "../numbers/format-number.js";
import { pngDataUrl } from "./encode-png.js";
import { type Text, escapeHtml, textToHtml } from "./report-text.js";

/** A chart (an SVG of this library, which is trusted) or a picture (a data URL). */
export type Picture =
  | { readonly svg: string }
  | {
      readonly image: string;
      /** Text alternative. */
      readonly alt: string;
      /** Size in the page in pixels; enlarged without smoothing, reduced if there is no room. */
      readonly width: number;
      readonly height: number;
    };

export type Figure = Picture & { readonly caption?: Text | undefined };

export interface TableColumn {
  readonly label: string;
  /** Unit, printed below the label. */
  readonly unit?: string | undefined;
  /** Digits after the decimal point; by default as many as JavaScript prints. */
  readonly digits?: number | undefined;
}

export interface Highlight {
  readonly label: string;
  readonly value: string;
  readonly unit?: string | undefined;
}

export type ReportBlock =
  | { readonly kind: "paragraph"; readonly text: Text }
  | { readonly kind: "highlights"; readonly items: readonly Highlight[] }
  | {
      readonly kind: "table";
      readonly caption?: Text | undefined;
      readonly columns: readonly TableColumn[];
      /** Numbers are aligned right, texts left; the first column names the rows. */
      readonly rows: readonly (readonly (string | number)[])[];
    }
  | ({ readonly kind: "figure" } & Figure)
  /** Figures side by side, or one below the other on a phone. */
  | { readonly kind: "figures"; readonly figures: readonly Figure[]; readonly caption?: Text }
  | { readonly kind: "code"; readonly code: string }
  /** A folded list, for example of sources; unfolded in print. */
  | {
      readonly kind: "details";
      readonly summary: string;
      readonly entries: readonly (readonly [name: string, value: Text])[];
    };

type BlockOf<Kind extends ReportBlock["kind"]> = Extract<ReportBlock, { kind: Kind }>;

export function blockToHtml(block: ReportBlock): string {
  switch (block.kind) {
    case "paragraph":
      return `<p>${textToHtml(block.text)}</p>`;
    case "highlights":
      return `<dl class="highlights">${block.items.map(highlightToHtml).join("")}</dl>`;
    case "table":
      return tableToHtml(block);
    case "figure":
      return figureToHtml(block, "single");
    case "figures":
      return figuresToHtml(block);
    case "code":
      return `<pre tabindex="0"><code>${escapeHtml(block.code)}</code></pre>`;
    case "details":
      return detailsToHtml(block);
  }
}

function highlightToHtml({ label, value, unit }: Highlight): string {
  const small = unit === undefined ? "" : ` <small>${escapeHtml(unit)}</small>`;
  return `<div><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}${small}</dd></div>`;
}

function figureToHtml(figure: Figure, className = ""): string {
  const picture = "svg" in figure ? figure.svg : imageToHtml(figure);
  const caption = captionToHtml("figcaption", figure.caption);
  const classes = className === "" ? "" : ` class="${className}"`;
  return `<figure${classes}>${picture}${caption}</figure>`;
}

function imageToHtml({ image, alt, width, height }: Exclude<Picture, { svg: string }>): string {
  if (!image.startsWith("data:image/")) {
    throw expected("image", "be a data URL of an image: reports are one file", image);
  }
  return `<img src="${escapeHtml(image)}" alt="${escapeHtml(alt)}" width="${width}" height="${height}">`;
}

function figuresToHtml({ figures, caption }: BlockOf<"figures">): string {
  const all = figures.map((figure) => figureToHtml(figure)).join("");
  const common = caption === undefined ? "" : `<p class="caption">${textToHtml(caption)}</p>`;
  return `<div class="figures">${all}</div>${common}`;
}

function captionToHtml(element: string, caption: Text | undefined): string {
  return caption === undefined ? "" : `<${element}>${textToHtml(caption)}</${element}>`;
}

function tableToHtml({ caption, columns, rows }: BlockOf<"table">): string {
  const numeric = columns.map((_, k) => rows.some((row) => typeof row[k] === "number"));
  const classOf = (k: number): string => (numeric[k] ? ' class="number"' : "");
  const head = columns.map(({ label, unit }, k) => {
    const small = unit === undefined ? "" : `<small>${escapeHtml(unit)}</small>`;
    return `<th scope="col"${classOf(k)}>${escapeHtml(label)}${small}</th>`;
  });
  const body = rows.map((row, r) => {
    if (row.length !== columns.length) {
      throw expected(`row ${r} of the table`, `hold ${columns.length} cells`, row.length);
    }
    const cells = row.map((cell, k) => {
      const content = escapeHtml(cellText(cell, columns[k]));
      return k === 0
        ? `<th scope="row"${classOf(k)}>${content}</th>`
        : `<td${classOf(k)}>${content}</td>`;
    });
    return `<tr>${cells.join("")}</tr>`;
  });
  // A wide table scrolls by itself, not with the page.
  return (
    '<div class="table" role="group" tabindex="0" aria-label="Table"><table>' +
    captionToHtml("caption", caption) +
    `<thead><tr>${head.join("")}</tr></thead><tbody>${body.join("")}</tbody></table></div>`
  );
}

/** The text of a cell. */
export function cellText(cell: string | number, { digits }: TableColumn): string {
  if (typeof cell === "string") return cell;
  if (!Number.isFinite(cell)) return "–";
  return digits === undefined ? withMinus(cell) : fixed(cell, digits);
}

function detailsToHtml({ summary, entries }: BlockOf<"details">): string {
  const list = entries.map(
    ([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${textToHtml(value)}</dd>`,
  );
  return `<details><summary>${escapeHtml(summary)}</summary><dl>${list.join("")}</dl></details>`;
}

/** Returns a picture for a report, with each pixel enlarged to zoom×zoom. */
export function pictureOf(image: GreyImage, alt: string, zoom = 1): Picture {
  const { width, height } = image;
  return { image: pngDataUrl(image), alt, width: width * zoom, height: height * zoom };
}
