/** Settings and controls of the panel. */
import type { VNode } from "preact";
import type { RunDescription } from "../../../src/runs/run-description.js";
import { type StateOf, choiceSetting, seedSetting, textSetting } from "../../address.js";
import { Choice, NumberField, TextField } from "../../components/controls.js";
import { curveSettings } from "../../components/curve-controls.js";
import type { Fields } from "../../use-settings.js";
import { FileDrop } from "../../components/file-drop.js";
import {
  type Abscissa,
  type Quantity,
  abscissas,
  mostRuns,
  quantities,
} from "../../components/run-curves.js";
import { type Direction, type SortKey, directions, sortKeys } from "./run-order.js";

export const settings = {
  /** Names of the compared runs, in the form of {@link formatChosen}. */
  runs: textSetting(""),
  /** Name of the run whose filters and samples are shown. */
  of: textSetting(""),
  quantity: choiceSetting<Quantity>("difference", quantities),
  over: choiceSetting<Abscissa>("step", abscissas),
  seed: seedSetting,
  /** Name of the run whose filters and samples are shown beside them. */
  beside: textSetting(""),
  filter: textSetting(""),
  sort: choiceSetting<SortKey>("name", sortKeys),
  direction: choiceSetting<Direction>("up", directions),
  ...curveSettings,
};

export type RunsState = StateOf<typeof settings>;

/**
 * Returns the compared runs for a text such as "gdn,deep%2Fsix". An empty text means that the user
 * has not chosen: then it is the run `byItself` that was shown before, if it still exists, else the
 * run written last. (With several running fits, the last written changes all the time.)
 */
export function chosenRuns(
  text: string,
  runs: readonly RunDescription[],
  byItself?: string,
): RunDescription[] {
  if (text === "") {
    const before = runs.filter(({ name }) => name === byItself);
    const latest = Math.max(...runs.map(({ modified }) => modified));
    return [...before, ...runs.filter(({ modified }) => modified === latest)].slice(0, 1);
  }
  const names = text.split(",");
  return names
    .flatMap((name) => runs.find((run) => encodeURIComponent(run.name) === name) ?? [])
    .slice(0, mostRuns);
}

/** Writes chosen runs for the address. Choosing none differs from not choosing. */
export function formatChosen(names: readonly string[]): string {
  return names.length === 0 ? "," : names.map((name) => encodeURIComponent(name)).join(",");
}

/** Value that is not the name of a run. */
const droppedFile = "";

interface RunsControlsProps {
  readonly field: Fields<RunsState>;
  /** Names of the chosen runs. */
  readonly names: readonly string[];
  readonly shown: string | undefined;
  /** Name of the dropped model, which is shown instead of a run. */
  readonly dropped: string | null;
  /** Shows the filters and samples of a run. */
  readonly onShow: (name: string) => void;
  /** Name of the file being read. */
  readonly reading: string | null;
  readonly onFiles: (files: readonly File[]) => void;
}

export function RunsControls(props: RunsControlsProps): VNode {
  const { field, names, shown, dropped, reading, onShow, onFiles } = props;
  const models = [
    ...(dropped === null ? [] : [{ value: droppedFile, label: dropped }]),
    ...names.map((name) => ({ value: name, label: name })),
  ];
  return (
    <>
      <TextField label="Filter the table" {...field("filter")} hint="name or state" />
      <Choice
        label="Curve"
        {...field("quantity")}
        choices={[
          { value: "difference", label: "ΔJ (change of negentropy)" },
          { value: "loss", label: "loss (negative log-likelihood)" },
        ]}
      />
      <Choice
        label="Horizontal axis"
        {...field("over")}
        choices={[
          { value: "step", label: "steps" },
          { value: "time", label: "time" },
        ]}
      />
      {shown !== undefined && models.length > 1 && (
        <Choice
          label="Filters and samples of"
          value={dropped === null ? shown : droppedFile}
          choices={models}
          onChange={(of) => {
            if (of !== droppedFile) onShow(of);
          }}
        />
      )}
      {names.length > 1 && (
        <Choice
          label="Beside them"
          {...field("beside")}
          choices={[
            { value: "", label: "nothing" },
            ...names.filter((name) => name !== shown).map((name) => ({ value: name, label: name })),
          ]}
        />
      )}
      <NumberField label="Seed of the samples" {...field("seed")} />
      <FileDrop
        label="Drop a metrics.jsonl or a model (.safetensors) here, or choose one."
        accept=".jsonl,.safetensors"
        isMultiple
        onFiles={onFiles}
      />
      <p class="reading" role="status">
        {reading !== null && `Reading ${reading} …`}
      </p>
    </>
  );
}
