/** Saves a chart as it is on the page. */
import { saveFile } from "../../save-file.js";

const namespace = "http://www.w3.org/2000/svg";
/** Properties that the page's style sheet gives to the parts of a chart. */
const copied = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "font-family",
  "font-size",
  "font-weight",
];
const rowHeight = 20;
const gap = 12;

export interface SavedLegend {
  readonly className: string;
  readonly text: string;
}

/**
 * Returns the chart as a file of its own: style sheets become attributes, and the legend, which is
 * a table on the page, is drawn below.
 */
export function svgText(chart: SVGSVGElement, legend: readonly SavedLegend[]): string {
  const { width: fullWidth, height: plotHeight } = chart.viewBox.baseVal;
  const height = plotHeight + gap + legend.length * rowHeight;
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const legendParts = legend.flatMap((entry, k) =>
    legendRow(entry, plotHeight + gap + k * rowHeight),
  );
  // In the page for a moment, so that its style sheet applies to all parts.
  const stage = chart.cloneNode(true) as SVGSVGElement;
  stage.append(...legendParts.map((part) => part.cloneNode(true)));
  copy.append(...legendParts);
  stage.setAttribute("class", `${chart.getAttribute("class") ?? ""} stage`);
  chart.parentElement?.append(stage);
  copyStyles(stage, copy);
  const paper = getComputedStyle(document.body).backgroundColor;
  stage.remove();
  const background = document.createElementNS(namespace, "rect");
  setAll(background, { width: fullWidth, height, fill: paper });
  copy.prepend(background);
  setAll(copy, {
    xmlns: namespace,
    width: fullWidth,
    height,
    viewBox: `0 0 ${fullWidth} ${height}`,
  });
  return new XMLSerializer().serializeToString(copy);
}

function legendRow({ className, text }: SavedLegend, y: number): SVGElement[] {
  const line = document.createElementNS(namespace, "path");
  setAll(line, { class: `line ${className}`, d: `M2,${y}h20` });
  const words = document.createElementNS(namespace, "text");
  setAll(words, { x: 30, y: y + 4.5 });
  words.textContent = text;
  return [line, words];
}

function copyStyles(from: Element, to: Element): void {
  const style = getComputedStyle(from);
  for (const name of copied) {
    const value = style.getPropertyValue(name);
    if (value !== "") to.setAttribute(name, value);
  }
  to.removeAttribute("class");
  for (let k = 0; k < from.children.length; k++) copyStyles(from.children[k], to.children[k]);
}

function setAll(element: Element, attributes: Readonly<Record<string, string | number>>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}

/** Screen pixels of the PNG per pixel of the page. */
const density = 2;

/** Draws an SVG as a PNG file. */
export async function savePng(name: string, svg: string): Promise<void> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = density * image.naturalWidth;
    canvas.height = density * image.naturalHeight;
    const context = canvas.getContext("2d");
    context?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const png = await new Promise<Blob | null>((resolve) => {
      canvas.toBlob(resolve);
    });
    if (png) saveFile(name, png);
  } finally {
    URL.revokeObjectURL(url);
  }
}
