/** Which runs are compared, as the address has it: "gdn,deep%2Fsix". */
import type { RunDescription } from "../../../src/runs/run-description.js";
import { mostRuns } from "../../components/curves.js";

/**
 * Where nobody has chosen: `byItself`, the run that was shown so before, as long as it is there, else the one that was written to last.
 * Of fits that go on together, each is that in turn.
 */
export function chosenRuns(
  text: string,
  runs: readonly RunDescription[],
  byItself?: string,
): RunDescription[] {
  if (text === "") {
    const before = runs.filter(({ name }) => name === byItself);
    const latest = Math.max(...runs.map(({ modified }) => modified));
    return [...before, ...runs.filter(({ modified }) => modified === latest)].slice(0, 1);
  }
  const names = text.split(",");
  return names
    .flatMap((name) => runs.find((run) => encodeURIComponent(run.name) === name) ?? [])
    .slice(0, mostRuns);
}

/** None at all is a choice, too. */
export function formatChosen(names: readonly string[]): string {
  return names.length === 0 ? "," : names.map((name) => encodeURIComponent(name)).join(",");
}
