/** Results of the fits in numbers, and the problems of failed fits. */
import type { VNode } from "preact";
import { fixed, thousands } from "../../../src/numbers/format-number.js";
import { Notice } from "../../components/notice.js";
import { Wide } from "../../components/panel.js";
import { type PairFitMap, resultOf } from "./pair-fits.js";
import type { PairModel } from "./pair-models.js";
import type { PairFitResult, PairView } from "./pairs-jobs.js";

interface FitsProps {
  readonly models: readonly PairModel[];
  readonly fits: PairFitMap;
}

const dash = "–";

export function ResultsTable({
  models,
  view,
  fits,
}: FitsProps & { readonly view: PairView }): VNode {
  const before = [fixed(0, 4), fixed(view.informationInBits, 4), dash];
  const rows = [
    [`none (${thousands(view.count)} pairs)`, ...before],
    ...models.map(({ name, title }) => [title, ...cellsOf(resultOf(fits.get(name)))]),
  ];
  return (
    <div>
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
            {rows.map(([title, ...cells]) => (
              <tr key={title}>
                <th scope="row">{title}</th>
                {cells.map((cell) => (
                  <td>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
      <p class="information-note">
        Mutual information is never negative, but its estimates scatter around the true value: a
        negative one means about 0.
      </p>
    </div>
  );
}

function cellsOf(result: PairFitResult | null): readonly string[] {
  if (!result) return [dash, dash, dash];
  return [
    fixed(result.negentropyInNats, 4),
    `${fixed(result.informationInBits, 4)} ± ${fixed(result.informationErrorInBits, 4)}`,
    fixed(result.seconds, 1),
  ];
}

/** Shows each problem once, with the models that have it. */
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

/** Titles are in the order of the cards. */
export function fitProblems(
  models: readonly PairModel[],
  fits: PairFitMap,
): { titles: string[]; problem: string }[] {
  const problemOf = ({ name }: PairModel): string | null => {
    const state = fits.get(name)?.state;
    return state?.status === "failed" ? state.problem : null;
  };
  const problems = new Set(models.map(problemOf).filter((problem) => problem !== null));
  return [...problems].map((problem) => ({
    titles: models.filter((model) => problemOf(model) === problem).map(({ title }) => title),
    problem,
  }));
}
