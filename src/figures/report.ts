import { fontFamily } from "./chart-theme.js";
import { type ReportBlock, blockToHtml } from "./report-blocks.js";
import { type Text, escapeHtml, textToHtml } from "./report-text.js";

export interface ReportSection {
  readonly title: string;
  /** Anchor and prefix of picture files: letters, digits, hyphens. Default: number and title. */
  readonly name?: string | undefined;
  readonly blocks: readonly ReportBlock[];
}

export interface Report {
  readonly title: string;
  /** Summary below the title. */
  readonly lead?: Text | undefined;
  /** Blocks before the first section. */
  readonly opening?: readonly ReportBlock[] | undefined;
  readonly sections: readonly ReportSection[];
  /** Language code of the text; "en" by default. */
  readonly language?: string | undefined;
}

/** Content security policy: the browser loads nothing from outside the file. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** Converts a report to one self-contained HTML file; equal reports give equal text. */
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

/**
 * Style of a report: one column for text, figures a little wider; light, dark, phone, print. Shades
 * at the ends of a table show that it scrolls.
 */
const reportStyle = `
:root{color-scheme:light dark;--ink:#1f2328;--muted:#57606a;--paper:#fff;--panel:#f5f7f9;--line:#d8dee4;--accent:#0067a3;--shade:rgb(0 0 0/.18)}
@media screen and (prefers-color-scheme:dark){:root{--ink:#e8eaed;--muted:#a5adb6;--paper:#14171a;--panel:#1d2125;--line:#353b42;--accent:#6cc0f0;--shade:rgb(255 255 255/.2)}}
*{box-sizing:border-box}
h1,h2,dd,dt,figcaption,summary{overflow-wrap:anywhere}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:17px/1.6 ${fontFamily};font-variant-numeric:proportional-nums}
main{max-width:62rem;margin:0 auto;padding:clamp(1.5rem,5vw,4rem) clamp(1rem,4vw,2.5rem)}
h1,h2,p,pre,.caption,details{max-width:44rem}
h1{font-size:clamp(1.75rem,1.2rem + 2.4vw,2.6rem);line-height:1.15;letter-spacing:-.02em;margin:0 0 1rem;text-wrap:balance}
h2{font-size:1.35rem;line-height:1.25;letter-spacing:-.01em;margin:3.25rem 0 .75rem;text-wrap:balance}
p{margin:0 0 1.1rem;text-wrap:pretty;overflow-wrap:break-word}
.lead{font-size:1.2rem;line-height:1.5;color:var(--muted)}
a{color:var(--accent);text-underline-offset:.15em}
code{font:.88em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--panel);padding:.1em .3em;border-radius:4px;overflow-wrap:anywhere}
pre{margin:0 0 1.25rem;padding:.9rem 1.1rem;background:var(--panel);border-radius:8px;overflow-x:auto;line-height:1.45}
pre code{padding:0;background:none;overflow-wrap:normal}
.highlights{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:1rem 2.5rem;margin:1.75rem 0 2rem}
.highlights div{border-top:2px solid var(--accent);padding-top:.6rem}
.highlights dt{font-size:.9rem;line-height:1.35;color:var(--muted)}
.highlights dd{margin:.15rem 0 0;font-size:1.9rem;line-height:1.2;font-weight:600;letter-spacing:-.02em}
.highlights small{display:inline-block;font-size:.9rem;line-height:1.35;font-weight:400;letter-spacing:0;color:var(--muted)}
figure{margin:0;min-width:0}
figure svg{display:block;width:100%;height:auto}
figure img{display:block;max-width:100%;height:auto;image-rendering:pixelated;border-radius:3px}
figcaption,caption,.caption{font-size:.9rem;line-height:1.5;color:var(--muted);text-wrap:pretty}
figcaption{margin-top:.75rem}
.single{margin:1.75rem 0 2.25rem}
.single svg,.single img{max-width:min(100%,32rem)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:2rem 2.5rem;margin:1.75rem 0 2.25rem;align-items:start}
.figures+.caption{margin:-1.25rem 0 2.25rem}
@media (min-width:60rem){.single{display:grid;grid-template-columns:minmax(0,32rem) minmax(0,1fr);gap:2.5rem;align-items:end}.single figcaption{margin:0 0 .4rem}}
.table{margin:1.5rem 0 2rem;overflow-x:auto;max-width:max-content;background:linear-gradient(90deg,var(--paper) 40%,transparent) 0 0/2.5rem 100% no-repeat local,linear-gradient(270deg,var(--paper) 40%,transparent) 100% 0/2.5rem 100% no-repeat local,linear-gradient(90deg,var(--shade),transparent) 0 0/.8rem 100% no-repeat scroll,linear-gradient(270deg,var(--shade),transparent) 100% 0/.8rem 100% no-repeat scroll}
table{border-collapse:collapse;min-width:min(100%,30rem);font-size:.95rem;line-height:1.4}
caption{text-align:left;padding-bottom:.6rem}
th,td{padding:.5rem 1.4rem .5rem 0;text-align:left;vertical-align:baseline;font-weight:400}
th:last-child,td:last-child{padding-right:0}
thead th{font-weight:600;vertical-align:bottom;border-bottom:1.5px solid var(--ink)}
thead small{display:block;font-size:.82rem;font-weight:400;color:var(--muted)}
tbody tr+tr>*{border-top:1px solid var(--line)}
tbody th{font-weight:600;white-space:nowrap}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
details{margin:1.5rem 0;border-top:1px solid var(--line);border-bottom:1px solid var(--line);font-size:.9rem}
summary{cursor:pointer;padding:.7rem 0;font-weight:600}
details dl{display:grid;grid-template-columns:minmax(6rem,max-content) minmax(0,1fr);gap:.4rem 1.5rem;margin:0 0 1rem}
details dt{color:var(--muted)}
details dd{margin:0;overflow-wrap:anywhere}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media (max-width:30rem){body{font-size:16px}tbody th{white-space:normal;min-width:7.5rem}th,td{padding-right:.9rem}table{font-size:.9rem}.figures{gap:1.75rem}}
@media print{@page{margin:18mm 16mm}body{font-size:10.5pt;line-height:1.45}main{max-width:none;padding:0}h2{margin-top:2rem;break-after:avoid}figure,tr,.highlights,.table,details{break-inside:avoid}.figures{grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:1.25rem 1.75rem}.single svg,.single img{max-width:26rem}.table{overflow:visible;background:none}details::details-content{content-visibility:visible;height:auto}a{color:inherit}}
`.trim();
