/** Reads the SVG that charts are. */
import { parseHTML } from "linkedom";

export function elementOf(svg: string): Element {
  return parseHTML(`<!doctype html><html><body>${svg}</body></html>`).document.querySelector(
    "svg",
  )!;
}

/** What can be read in a chart. */
export function textsOf(svg: string): string[] {
  return Array.from(elementOf(svg).querySelectorAll("text"), (text) => text.textContent);
}

/** Elements of a name that have, or are within a group that has, all of the classes. */
export function drawnBy(svg: string, name: string, classes: string): Element[] {
  const selector = classes
    .split(" ")
    .map((part) => `.${part}`)
    .join("");
  return [...elementOf(svg).querySelectorAll(`g${selector} ${name}, ${name}${selector}`)];
}
