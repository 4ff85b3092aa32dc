import type { VNode } from "preact";
import { choiceSetting, numberSetting, textSetting } from "../../address.js";
import { Choice, NumberField } from "../../components/controls.js";
import { FileDrop } from "../../components/file-drop.js";
import { type Abscissa, type Quantity, abscissas, quantities } from "../../components/curves.js";

export interface RunsState {
  /** As chosen-runs.ts writes them. */
  readonly runs: string;
  /** Whose filters and samples. */
  readonly of: string;
  readonly quantity: Quantity;
  readonly over: Abscissa;
  readonly seed: number;
}

export const settings = {
  runs: textSetting(""),
  of: textSetting(""),
  quantity: choiceSetting<Quantity>("difference", quantities),
  over: choiceSetting<Abscissa>("step", abscissas),
  seed: numberSetting(1, { least: 0, most: 2 ** 31, isWhole: true }),
};

/** No run has this name. */
const droppedFile = "";

interface RunsControlsProps {
  readonly state: RunsState;
  /** Of the chosen runs. */
  readonly names: readonly string[];
  readonly shown: string | undefined;
  /** The name of a model that was dropped, which is shown instead. */
  readonly dropped: string | null;
  readonly onChange: (part: Partial<RunsState>) => void;
  /** The name of a file that is being read. */
  readonly reading: string | null;
  readonly onFiles: (files: readonly File[]) => void;
}

export function RunsControls(props: RunsControlsProps): VNode {
  const { state, names, shown, dropped, reading, onChange, onFiles } = props;
  const models = [
    ...(dropped === null ? [] : [{ value: droppedFile, label: dropped }]),
    ...names.map((name) => ({ value: name, label: name })),
  ];
  return (
    <>
      <Choice
        label="Curves of"
        value={state.quantity}
        choices={[
          { value: "difference", label: "ΔJ, change of negentropy" },
          { value: "loss", label: "loss, −log-likelihood" },
        ]}
        onChange={(quantity) => {
          onChange({ quantity });
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
          onChange({ over });
        }}
      />
      {shown !== undefined && models.length > 1 && (
        <Choice
          label="Filters and samples of"
          value={dropped === null ? shown : droppedFile}
          choices={models}
          onChange={(of) => {
            if (of !== droppedFile) onChange({ of });
          }}
        />
      )}
      <NumberField
        label="Seed of samples"
        value={state.seed}
        least={0}
        most={2 ** 31}
        onChange={(seed) => {
          onChange({ seed });
        }}
      />
      <FileDrop
        label="Drop a metrics.jsonl or a model (.safetensors) here, or choose one"
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
