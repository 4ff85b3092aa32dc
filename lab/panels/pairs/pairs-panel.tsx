/** Pairs: densities of two dimensions, fitted while one looks on (paper §4.1). */
import type { VNode } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { Button } from "../../components/controls.js";
import { Notice } from "../../components/notice.js";
import { Panel } from "../../components/panel.js";
import { useWhileOpen } from "../../is-open.js";
import { useSettings } from "../../use-settings.js";
import { Curves } from "./curves.js";
import { DataControls } from "./data-controls.js";
import { Explanation } from "./explanation.js";
import { FitProblems } from "./fit-problems.js";
import { ModelCard } from "./model-card.js";
import { ModelControls } from "./model-controls.js";
import { fixed, grouped, short } from "../../components/numbers.js";
import { PairFits } from "./pair-fits.js";
import { type PairModel, pairModels } from "./pair-models.js";
import { type PairSource, keyOf } from "./pair-source.js";
import { type PairsState, pairsSettings } from "./pairs-settings.js";
import { ResultsTable } from "./results-table.js";
import { useOwnFiles } from "./use-own-files.js";
import { usePairSource } from "./use-pair-source.js";
import { usePairView } from "./use-pair-view.js";
import type { PairView } from "./view-pairs-job.js";
import "./pairs.css";

export function PairsPanel(): VNode {
  const [state, change] = useSettings<PairsState>("pairs", pairsSettings);
  const files = useOwnFiles(state, change);
  const from = usePairSource(state, files.own);
  const { source } = from;
  const { view, isLoading, problem: viewProblem } = usePairView(from);
  const fits = usePairFits(source);
  const chosen = pairModels.filter(({ name }) => state.models.split(" ").includes(name));
  const isReady = source !== null && view !== null && !isLoading;
  const fit = (models: readonly PairModel[]): void => {
    if (!isReady) return;
    const { steps, seed } = state;
    fits.start(models.map(({ name }) => ({ source, model: name, steps, seed: String(seed) })));
  };
  const problem = from.problem ?? viewProblem;
  return (
    <Panel
      title="Pairs"
      lead="Fit densities to pairs of numbers and watch: their contours close in on the data, and the transformed cloud turns round."
      controls={
        <>
          <DataControls {...{ state, change, files }} />
          <ModelControls
            {...{ state, change, chosen, fits }}
            onFit={
              isReady && chosen.length > 0
                ? () => {
                    fit(chosen);
                  }
                : null
            }
          />
        </>
      }
      explanation={<Explanation />}
    >
      {files.problem !== null && (
        <Notice kind="problem" onClose={files.closeProblem}>
          {files.problem}
        </Notice>
      )}
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
      {from.problem !== null && (
        <div class="buttons">
          <Button onClick={from.tryAgain}>Try again</Button>
        </div>
      )}
      {view === null && problem === null && <p>{waitingFor(state, files.isReading)}</p>}
      {view !== null && (
        <Results
          {...{ view, fits, models: chosen }}
          isLoading={isLoading || files.isReading}
          onFit={fit}
        />
      )}
    </Panel>
  );
}

interface ResultsProps {
  readonly view: PairView;
  readonly fits: PairFits;
  readonly models: readonly PairModel[];
  readonly isLoading: boolean;
  readonly onFit: (models: readonly PairModel[]) => void;
}

function Results({ view, fits, models, isLoading, onFit }: ResultsProps): VNode {
  const shown = useWhileOpen(fits.shown);
  const inCurves = useWhileOpen(fits.inCurves);
  return (
    <>
      <p class="pair-about" role="status">
        {isLoading && <span>Loading …</span>}
        {/* Keeps its room: what is below does not move while others are loaded. */}
        <span class={isLoading ? "hidden" : ""}>{wordsOf(view)}</span>
      </p>
      {view.caution !== null && <Notice kind="news">{view.caution}</Notice>}
      <Key />
      {models.length === 0 ? (
        <p>No model is ticked: tick one to see it, and to fit it.</p>
      ) : (
        <div class="pair-cards">
          {models.map((model) => (
            <ModelCard
              key={model.name}
              {...{ model, view, fit: shown.get(model.name) }}
              onFit={() => {
                onFit([model]);
              }}
            />
          ))}
        </div>
      )}
      <Curves {...{ models, view }} fits={inCurves} />
      <ResultsTable models={models} view={view} fits={shown} />
      <FitProblems models={models} fits={shown} />
    </>
  );
}

/** What the lines of the plots are. */
function Key(): VNode {
  const entries = [
    ["histogram", "histogram of the pairs"],
    ["model", "density of the model, at the same levels"],
    ["normal", "standard normal: radius 1, 2, 3"],
  ];
  return (
    <ul class="pair-key">
      {entries.map(([kind, label]) => (
        <li>
          <svg viewBox="0 0 32 10" aria-hidden="true">
            <path class={kind} d="M0,5H32" />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  );
}

/**
 * Milliseconds from one picture of a fit to the next: five pictures in a second move, one in two seconds does not. Asked for each
 * picture, because the preference may change while fits run.
 */
function pictureInterval(): number {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? 2000 : 200;
}

/** Fits of the pairs of a source; those of another one are cancelled. */
function usePairFits(source: PairSource | null): PairFits {
  const fits = useMemo(() => new PairFits(pictureInterval), []);
  const key = source && keyOf(source);
  useEffect(
    () => () => {
      fits.clear();
    },
    [fits, key],
  );
  return fits;
}

function waitingFor({ data }: PairsState, isReading: boolean): string {
  if (data !== "csv" || isReading) return "Loading …";
  return "Drop a CSV file: two columns of numbers, at least 100 rows. It stays in this page.";
}

function wordsOf({ about, count, names, mean, deviation, informationInBits }: PairView): string {
  const columns = names.map((name, i) => `${name}: ${short(mean[i])} ± ${short(deviation[i])}`);
  return `${about}: ${grouped(count)} pairs. Mean ± standard deviation of ${columns.join("; ")}. Mutual information ${fixed(informationInBits, 3)} bits. Squares span ±4 standard deviations.`;
}
