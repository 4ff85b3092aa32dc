/** Training runs of a folder, while they go on. */
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { RunDescription } from "../../../node/lab/run-description.js";
import { choiceSetting, numberSetting, textSetting } from "../../address.js";
import { Choice, NumberField } from "../../components/controls.js";
import { FileDrop } from "../../components/file-drop.js";
import { Notice } from "../../components/notice.js";
import { Panel } from "../../components/panel.js";
import { compute } from "../../compute/compute.js";
import { useSettings } from "../../use-settings.js";
import { chosenRuns, formatChosen } from "./chosen-runs.js";
import { abscissas, mostRuns, quantities } from "./curves.js";
import { type Curve, RunCurves } from "./run-curves.js";
import { type ModelSource, RunPictures } from "./run-pictures.js";
import { RunSettings } from "./run-settings.js";
import { RunTable } from "./run-table.js";
import { RunsExplanation, StaticAdvice } from "./runs-texts.js";
import { useMetrics, useRuns } from "./use-runs.js";

const settings = {
  runs: textSetting(""),
  of: textSetting(""),
  quantity: choiceSetting("difference", quantities),
  over: choiceSetting("step", abscissas),
  seed: numberSetting(1, { least: 0, most: 2 ** 31, isWhole: true }),
};

interface Dropped {
  readonly curves: readonly Curve[];
  readonly model: ModelSource | null;
  readonly problem: string | null;
}

const nothingDropped: Dropped = { curves: [], model: null, problem: null };

export function RunsPanel(): VNode {
  const [state, change] = useSettings("runs", settings);
  const { list, problem, round } = useRuns();
  const [dropped, setDropped] = useState(nothingDropped);
  const runs = list?.runs ?? [];
  const chosen = chosenRuns(state.runs, runs);
  const names = chosen.map(({ name }) => name);
  const metrics = useMetrics(names, round);
  const curves = useMemo(
    () => [...names.map((name) => ({ name, records: metrics.get(name) ?? [] })), ...dropped.curves],
    [JSON.stringify(names), metrics, dropped.curves],
  );
  const shown =
    chosen.find(({ name }) => name === state.of) ?? chosen.find(({ model }) => model) ?? chosen[0];
  const model = dropped.model ?? sourceOf(shown);
  return (
    <Panel
      title="Runs"
      lead="Fits in a folder, while they go on: how far they are, how they compare, what they have learned."
      explanation={<RunsExplanation />}
      controls={
        <>
          <Choice
            label="Curves of"
            value={state.quantity}
            choices={[
              { value: "difference", label: "ΔJ, change of negentropy" },
              { value: "loss", label: "loss, −log-likelihood" },
            ]}
            onChange={(quantity) => {
              change({ quantity });
            }}
          />
          <Choice
            label="over"
            value={state.over}
            choices={[
              { value: "step", label: "steps" },
              { value: "time", label: "time" },
            ]}
            onChange={(over) => {
              change({ over });
            }}
          />
          {chosen.length > 1 && (
            <Choice
              label="Filters and samples of"
              value={shown.name}
              choices={names.map((name) => ({ value: name, label: name }))}
              onChange={(of) => {
                change({ of });
                setDropped((before) => ({ ...before, model: null }));
              }}
            />
          )}
          <NumberField
            label="Seed of samples"
            value={state.seed}
            least={0}
            most={2 ** 31}
            onChange={(seed) => {
              change({ seed });
            }}
          />
          <FileDrop
            label="Drop a metrics.jsonl or a model (.safetensors) here, or choose one"
            accept=".jsonl,.safetensors"
            onFiles={([file]) => {
              void take(file, dropped).then(setDropped);
            }}
          />
        </>
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
      {dropped.problem !== null && <Notice kind="problem">{dropped.problem}</Notice>}
      {runs.length > 0 && (
        <RunTable
          runs={runs}
          chosen={names}
          isFull={names.length >= mostRuns}
          onChoose={(name, isChosen) => {
            const others = names.filter((other) => other !== name);
            change({ runs: formatChosen(isChosen ? [...others, name] : others) });
          }}
        />
      )}
      {list?.isComplete === false && <p>There are more runs than are listed here.</p>}
      {curves.length > 0 && (
        <RunCurves curves={curves} quantity={state.quantity} abscissa={state.over} />
      )}
      {chosen.length > 1 && <RunSettings runs={chosen} />}
      {model ? (
        <RunPictures source={model} seed={state.seed} />
      ) : (
        chosen.length > 0 && (
          <p>{shown.name} has no model yet: it is written when the fit is done.</p>
        )
      )}
    </Panel>
  );
}

function sourceOf(run: RunDescription | undefined): ModelSource | null {
  if (!run || run.model === null) return null;
  return { kind: "run", name: run.name, version: run.model };
}

/** Metrics are added to the chart, as far as there are colours; a model takes the place of the one before. */
async function take(file: File, before: Dropped): Promise<Dropped> {
  const { name } = file;
  if (/\.safetensors$/i.test(name)) {
    return { ...before, model: { kind: "file", name, file }, problem: null };
  }
  try {
    const records = await compute("readMetrics", { file });
    const others = before.curves.filter((curve) => curve.name !== name);
    return { ...before, curves: [...others, { name, records }].slice(-mostRuns), problem: null };
  } catch (error) {
    return { ...before, problem: error instanceof Error ? error.message : String(error) };
  }
}
