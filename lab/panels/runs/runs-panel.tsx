/** Runs: watches and compares the fits in a folder. */
import type { VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { RunDescription, RunList } from "../../../src/runs/run-description.js";
import { Command } from "../../components/copy-button.js";
import { CurveControls, curveLook } from "../../components/curve-controls.js";
import { Objective } from "../../components/equations.js";
import { Notice, Problems } from "../../components/notice.js";
import { Explained, Panel } from "../../components/panel.js";
import { RunCurves, mostRuns } from "../../components/run-curves.js";
import { useSettings } from "../../use-settings.js";
import { DroppedList, shownCurves, useDroppedRuns } from "./dropped-runs.js";
import { RunModels } from "./run-models.js";
import { filtered, sorted } from "./run-order.js";
import { RunSettings } from "./run-settings.js";
import { RunTable } from "./run-table.js";
import { RunsControls, chosenRuns, formatChosen, settings } from "./runs-controls.js";
import { useMetrics, useRuns } from "./use-runs.js";
import "./runs.css";

export function RunsPanel(): VNode {
  const [state, change, field] = useSettings("runs", settings);
  const { list, problem, round } = useRuns();
  const dropped = useDroppedRuns();
  const files = dropped.held;
  const runs = list?.runs ?? [];
  const byItself = useRef<string | undefined>(undefined);
  const chosen = chosenRuns(state.runs, runs, byItself.current);
  if (state.runs === "") byItself.current = chosen[0]?.name;
  const names = chosen.map(({ name }) => name);
  const listed = sorted(filtered(runs, state.filter), state.sort, state.direction);
  const metrics = useMetrics(names, round);
  const { shown: curves, leftOut } = useMemo(
    () =>
      shownCurves(
        names.map((name) => ({ name, records: metrics.get(name) ?? [] })),
        files.curves,
      ),
    [JSON.stringify(names), metrics, files.curves],
  );
  const shown = shownRun(chosen, state.of);
  const second = chosen.find(({ name }) => name === state.beside && name !== shown?.name);
  const order = sorted(chosen, state.sort, state.direction).map(({ name }) => name);
  return (
    <Panel
      title="Runs"
      lead="Watch the fits in a folder and compare them: progress, curves, settings, filters and samples."
      controls={
        <RunsControls
          field={field}
          names={names}
          shown={shown?.name}
          dropped={files.model?.name ?? null}
          reading={dropped.reading}
          onShow={(of) => {
            change({ of });
            dropped.leaveModel();
          }}
          onFiles={dropped.take}
        />
      }
    >
      <ListState list={list} problem={problem} />
      <DroppedList files={files} onClose={dropped.close} />
      <Problems sentences={dropped.problems} onClose={dropped.closeProblem} />
      {runs.length > 0 && (
        <RunTable
          runs={listed}
          chosen={names}
          drawn={curves.map(({ name }) => name)}
          isFull={names.length + files.curves.length >= mostRuns}
          onChoose={(name, isChosen) => {
            const others = names.filter((other) => other !== name);
            change({ runs: formatChosen(isChosen ? [...others, name] : others) });
          }}
          sort={state.sort}
          direction={state.direction}
          onSort={(sort, direction) => {
            change({ sort, direction });
          }}
        />
      )}
      {listed.length < runs.length && (
        <p role="status">{`${listed.length} of ${runs.length} runs match “${state.filter}”.`}</p>
      )}
      {list?.isComplete === false && <p>The folder has more runs than are listed here.</p>}
      {curves.length > 0 && (
        <Explained question="What do the curves show?" notes={<CurveNotes />}>
          <CurveControls state={state} change={change} />
          <RunCurves
            curves={curves}
            order={order}
            quantity={state.quantity}
            abscissa={state.over}
            waiting="The chosen runs have no records yet."
            fileName="runs"
            height={300}
            {...curveLook(state)}
          />
        </Explained>
      )}
      {leftOut.length > 0 && (
        <Notice kind="news">
          The chart shows at most {mostRuns} curves. Not drawn: {leftOut.join(", ")}.
        </Notice>
      )}
      {chosen.length > 1 && <RunSettings runs={chosen} />}
      <RunModels dropped={files.model} first={shown} second={second} seed={state.seed} />
    </Panel>
  );
}

interface ListStateProps {
  readonly list: RunList | null | undefined;
  readonly problem: string | null;
}

/** Messages about a list that is empty, missing or not loaded yet. */
function ListState({ list, problem }: ListStateProps): VNode {
  return (
    <>
      {list === undefined && problem === null && <p class="loading">Looking for runs …</p>}
      {list === null && <StaticAdvice />}
      {list?.runs.length === 0 && (
        <div class="advice">
          <p>There are no runs in {list.folder} yet. Start one, and it appears here:</p>
          <Command text={`gaussianize fit photos/ -o ${list.folder}/first`} />
        </div>
      )}
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
    </>
  );
}

/** Returns the run with this name, else the first with a model. */
function shownRun(chosen: readonly RunDescription[], name: string): RunDescription | undefined {
  const inOrder = [
    ...chosen.filter((run) => run.name === name),
    ...chosen.filter(({ model }) => model !== null),
    ...chosen,
  ];
  return inOrder[0];
}

function StaticAdvice(): VNode {
  return (
    <div class="advice">
      <p>
        This page was opened without a folder of runs. To watch fits here, start the lab with the
        folder that <code>gaussianize fit</code> writes to:
      </p>
      <Command text={"gaussianize fit photos/ -o runs/first\ngaussianize lab runs/ --open"} />
      <p>
        You can also drop the files <code>metrics.jsonl</code> and <code>model.safetensors</code> of
        a run on this page.
      </p>
    </div>
  );
}

/** Notes beside the curves. */
function CurveNotes(): VNode {
  return (
    <>
      <p>
        A fit looks for the transform <i>y</i> = <i>g</i>(<i>x</i>) that makes patches of images as
        normal as possible. Each step lowers the loss, which is, up to a constant, the mean of
      </p>
      <Objective />
      <p>
        ΔJ is this mean minus the mean of ½‖<i>x</i>‖², per dimension: the change of the negentropy,
        the distance from a normal distribution (paper eq. 4). Lower is better.
      </p>
      <p>
        No step uses held-out images. If the dotted line rises while the other falls, the fit starts
        to memorise its images. The fit keeps the model that was best on the held-out images.
      </p>
    </>
  );
}
