import type { Effects } from "../../cli/effects.js";

export interface RecordedEffects extends Effects {
  readonly printed: { stdout: string; stderr: string };
}

/** Effects that keep what a command prints; the clock advances a millisecond per reading. */
export function recordEffects(): RecordedEffects {
  const printed = { stdout: "", stderr: "" };
  let clock = 0;
  const outputTo = (stream: "stdout" | "stderr"): Effects["stdout"] => ({
    write: (text) => {
      printed[stream] += text;
    },
    isTerminal: false,
  });
  return {
    printed,
    stdout: outputTo("stdout"),
    stderr: outputTo("stderr"),
    now: () => (clock += 1),
    environment: {},
    interruption: () => new AbortController().signal,
  };
}
