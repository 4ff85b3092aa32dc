import type { Effects } from "../../cli/effects.js";

export interface RecordedEffects extends Effects {
  readonly printed: { stdout: string; stderr: string };
  /** Addresses that were to be shown; there is no browser to show them. */
  readonly browsed: string[];
}

/** Effects that keep what a command prints. The clock advances a millisecond per reading, and what is to happen later never does. */
export function recordEffects(): RecordedEffects {
  const printed = { stdout: "", stderr: "" };
  const browsed: string[] = [];
  let clock = 0;
  const outputTo = (stream: "stdout" | "stderr"): Effects["stdout"] => ({
    write: (text) => {
      printed[stream] += text;
    },
    isTerminal: false,
  });
  return {
    printed,
    browsed,
    stdout: outputTo("stdout"),
    stderr: outputTo("stderr"),
    now: () => (clock += 1),
    later: () => () => undefined,
    environment: {},
    interruption: () => new AbortController().signal,
    browse: (address) => {
      browsed.push(address);
      return Promise.resolve(false);
    },
  };
}
