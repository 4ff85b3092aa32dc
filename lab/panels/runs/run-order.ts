/** Progress of runs, and the order of their table. */
import type { RunDescription } from "../../../src/runs/run-description.js";

export const sortKeys = [
  "name",
  "state",
  "steps",
  "left",
  "difference",
  "heldout",
  "written",
] as const;
export type SortKey = (typeof sortKeys)[number];
export const directions = ["up", "down"] as const;
export type Direction = (typeof directions)[number];

export interface RunProgress {
  /** Number of steps done. */
  readonly done: number;
  /** Number of steps asked for; null if unknown. */
  readonly of: number | null;
  /** Seconds until a running fit ends; null for others, and while it is unknown. */
  readonly secondsLeft: number | null;
}

export function progressOf(run: RunDescription): RunProgress {
  const { config, lastStep, lastHeldOut, status } = run;
  const done = Math.max(lastStep?.step ?? 0, lastHeldOut?.step ?? 0);
  const of = typeof config.steps === "number" && config.steps > 0 ? config.steps : null;
  const { seconds = 0, step = 0 } = lastStep ?? {};
  const isKnown = status === "running" && of !== null && step > 0 && seconds > 0;
  return { done, of, secondsLeft: isKnown ? (Math.max(0, of - done) * seconds) / step : null };
}

/** Returns the runs whose name or state contains every word of the filter. */
export function filtered(
  runs: readonly RunDescription[],
  filter: string,
): readonly RunDescription[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return runs.filter(({ name, status }) => {
    const text = `${name} ${status}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Puts run9 before run10. Only the table uses this order, so it may depend on the engine. */
const names = new Intl.Collator("en", { numeric: true });

/** Sorts by a column; equal runs stay in the order of their names, missing values come last. */
export function sorted(
  runs: readonly RunDescription[],
  key: SortKey,
  direction: Direction,
): RunDescription[] {
  const byName = [...runs].sort((a, b) => names.compare(a.name, b.name));
  if (key === "name") return direction === "up" ? byName : byName.reverse();
  const sign = direction === "up" ? 1 : -1;
  return byName.sort((a, b) => {
    const [one, other] = [valueOf(a, key), valueOf(b, key)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return one === other ? 0 : sign * (one < other ? -1 : 1);
  });
}

function valueOf(run: RunDescription, key: Exclude<SortKey, "name">): number | string | null {
  switch (key) {
    case "state":
      return run.status;
    case "steps":
      return progressOf(run).done;
    case "left":
      return progressOf(run).secondsLeft;
    case "difference":
      return run.lastStep?.negentropyDifferencePerDimension ?? null;
    case "heldout":
      return run.lastHeldOut?.negentropyDifferencePerDimension ?? null;
    case "written":
      return run.modified;
  }
}
