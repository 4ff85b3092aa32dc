/** The outcome of the fits: numbers, and what went wrong. */
import type { VNode } from "preact";
import { fixed, thousands } from "../../../src/numbers/format-number.js";
import { Notice } from "../../components/notice.js";
import { Wide } from "../../components/wide.js";
import type { PairFitResult } from "./fit-pairs-job.js";
import { type PairFitMap, resultOf } from "./pair-fits.js";
import type { PairModel } from "./pair-models.js";
import type { PairView } from "./view-pairs-job.js";

interface FitsProps {
  readonly models: readonly PairModel[];
  readonly fits: PairFitMap;
}

export function ResultsTable({
  models,
  view,
  fits,
}: FitsProps & { readonly view: PairView }): VNode {
  return (
    <Wide label="Results in numbers">
      <table>
        <thead>
          <tr>
            <th scope="col">model</th>
            <th scope="col">ΔJ, nats</th>
            <th scope="col">mutual information, bits</th>
            <th scope="col">seconds</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">none ({thousands(view.count)} pairs)</th>
            <td>{fixed(0, 4)}</td>
            <td>{fixed(view.informationInBits, 4)}</td>
            <td>–</td>
          </tr>
          {models.map(({ name, title }) => (
            <Row title={title} result={resultOf(fits.get(name))} />
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

interface RowProps {
  readonly title: string;
  readonly result: PairFitResult | null;
}

function Row({ title, result }: RowProps): VNode {
  const cells = result
    ? [
        fixed(result.negentropyInNats, 4),
        `${fixed(result.informationInBits, 4)} ± ${fixed(result.informationErrorInBits, 4)}`,
        fixed(result.seconds, 1),
      ]
    : ["–", "–", "–"];
  return (
    <tr>
      <th scope="row">{title}</th>
      {cells.map((cell) => (
        <td>{cell}</td>
      ))}
    </tr>
  );
}

/** Shows each sentence once, however many models it is about. */
export function FitProblems({ models, fits }: FitsProps): VNode {
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

interface FitProblem {
  /** Titles of the models, in the order of the cards. */
  readonly titles: readonly string[];
  readonly problem: string;
}

export function fitProblems(models: readonly PairModel[], fits: PairFitMap): FitProblem[] {
  const problemOf = ({ name }: PairModel): string | null => {
    const state = fits.get(name)?.state;
    return state?.status === "failed" ? state.problem : null;
  };
  const sentences = new Set(models.map(problemOf).filter((problem) => problem !== null));
  return [...sentences].map((problem) => ({
    titles: models.filter((model) => problemOf(model) === problem).map(({ title }) => title),
    problem,
  }));
}
