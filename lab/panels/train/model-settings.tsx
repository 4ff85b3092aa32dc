/** What is fitted, and how. */
import type { VNode } from "preact";
import { square } from "../../../src/numbers/square.js";
import { largestPoolRank, modelNames, namedModel } from "../../../src/index.js";
import { Choice, NumberField } from "../../components/controls.js";
import {
  type TrainState,
  chosenSizes,
  mostBatch,
  mostLayers,
  mostSteps,
  patchSides,
  rankOf,
} from "./train-settings.js";

interface ModelSettingsProps {
  readonly state: TrainState;
  readonly change: (part: Partial<TrainState>) => void;
}

export function ModelSettings(props: ModelSettingsProps): VNode {
  const { state, change } = props;
  return (
    <>
      <Choice
        label="Model"
        value={state.model}
        choices={modelNames.map((name) => ({ value: name, label: namedModel(name).title }))}
        onChange={(model) => {
          change({ model });
        }}
      />
      <p class="train-about">{namedModel(state.model).about}</p>
      <Choice
        label="Patches"
        value={state.patch}
        choices={patchSides.map((side) => ({ value: side, label: `${side}×${side} pixels` }))}
        onChange={(patch) => {
          change({ patch });
        }}
      />
      <NumberField
        label="Steps"
        value={state.steps}
        least={1}
        most={mostSteps}
        onChange={(steps) => {
          change({ steps });
        }}
      />
      <MoreSettings {...props} />
    </>
  );
}

function MoreSettings({ state, change }: ModelSettingsProps): VNode {
  const { batch, learningRate } = chosenSizes(state);
  return (
    <details class="train-more">
      <summary>More settings</summary>
      <NumberField
        label="Patches of a step"
        value={batch}
        least={1}
        most={mostBatch}
        onChange={(chosen) => {
          change({ batch: chosen });
        }}
      />
      <NumberField
        label="Largest learning rate"
        value={learningRate}
        least={0.0001}
        most={10}
        step={0.0001}
        onChange={(rate) => {
          change({ rate });
        }}
      />
      <NumberField
        label="Layers"
        value={state.layers}
        least={1}
        most={mostLayers}
        onChange={(layers) => {
          change({ layers });
        }}
      />
      {state.model === "gdn" && (
        <NumberField
          label="Rank of the pools (0: full γ)"
          value={rankOf(state)}
          least={0}
          most={largestPoolRank(square(Number(state.patch)))}
          onChange={(rank) => {
            change({ rank });
          }}
        />
      )}
      <NumberField
        label="Part of the pictures that is held out"
        value={state.heldOut}
        least={0}
        most={0.9}
        step={0.01}
        onChange={(heldOut) => {
          change({ heldOut });
        }}
      />
      <Choice
        label="Pixels"
        value={state.luminance}
        choices={[
          { value: "linear", label: "luminance in linear light" },
          { value: "grey", label: "grey values (Rec. 601)" },
        ]}
        onChange={(luminance) => {
          change({ luminance });
        }}
      />
      <Choice
        label="Preprocessing"
        value={state.preprocessing}
        choices={[
          { value: "logistic", label: "a fitted curve" },
          { value: "standardize", label: "scale and shift" },
        ]}
        onChange={(preprocessing) => {
          change({ preprocessing });
        }}
      />
      <NumberField
        label="Seed"
        value={state.seed}
        least={0}
        most={2 ** 31}
        onChange={(seed) => {
          change({ seed });
        }}
      />
    </details>
  );
}
