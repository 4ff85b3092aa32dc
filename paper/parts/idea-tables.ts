/** Tables of the gains of each idea, alone and combined with another. */
import type { PairedDifference } from "../../src/evaluation/paired-difference.js";
import type { ReportBlock } from "../../src/figures/report-blocks.js";
import { prose } from "../../src/figures/report-text.js";
import { fixed, fixedChange } from "../../src/numbers/format-number.js";
import type { PaperContext } from "../experiment.js";
import { ideaPairs } from "./idea-models.js";
import { type ScoredIdea, gainOver, ideaWith, pairGains } from "./idea-scores.js";

/** The gain of a model over the one that it builds on, and over the baseline. */
export interface Gain {
  readonly idea: ScoredIdea;
  readonly base: ScoredIdea;
  readonly gain: PairedDifference;
  readonly total: PairedDifference;
}

/** Returns the gains of all models but the baseline, which comes first. */
export function gainsOf([baseline, ...others]: readonly ScoredIdea[]): Gain[] {
  const all = [baseline, ...others];
  return others.map((idea) => {
    const base = ideaWith(all, idea.model.over ?? {});
    return { idea, base, gain: gainOver(base, idea), total: gainOver(baseline, idea) };
  });
}

/** Shows all models with their gains and the times of their fits. */
export function gainTable(
  { quick, runner }: Pick<PaperContext, "quick" | "runner">,
  [baseline]: readonly ScoredIdea[],
  gains: readonly Gain[],
): ReportBlock {
  const secondsOfUnit = quick ? 1 : 60;
  const workers = `${runner.size} ${runner.size === 1 ? "worker" : "workers"}`;
  const rowOf = (idea: ScoredIdea, gain?: Gain) => [
    idea.title,
    fixed(idea.mean.value, 2),
    gain ? gainText(gain.gain) : "–",
    gain?.base.title ?? "–",
    gain ? gainText(gain.total) : "–",
    idea.fit.seconds / secondsOfUnit,
  ];
  return {
    kind: "table",
    columns: [
      { label: "model" },
      { label: "log-likelihood", unit: "nats" },
      { label: "gain", unit: "nats" },
      { label: "over" },
      { label: `over ${baseline.title}`, unit: "nats" },
      { label: "fit", unit: `${quick ? "seconds" : "minutes"}, ${workers}`, digits: quick ? 0 : 1 },
    ],
    rows: [rowOf(baseline), ...gains.map((gain) => rowOf(gain.idea, gain))],
  };
}

/** Shows whether the gains of two ideas add up. */
export function pairTable(scored: readonly ScoredIdea[]): ReportBlock {
  return {
    kind: "table",
    caption: prose`
      Two ideas on the same model, alone and together. If the difference from the sum is negative,
      the ideas overlap. If it is positive, each helps the other.
    `,
    columns: [
      { label: "first idea" },
      { label: "second idea" },
      { label: "on" },
      { label: "first alone", unit: "nats" },
      { label: "second alone", unit: "nats" },
      { label: "both", unit: "nats" },
      { label: "both, less the sum", unit: "nats" },
    ],
    rows: ideaPairs.map((pair) => {
      const { first, second, both, excess } = pairGains(scored, pair);
      return [
        ...pair.ideas,
        ideaWith(scored, pair.neither).title,
        ...[first, second, both, excess].map(gainText),
      ];
    }),
  };
}

/** Formats "+2.68 ± 0.14" on one line, with one more digit for small errors. */
function gainText({ mean, standardError }: PairedDifference): string {
  const digits = standardError < 0.05 ? 3 : 2;
  const text = fixedChange(mean, digits);
  const error = Number.isFinite(standardError) ? standardError.toFixed(digits) : "?";
  return `${text}\u00a0±\u00a0${error}`;
}
