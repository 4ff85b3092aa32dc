/** Which pairs. */
import type { VNode } from "preact";
import { useCallback } from "preact/hooks";
import { Choice, NumberField, Slider } from "../../components/controls.js";
import { FileDrop } from "../../components/file-drop.js";
import { namedFile } from "../../named-file.js";
import { labPhotographs } from "../../photographs.js";
import { grouped } from "../../components/numbers.js";
import { type DataKind, type PairsState, pairCounts, separations } from "./pairs-settings.js";
import type { DroppedFiles } from "./use-pair-source.js";

interface DataControlsProps {
  readonly state: PairsState;
  readonly change: (part: Partial<PairsState>) => void;
  readonly dropped: DroppedFiles;
  readonly setDropped: (dropped: DroppedFiles) => void;
}

const kinds: readonly { readonly value: DataKind; readonly label: string }[] = [
  { value: "wavelets", label: "Wavelet coefficients" },
  { value: "elliptical", label: "Elliptical, heavy-tailed" },
  { value: "independent", label: "Independent, heavy-tailed" },
  { value: "curved", label: "Curved" },
  { value: "csv", label: "A CSV file of yours" },
];

export function DataControls(props: DataControlsProps): VNode {
  const { state, change, dropped, setDropped } = props;
  const takeTable = useCallback(
    ([file]: readonly File[]) => {
      setDropped({ ...dropped, table: namedFile(file) });
    },
    [dropped, setDropped],
  );
  return (
    <>
      <Choice
        label="Pairs"
        value={state.data}
        choices={kinds}
        onChange={(data) => {
          change({ data });
        }}
      />
      {state.data === "wavelets" && <WaveletControls {...props} />}
      {state.data === "csv" ? (
        <FileDrop
          label={dropped.table?.file.name ?? "Drop a CSV file with two columns, or choose one"}
          accept=".csv,.tsv,.txt,text/csv,text/plain"
          onFiles={takeTable}
        />
      ) : (
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

function WaveletControls({ state, change, dropped, setDropped }: DataControlsProps): VNode {
  const own = dropped.picture?.file.name;
  const takePicture = useCallback(
    ([file]: readonly File[]) => {
      setDropped({ ...dropped, picture: namedFile(file) });
    },
    [dropped, setDropped],
  );
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
          setDropped({ ...dropped, picture: null });
          change({ photograph: value });
        }}
      />
      <FileDrop
        label="Or drop a picture here, paste it, or choose one"
        accept="image/*,.iml"
        onFiles={takePicture}
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
