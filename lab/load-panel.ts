/** Loads the code of a panel, and tells what can be done where it does not come. */
import type { ComponentType } from "preact";
import type { PanelEntry } from "./panels/panels.js";

export type LoadedPanel =
  | { readonly kind: "loaded"; readonly panel: ComponentType }
  /** Nobody answers; it can be tried again. */
  | { readonly kind: "no server" }
  /** Browsers do not ask again for code that did not come: only a page that is loaded anew gets it. */
  | { readonly kind: "failed" };

/** The first panel comes with the page. */
let isFirst = true;

export async function loadPanel({ load }: PanelEntry): Promise<LoadedPanel> {
  if (!isFirst && !(await doesServerAnswer())) return { kind: "no server" };
  isFirst = false;
  try {
    return { kind: "loaded", panel: await load() };
  } catch {
    return { kind: "failed" };
  }
}

async function doesServerAnswer(): Promise<boolean> {
  try {
    await fetch(location.pathname, { method: "HEAD", cache: "no-store" });
    return true;
  } catch {
    return false;
  }
}
