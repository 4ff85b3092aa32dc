/** Training runs of a folder, while they go on. */
import type { VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { RunDescription } from "../../../src/runs/run-description.js";
import { Notice } from "../../components/notice.js";
import { Panel } from "../../components/panel.js";
import { useSettings } from "../../use-settings.js";
import { chosenRuns, formatChosen } from "./chosen-runs.js";
import { mostRuns } from "../../components/curves.js";
import { shownCurves } from "./dropped.js";
import { DroppedFiles } from "./dropped-files.js";
import { RunCurves } from "../../components/run-curves.js";
import { type ModelSource, RunPictures } from "../../components/run-pictures.js";
import { modelAddress } from "./runs-client.js";
import { RunSettings } from "./run-settings.js";
import { RunTable } from "./run-table.js";
import { RunsControls, settings } from "./runs-controls.js";
import { RunsExplanation, StaticAdvice } from "./runs-texts.js";
import { useDropped } from "./use-dropped.js";
import { useMetrics, useRuns } from "./use-runs.js";

export function RunsPanel(): VNode {
  const [state, change] = useSettings("runs", settings);
  const { list, problem, round } = useRuns();
  const dropped = useDropped();
  const runs = list?.runs ?? [];
  const byItself = useRef<string | undefined>(undefined);
  const chosen = chosenRuns(state.runs, runs, byItself.current);
  if (state.runs === "") byItself.current = chosen[0]?.name;
  const names = chosen.map(({ name }) => name);
  const metrics = useMetrics(names, round);
  const { shown: curves, leftOut } = useMemo(
    () =>
      shownCurves(
        names.map((name) => ({ name, records: metrics.get(name) ?? [] })),
        dropped.curves,
      ),
    [JSON.stringify(names), metrics, dropped.curves],
  );
  const shown = shownRun(chosen, state.of);
  const model = dropped.model ?? sourceOf(shown);
  return (
    <Panel
      title="Runs"
      lead="Fits in a folder, while they go on: how far they are, how they compare, what they have learned."
      explanation={<RunsExplanation />}
      controls={
        <RunsControls
          state={state}
          names={names}
          shown={shown?.name}
          dropped={dropped.model?.name ?? null}
          reading={dropped.reading}
          onChange={(part) => {
            change(part);
            if (part.of !== undefined) dropped.leaveModel();
          }}
          onFiles={dropped.take}
        />
      }
    >
      {list === undefined && problem === null && <p class="loading">Looking for runs …</p>}
      {list === null && <StaticAdvice />}
      {list && runs.length === 0 && (
        <p>
          There is no run in {list.folder} yet:{" "}
          <code>gaussianize fit photos/ -o {list.folder}/first</code> begins one, and it appears
          here.
        </p>
      )}
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
      <DroppedFiles dropped={dropped} onClose={dropped.close} />
      {dropped.problems.map((sentence) => (
        <Notice
          key={sentence}
          kind="problem"
          onClose={() => {
            dropped.closeProblem(sentence);
          }}
        >
          {sentence}
        </Notice>
      ))}
      {runs.length > 0 && (
        <RunTable
          runs={runs}
          chosen={names}
          isFull={names.length + dropped.curves.length >= mostRuns}
          onChoose={(name, isChosen) => {
            const others = names.filter((other) => other !== name);
            change({ runs: formatChosen(isChosen ? [...others, name] : others) });
          }}
        />
      )}
      {list?.isComplete === false && <p>There are more runs than are listed here.</p>}
      {curves.length > 0 && (
        <RunCurves
          {...{ curves, quantity: state.quantity, abscissa: state.over }}
          waiting="No step of the chosen runs has been noted yet."
        />
      )}
      {leftOut.length > 0 && (
        <Notice kind="news">
          Not drawn, since there are colours for {mostRuns}: {leftOut.join(", ")}.
        </Notice>
      )}
      {chosen.length > 1 && <RunSettings runs={chosen} />}
      {model ? (
        <RunPictures source={model} seed={state.seed} />
      ) : (
        shown && <p>{shown.name} has no model yet: its first steps are being made.</p>
      )}
    </Panel>
  );
}

/** The one that was asked for, else the first with a model. */
function shownRun(chosen: readonly RunDescription[], name: string): RunDescription | undefined {
  const inOrder = [
    ...chosen.filter((run) => run.name === name),
    ...chosen.filter(({ model }) => model !== null),
    ...chosen,
  ];
  return inOrder[0];
}

function sourceOf(run: RunDescription | undefined): ModelSource | null {
  if (typeof run?.model !== "string") return null;
  const { name, model: version } = run;
  return { kind: "run", name, version, address: modelAddress(name) };
}
