/** log p of the same patches under all models, and the mean differences between models. */
import type { Evaluation } from "../../src/evaluation/evaluation.js";
import { type PairedDifference, pairedDifference } from "../../src/evaluation/paired-difference.js";
import { hashPath } from "../../src/random/hash.js";
import type { PaperContext, PaperFit } from "../experiment.js";
import { type IdeaModel, ideaModels, ideaRequest, ideaTitle } from "./idea-models.js";
import type { IdeaOptions, IdeaPair } from "./idea-models.js";
import { evaluateFit } from "./patch-models.js";

/** Test patches for differences, and for values that are compared with the literature. */
export const patchCounts = {
  full: { compared: 100_000, ranked: 1_000_000 },
  quick: { compared: 4000, ranked: 4000 },
};

/** Mean log p in nats. */
export interface Mean {
  readonly value: number;
  readonly standardError: number;
  readonly over: Evaluation["standardErrorsOver"];
}

/** A result that is kept as JSON. */
interface Scores {
  readonly mean: Mean;
  /** log p of each patch, null without a density; and its image. */
  readonly logProb: readonly (number | null)[];
  readonly image: readonly number[];
}

/** A model with its fit and its scores. */
export interface ScoredIdea extends Scores {
  readonly model: IdeaModel;
  readonly title: string;
  readonly fit: PaperFit;
  /** Mean over more patches; null unless the chart shows the model. */
  readonly ranked: Mean | null;
}

/** Fits and evaluates all models; finished parts of an interrupted run are reused. */
export async function scoreIdeas(context: PaperContext): Promise<ScoredIdea[]> {
  const test = await context.images("bsds300/test");
  const scored: ScoredIdea[] = [];
  for (const model of ideaModels) scored.push(await scoreIdea(context, model, test));
  return scored;
}

async function scoreIdea(
  context: PaperContext,
  model: IdeaModel,
  test: readonly string[],
): Promise<ScoredIdea> {
  const { compared, ranked } = patchCounts[context.quick ? "quick" : "full"];
  const request = ideaRequest(model, context);
  const fit = await context.fit(request);
  const key = `${request.name}-${digestOf(fit)}`;
  const scores = await context.part("ideas", `${key}-${compared}`, () =>
    scoresOf(context, fit, test, compared),
  );
  const rankedMean = async (): Promise<Mean> => {
    if (ranked === compared) return scores.mean;
    const evaluated = async () => meanOf(await evaluateFit(context, fit, test, ranked));
    return context.part("ideas", `${key}-${ranked}`, evaluated);
  };
  return {
    ...scores,
    model,
    title: ideaTitle(model.options),
    fit,
    ranked: model.label === undefined ? null : await rankedMean(),
  };
}

/** Returns a short digest of how a model was fitted: scores belong to one fit. */
function digestOf({ model }: PaperFit): string {
  const [word] = hashPath([JSON.stringify(model.about)]);
  return (word >>> 0).toString(16);
}

async function scoresOf(
  context: PaperContext,
  fit: PaperFit,
  test: readonly string[],
  patches: number,
): Promise<Scores> {
  const logProb: (number | null)[] = [];
  const image: number[] = [];
  const evaluation = await evaluateFit(context, fit, test, patches, (scores) => {
    for (const value of scores.logProb) {
      // JSON has no NaN.
      logProb.push(Number.isNaN(value) ? null : value);
      image.push(scores.index);
    }
  });
  return { mean: meanOf(evaluation), logProb, image };
}

function meanOf({ meanLogLikelihood, standardErrors, standardErrorsOver }: Evaluation): Mean {
  const { meanLogLikelihood: standardError } = standardErrors;
  return { value: meanLogLikelihood, standardError, over: standardErrorsOver };
}

/** Returns the model with these options. */
export function ideaWith(scored: readonly ScoredIdea[], options: IdeaOptions): ScoredIdea {
  const title = ideaTitle(options);
  const found = scored.find((each) => each.title === title);
  if (!found) throw new Error(`There is no model of ${title}.`);
  return found;
}

/** Returns the gain in nats of one model over another, patch by patch. */
export function gainOver(base: ScoredIdea, idea: ScoredIdea): PairedDifference {
  const { image } = idea;
  return pairedDifference({ first: valuesOf(base), second: valuesOf(idea), image });
}

export interface PairGains {
  readonly first: PairedDifference;
  readonly second: PairedDifference;
  readonly both: PairedDifference;
  /** The gain of both ideas together, minus the sum of their gains alone. */
  readonly excess: PairedDifference;
}

export function pairGains(scored: readonly ScoredIdea[], pair: IdeaPair): PairGains {
  const [neither, first, second, both] = [pair.neither, pair.first, pair.second, pair.both].map(
    (options) => ideaWith(scored, options),
  );
  return {
    first: gainOver(neither, first),
    second: gainOver(neither, second),
    both: gainOver(neither, both),
    excess: pairedDifference({
      first: sumOf(first, second),
      second: sumOf(neither, both),
      image: neither.image,
    }),
  };
}

function valuesOf({ logProb }: ScoredIdea): Float64Array {
  return Float64Array.from(logProb, (value) => value ?? NaN);
}

function sumOf(one: ScoredIdea, other: ScoredIdea): Float64Array {
  const others = valuesOf(other);
  return valuesOf(one).map((value, s) => value + others[s]);
}

/** Returns the number of patches without a density under some model. */
export function patchesWithout(scored: readonly ScoredIdea[]): number {
  const [{ logProb }] = scored;
  return logProb.filter((_, s) => scored.some((each) => each.logProb[s] === null)).length;
}
