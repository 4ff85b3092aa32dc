/**
 * The style of all charts. Colours are classes with a light and a dark value. There are no ids, so
 * that charts can share a page, and no CSS variables, which some SVG viewers lack.
 */

export const fontFamily =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif';

/** Width in units of the viewBox: legible on a phone, and side by side on a desktop. */
export const chartWidth = 440;
export const plotHeight = 230;

export const fontSizes = { title: 15, text: 12.5 } as const;

/** The class of a chart's root; all rules of its style begin with it. */
export const chartClass = "gz-chart";

/**
 * Colours after the palette of Okabe and Ito (2008), which is safe for colour blindness: dark on
 * white, light on black, with a contrast of at least 3 to 1.
 */
const seriesColours: readonly { readonly light: string; readonly dark: string }[] = [
  { light: "#0072b2", dark: "#56b4e9" },
  { light: "#d55e00", dark: "#f0913a" },
  { light: "#009069", dark: "#2cc79b" },
  { light: "#b4568e", dark: "#e59cc5" },
  { light: "#8a7000", dark: "#f0e442" },
];

const ink = { light: "#1f2328", dark: "#e8eaed" };
const muted = { light: "#57606a", dark: "#a5adb6" };
/** Colour of the contour lines of histograms. */
const pale = { light: "#8e959c", dark: "#737b83" };

/** The class of series k, for lines, areas and texts; after all colours, lines are dashed. */
export function seriesClass(k: number): string {
  const dashed = k >= seriesColours.length ? " gz-dashed" : "";
  return `gz-s${k % seriesColours.length}${dashed}`;
}

export const chartStyle = [
  `.gz-chart{color:${ink.light};font-family:${fontFamily};font-size:${fontSizes.text}px}`,
  `.gz-chart .gz-title{font-size:${fontSizes.title}px;font-weight:600;fill:currentColor}`,
  ".gz-chart .gz-line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}",
  ".gz-chart .gz-faint.gz-line{stroke-width:.8;stroke-opacity:.35}",
  ".gz-chart .gz-bar{stroke:none;fill-opacity:.85}",
  ".gz-chart .gz-whisker{stroke:currentColor;stroke-width:1.4}",
  ".gz-chart .gz-area{stroke:none;fill-opacity:.1}",
  ".gz-chart .gz-band{stroke:none;fill-opacity:.22}",
  ".gz-chart .gz-dot{stroke:none}",
  ".gz-chart .gz-label{stroke:none;font-weight:600}",
  ".gz-chart .gz-expected{fill:none;stroke:currentColor;stroke-width:1.6;stroke-dasharray:5 4}",
  ".gz-chart .gz-dashed.gz-line{stroke-dasharray:1 5}",
  ".gz-chart .gz-contour{fill:none;stroke:currentColor;stroke-width:1.3;stroke-linejoin:round;stroke-linecap:round}",
  ".gz-chart .gz-heading{font-weight:600;fill:currentColor}",
  ...colourRules("light"),
  // Print is always light.
  `@media screen and (prefers-color-scheme:dark){.gz-chart{color:${ink.dark}}${colourRules("dark").join("")}}`,
].join("\n");

function colourRules(scheme: "light" | "dark"): string[] {
  return [
    `.gz-chart .gz-muted{fill:${muted[scheme]}}`,
    `.gz-chart .gz-pale.gz-contour{stroke:${pale[scheme]};stroke-width:2.2}`,
    ...seriesColours.flatMap(({ [scheme]: colour }, k) => [
      `.gz-chart .gz-s${k}.gz-line{stroke:${colour}}`,
      `.gz-chart .gz-s${k}.gz-area,.gz-chart .gz-s${k}.gz-band,.gz-chart .gz-s${k}.gz-bar,.gz-chart .gz-s${k}.gz-dot,.gz-chart .gz-s${k}.gz-label{fill:${colour}}`,
    ]),
  ];
}
