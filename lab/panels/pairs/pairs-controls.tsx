/** Settings of the panel: the pairs and the models. */
import type { VNode } from "preact";
import { thousands } from "../../../src/numbers/format-number.js";
import { Check, Choice, FileChoice, NumberField, Slider } from "../../components/controls.js";
import { FileDrop } from "../../components/file-drop.js";
import { labPhotographs } from "../../photographs.js";
import type { Fields } from "../../use-settings.js";
import { type PairModel, pairModels } from "./pair-models.js";
import { type DataKind, type PairsState, pairCounts, separations } from "./pairs-settings.js";
import type { useOwnFiles } from "./use-pairs.js";

interface DataControlsProps {
  readonly state: PairsState;
  readonly change: (part: Partial<PairsState>) => void;
  readonly field: Fields<PairsState>;
  readonly files: ReturnType<typeof useOwnFiles>;
}

const kinds: readonly { readonly value: DataKind; readonly label: string }[] = [
  { value: "wavelets", label: "Wavelet coefficients" },
  { value: "elliptical", label: "Elliptical, heavy-tailed" },
  { value: "independent", label: "Independent, heavy-tailed" },
  { value: "curved", label: "Curved" },
  { value: "drawn", label: "Your own cloud" },
];

export function DataControls(props: DataControlsProps): VNode {
  const { state, field, files } = props;
  const table = files.held.table?.file.name ?? "Your CSV file";
  return (
    <>
      <Choice
        label="Pairs"
        {...field("data")}
        choices={[...kinds, { value: "csv", label: table }]}
      />
      <FileDrop
        label="Drop a picture or a CSV file with two columns anywhere on the page, paste it, or choose one"
        accept="image/*,.iml,.csv,.tsv,.txt,text/csv,text/plain"
        onFiles={files.take}
      />
      {state.data === "wavelets" && <WaveletControls {...props} />}
      {state.data !== "csv" && state.data !== "drawn" && (
        <Choice
          label="Count"
          {...field("pairs")}
          choices={pairCounts.map((value) => ({ value, label: thousands(Number(value)) }))}
        />
      )}
      <NumberField label="Seed" {...field("seed")} />
    </>
  );
}

function WaveletControls({ state, change, field, files }: DataControlsProps): VNode {
  return (
    <>
      <FileChoice
        label="Picture"
        file={files.held.picture?.file.name}
        value={state.photograph}
        choices={labPhotographs.map(({ name, title }) => ({ value: name, label: title }))}
        onChange={(photograph) => {
          files.leavePicture();
          change({ photograph });
        }}
      />
      <Choice
        label="Edges"
        {...field("orientation")}
        choices={[
          { value: "vertical", label: "vertical" },
          { value: "rising", label: "diagonal (/)" },
          { value: "horizontal", label: "horizontal" },
          { value: "falling", label: "diagonal (\\)" },
        ]}
      />
      <Slider
        label="Separation"
        value={Math.max(0, separations.indexOf(state.separation))}
        least={0}
        most={separations.length - 1}
        text={`${state.separation} ${state.separation === 1 ? "pixel" : "pixels"}`}
        onChange={(k) => {
          change({ separation: separations[k] });
        }}
      />
    </>
  );
}

interface ModelControlsProps extends Pick<DataControlsProps, "change" | "field"> {
  readonly chosen: readonly PairModel[];
}

export function ModelControls({ change, field, chosen }: ModelControlsProps): VNode {
  return (
    <>
      <fieldset class="pair-models">
        <legend>Models</legend>
        {pairModels.map((model) => (
          <Check
            label={model.title}
            checked={chosen.includes(model)}
            onChange={(checked) => {
              const next = pairModels.filter((each) =>
                each === model ? checked : chosen.includes(each),
              );
              change({ models: next.map(({ name }) => name).join(" ") });
            }}
          />
        ))}
      </fieldset>
      <NumberField label="Steps" {...field("steps")} />
    </>
  );
}
