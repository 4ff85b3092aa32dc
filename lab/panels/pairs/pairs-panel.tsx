/** Pairs: fits two-dimensional densities while the user watches (paper §4.1). */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/controls.js";
import { InducedDensity, Normalization } from "../../components/equations.js";
import { Notice, Problems } from "../../components/notice.js";
import { Panel } from "../../components/panel.js";
import { useWhileOpen } from "../../is-open.js";
import { useSettings } from "../../use-settings.js";
import { Curves } from "./curves.js";
import { DrawCloud } from "./draw-cloud.js";
import type { Cloud } from "./drawn-cloud.js";
import { FitActions } from "./fit-actions.js";
import { ModelCard } from "./model-card.js";
import { compact, fixed, thousands } from "../../../src/numbers/format-number.js";
import { type PairFits, usePairFits } from "./pair-fits.js";
import { type PairModel, pairModels } from "./pair-models.js";
import { PairPaths } from "./pair-paths.js";
import { DataControls, ModelControls } from "./pairs-controls.js";
import type { PairView } from "./pairs-jobs.js";
import { type PairsState, pairsSettings } from "./pairs-settings.js";
import { FitProblems, ResultsTable } from "./results-table.js";
import { useOwnFiles, usePairs } from "./use-pairs.js";
import "./pair-paths.css";
import "./pairs.css";

export function PairsPanel(): VNode {
  const [state, change, field] = useSettings<PairsState>("pairs", pairsSettings);
  const files = useOwnFiles(state, change);
  const [drawn, setDrawn] = useState<Cloud>([]);
  const { source, view, isLoading, problem, tryAgain } = usePairs(state, files.held, drawn);
  const fits = usePairFits(source);
  const isReading = files.reading !== null;
  const chosen = pairModels.filter(({ name }) => state.models.split(" ").includes(name));
  const isReady = source !== null && view !== null && !isLoading;
  const fit = (models: readonly PairModel[]): void => {
    if (!isReady) return;
    const { steps, seed } = state;
    fits.start(models.map(({ name }) => ({ source, model: name, steps, seed: String(seed) })));
  };
  return (
    <Panel
      title="Pairs"
      lead="Fit densities to pairs of numbers and watch: the contours close in on the data, and the transformed cloud becomes circular."
      actions={
        <FitActions chosen={chosen} steps={state.steps} fits={fits} isReady={isReady} onFit={fit} />
      }
      controls={
        <>
          <DataControls state={state} change={change} field={field} files={files} />
          <ModelControls change={change} field={field} chosen={chosen} />
        </>
      }
      explanation={<Explanation />}
    >
      <Problems sentences={files.problems} onClose={files.closeProblem} />
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
      {tryAgain && (
        <div class="buttons">
          <Button onClick={tryAgain}>Try again</Button>
        </div>
      )}
      {state.data === "drawn" && <DrawCloud cloud={drawn} onChange={setDrawn} />}
      {view === null && problem === null && state.data !== "drawn" && (
        <p>{waitingFor(state, isReading)}</p>
      )}
      {view !== null && (
        <Results
          view={view}
          fits={fits}
          models={chosen}
          isLoading={isLoading || isReading}
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
        {/* Hidden but present, so nothing below moves while other pairs load. */}
        <span class={isLoading ? "hidden" : ""}>{wordsOf(view)}</span>
      </p>
      {view.caution !== null && <Notice kind="news">{view.caution}</Notice>}
      <Key />
      {models.length === 0 ? (
        <p>No model is ticked. Tick one to see and fit it.</p>
      ) : (
        <div class="pair-cards">
          {models.map((model) => (
            <ModelCard
              key={model.name}
              model={model}
              view={view}
              fit={shown.get(model.name)}
              onFit={() => {
                onFit([model]);
              }}
            />
          ))}
        </div>
      )}
      <Curves models={models} view={view} fits={inCurves} />
      <ResultsTable models={models} view={view} fits={shown} />
      <PairPaths models={models} view={view} fits={shown} />
      <FitProblems models={models} fits={shown} />
    </>
  );
}

/** Explains the lines of the plots. */
function Key(): VNode {
  const entries = [
    ["histogram", "histogram of the pairs"],
    ["model", "density of the model, same levels"],
    ["normal", "standard normal, radius 1, 2, 3"],
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

function waitingFor({ data }: PairsState, isReading: boolean): string {
  if (data !== "csv" || isReading) return "Loading …";
  return "Drop a CSV file: two columns of numbers, at least 100 rows. It never leaves this page.";
}

function wordsOf({ about, count, names, mean, deviation, informationInBits }: PairView): string {
  const columns = names.map((name, i) => `${name}: ${compact(mean[i])} ± ${compact(deviation[i])}`);
  return `${about}: ${thousands(count)} pairs. Mean ± standard deviation of ${columns.join("; ")}. Mutual information ${fixed(informationInBits, 3)} bits. Plots span ±4 standard deviations.`;
}

function Explanation(): VNode {
  return (
    <>
      <p>
        A model is an invertible transform from data to normal vectors. It induces a density on the
        data (paper eq. 1):
      </p>
      <InducedDensity />
      <p>
        The transform is linear, and then divides each component by a pool of all components (paper
        eq. 5):
      </p>
      <Normalization exponents="of pairs" />
      <p>
        The four models tie different parameters. <strong>ICA-MG</strong> divides each component by
        itself only: it suits independent components. <strong>RG</strong> has α = 2 and one pool for
        all components: it suits elliptical densities. <strong>Lₚ</strong> is RG with a free
        exponent p. <strong>GDN</strong> has all parameters free and includes the others.
      </p>
      <p>
        The fit maximises the likelihood. This minimises <strong>ΔJ</strong>, the change of
        negentropy; negentropy is the distance from a normal distribution.{" "}
        <strong>Mutual information</strong> measures how much one component tells about the other;
        after a perfect fit it is 0.
      </p>
      <p>
        Try wavelet coefficients at several separations. Close neighbours are nearly elliptical,
        distant ones nearly independent; only GDN fits both. No model fits the curved pairs: a
        single layer is symmetric about the mean, p(x) = p(−x).
      </p>
    </>
  );
}
