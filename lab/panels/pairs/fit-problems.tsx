/** What went wrong in fits: each sentence once, however many models it is about. */
import type { VNode } from "preact";
import { Notice } from "../../components/notice.js";
import type { PairFitMap } from "./pair-fits.js";
import type { PairModel } from "./pair-models.js";

interface FitProblemsProps {
  readonly models: readonly PairModel[];
  readonly fits: PairFitMap;
}

export function FitProblems({ models, fits }: FitProblemsProps): VNode {
  return (
    <div class="fit-problems">
      {fitProblems(models, fits).map(({ titles, problem }) => (
        <Notice key={problem} kind="problem">
          {titles.join(", ")}: {problem}
        </Notice>
      ))}
    </div>
  );
}

export interface FitProblem {
  /** Of the models, in the order of the cards. */
  readonly titles: readonly string[];
  readonly problem: string;
}

export function fitProblems(models: readonly PairModel[], fits: PairFitMap): FitProblem[] {
  const problemOf = ({ name }: PairModel): string | null => fits.get(name)?.problem ?? null;
  const sentences = new Set(models.map(problemOf).filter((problem) => problem !== null));
  return [...sentences].map((problem) => ({
    titles: models.filter((model) => problemOf(model) === problem).map(({ title }) => title),
    problem,
  }));
}
