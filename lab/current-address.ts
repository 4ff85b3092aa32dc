/** Addresses of the panels as signals. The address bar shows the one of the open panel. */
import { batch, signal } from "@preact/signals";
import { type Address, formatAddress, parseAddress } from "./address.js";
import { handed } from "./hand-over.js";
import { panels } from "./panels/panels.js";

/** Addresses of all panels opened so far, by panel name. */
const addresses = signal<ReadonlyMap<string, Address>>(new Map());
/** Name of the open panel. */
export const openPanel = signal("");

/** Messages about values of the address that were corrected, by panel. */
const problems = signal<ReadonlyMap<string, readonly string[]>>(new Map());

/**
 * Milliseconds without a change before the address is written. Browsers ignore or reject more than
 * a few hundred writes within seconds.
 */
const pause = 250;

let timer: ReturnType<typeof setTimeout> | undefined;
let isPending = false;
/** Last known address in the bar. If the bar shows another one, the user followed a link. */
let inBar = "";

followBar();
addEventListener("hashchange", followBar);
addEventListener("pagehide", writeAddress);
// A link adds an entry to the history. The entry before it must hold the latest choices.
addEventListener("click", writeAddress, { capture: true });

function followBar(): void {
  clearTimeout(timer);
  isPending = false;
  inBar = location.hash;
  const { panel, values } = parseAddress(inBar);
  const found = panels.find((entry) => entry.name === panel);
  const { name, title } = found ?? panels[0];
  batch(() => {
    if (!found && panel !== "") {
      reportAddress(name, [`The address names an unknown panel: ${panel}. This is ${title}.`]);
    }
    note({ panel: name, values });
    openPanel.value = name;
  });
}

function note(address: Address): void {
  addresses.value = new Map(addresses.peek()).set(address.panel, address);
}

/** Adds messages for the users of a panel. */
export function reportAddress(panel: string, sentences: readonly string[]): void {
  const known = problems.peek().get(panel) ?? [];
  const news = sentences.filter((sentence) => !known.includes(sentence));
  problems.value = new Map(problems.peek()).set(panel, [...known, ...news]);
}

export function problemsOfAddress(panel: string): readonly string[] {
  return problems.value.get(panel) ?? [];
}

export function closeProblemOfAddress(panel: string, sentence: string): void {
  const others = (problems.peek().get(panel) ?? []).filter((other) => other !== sentence);
  problems.value = new Map(problems.peek()).set(panel, others);
}

/** Replaces the address of a panel without a new entry in the history. */
export function replaceAddress(next: Address): void {
  note(next);
  // A hidden panel writes its address when it is opened again.
  if (next.panel !== openPanel.peek()) return;
  isPending = true;
  clearTimeout(timer);
  timer = setTimeout(writeAddress, pause);
}

function writeAddress(): void {
  clearTimeout(timer);
  if (!isPending || location.hash !== inBar) return;
  try {
    history.replaceState(null, "", linkTo(openPanel.peek()));
    inBar = location.hash;
    isPending = false;
  } catch {
    // Too many writes for this browser. The next change, or leaving the page, tries again.
  }
}

export function wasOpened(panel: string): boolean {
  return addresses.value.has(panel);
}

/** Returns the last address of a panel. */
export function addressOfPanel(panel: string): Address {
  return addresses.value.get(panel) ?? { panel, values: new Map() };
}

export function linkTo(panel: string): string {
  return formatAddress(addressOfPanel(panel));
}

/** Opens a panel with a file. */
export function handOver(to: string, file: File): void {
  handed.value = { to, file };
  location.hash = linkTo(to);
}
