/** Chooses the pairs. */
import type { VNode } from "preact";
import { Choice, NumberField, Slider } from "../../components/controls.js";
import { FileDrop } from "../../components/file-drop.js";
import { labPhotographs } from "../../photographs.js";
import { thousands } from "../../../src/numbers/format-number.js";
import type { Fields } from "../../use-settings.js";
import { type DataKind, type PairsState, pairCounts, separations } from "./pairs-settings.js";
import type { OwnFilesOfPanel } from "./use-pairs.js";

interface DataControlsProps {
  readonly state: PairsState;
  readonly change: (part: Partial<PairsState>) => void;
  readonly field: Fields<PairsState>;
  readonly files: OwnFilesOfPanel;
}

const kinds: readonly { readonly value: DataKind; readonly label: string }[] = [
  { value: "wavelets", label: "Wavelet coefficients" },
  { value: "elliptical", label: "Elliptical, heavy-tailed" },
  { value: "independent", label: "Independent, heavy-tailed" },
  { value: "curved", label: "Curved" },
  { value: "csv", label: "A CSV file of yours" },
];

export function DataControls(props: DataControlsProps): VNode {
  const { state, field, files } = props;
  const table = files.held.table?.file.name;
  return (
    <>
      <Choice
        label="Pairs"
        {...field("data")}
        choices={kinds.map(({ value, label }) => ({
          value,
          label: value === "csv" ? (table ?? label) : label,
        }))}
      />
      <FileDrop
        label="Drop a picture or a CSV file with two columns anywhere here, paste it, or choose one"
        accept="image/*,.iml,.csv,.tsv,.txt,text/csv,text/plain"
        onFiles={files.take}
      />
      {state.data === "wavelets" && <WaveletControls {...props} />}
      {state.data !== "csv" && (
        <Choice
          label="How many"
          {...field("pairs")}
          choices={pairCounts.map((value) => ({ value, label: thousands(Number(value)) }))}
        />
      )}
      <NumberField label="Seed" {...field("seed")} />
    </>
  );
}

function WaveletControls({ state, change, field, files }: DataControlsProps): VNode {
  const own = files.held.picture?.file.name;
  return (
    <>
      <Choice
        label="Picture"
        value={own === undefined ? state.photograph : "own"}
        choices={[
          ...labPhotographs.map(({ name, title }) => ({ value: name, label: title })),
          ...(own === undefined ? [] : [{ value: "own" as const, label: own }]),
        ]}
        onChange={(value) => {
          if (value === "own") return;
          files.leavePicture();
          change({ photograph: value });
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
