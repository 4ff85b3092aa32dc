/** Which pairs. */
import type { VNode } from "preact";
import { Choice, NumberField, Slider } from "../../components/controls.js";
import { FileDrop } from "../../components/file-drop.js";
import { labPhotographs } from "../../photographs.js";
import { grouped } from "../../components/numbers.js";
import { type DataKind, type PairsState, pairCounts, separations } from "./pairs-settings.js";
import type { OwnFilesOfPanel } from "./use-own-files.js";

interface DataControlsProps {
  readonly state: PairsState;
  readonly change: (part: Partial<PairsState>) => void;
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
  const { state, change, files } = props;
  const table = files.own.table?.file.name;
  return (
    <>
      <Choice
        label="Pairs"
        value={state.data}
        choices={kinds.map(({ value, label }) => ({
          value,
          label: value === "csv" ? (table ?? label) : label,
        }))}
        onChange={(data) => {
          change({ data });
        }}
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
          value={state.pairs}
          choices={pairCounts.map((value) => ({ value, label: grouped(Number(value)) }))}
          onChange={(pairs) => {
            change({ pairs });
          }}
        />
      )}
      <NumberField
        label="Seed"
        value={state.seed}
        least={0}
        most={999_999}
        onChange={(seed) => {
          change({ seed });
        }}
      />
    </>
  );
}

function WaveletControls({ state, change, files }: DataControlsProps): VNode {
  const own = files.own.picture?.file.name;
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
        value={state.orientation}
        choices={[
          { value: "vertical", label: "vertical" },
          { value: "rising", label: "diagonal (/)" },
          { value: "horizontal", label: "horizontal" },
          { value: "falling", label: "diagonal (\\)" },
        ]}
        onChange={(orientation) => {
          change({ orientation });
        }}
      />
      <Slider
        label="Separation"
        value={Math.max(0, separations.indexOf(state.separation))}
        least={0}
        most={separations.length - 1}
        text={`${state.separation} ${state.separation === 1 ? "pixel" : "pixels"}`}
        onInput={(k) => {
          change({ separation: separations[k] });
        }}
      />
    </>
  );
}
