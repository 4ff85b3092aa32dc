/** Controls of the panel: choose the pairs and the models, and start fits. */
import type { VNode } from "preact";
import { thousands } from "../../../src/numbers/format-number.js";
import {
  Button,
  Check,
  Choice,
  FileChoice,
  NumberField,
  Slider,
} from "../../components/controls.js";
import { FileDrop } from "../../components/file-drop.js";
import { Progress } from "../../components/progress.js";
import { labPhotographs } from "../../photographs.js";
import type { Fields } from "../../use-settings.js";
import type { PairFitMap, PairFits } from "./pair-fits.js";
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
  readonly fits: PairFits;
  /** Whether there are pairs to fit. */
  readonly isReady: boolean;
  readonly onFit: (models: readonly PairModel[]) => void;
}

export function ModelControls(props: ModelControlsProps): VNode {
  const { change, field, chosen, fits, isReady, onFit } = props;
  const running = partDone(fits.shown.value);
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
      <div class="pair-state">
        <div class="buttons">
          <Button
            isMain
            disabled={!isReady || chosen.length === 0 || running !== null}
            onClick={() => {
              onFit(chosen);
            }}
          >
            {chosen.length === 1 ? `Fit ${chosen[0].title}` : "Fit all"}
          </Button>
          <Button
            disabled={running === null}
            onClick={() => {
              fits.isHeld.value = !fits.isHeld.value;
            }}
          >
            {fits.isHeld.value ? "Resume" : "Pause"}
          </Button>
        </div>
        {running !== null && (
          <Progress
            label={fits.isHeld.value ? "Paused" : "Fitting"}
            part={running}
            text={`${Math.floor(100 * running)} %`}
            onCancel={() => {
              fits.cancel();
            }}
          />
        )}
      </div>
    </>
  );
}

/** Returns the mean progress of the running fits, from 0 to 1; null if none is running. */
function partDone(fits: PairFitMap): number | null {
  const running = [...fits.values()].filter(({ state }) => state.status === "running");
  if (running.length === 0) return null;
  const parts = running.map(({ frames, steps }) => (frames.at(-1)?.step ?? 0) / steps);
  return parts.reduce((sum, part) => sum + part, 0) / parts.length;
}
