/** Choices for the curves of fits: axes and smoothing. They are the same in Train and Runs. */
import type { VNode } from "preact";
import { type StateOf, choiceSetting } from "../address.js";
import { Choice } from "./controls.js";
import type { CurveLook } from "./run-curves.js";

const smoothings = ["1", "5", "15", "51"] as const;

export const curveSettings = {
  xscale: choiceSetting("even", ["even", "log"] as const),
  yscale: choiceSetting("even", ["even", "log"] as const),
  smooth: choiceSetting<(typeof smoothings)[number]>("1", smoothings),
};

export type CurveState = StateOf<typeof curveSettings>;

export function curveLook({ xscale, yscale, smooth }: CurveState): CurveLook {
  return { stepScale: xscale, valueScale: yscale, smoothing: Number(smooth) };
}

interface CurveControlsProps {
  readonly state: CurveState;
  readonly change: (part: Partial<CurveState>) => void;
}

const scales = { even: "linear", log: "logarithmic" } as const;

export function CurveControls({ state, change }: CurveControlsProps): VNode {
  return (
    <div class="curve-controls">
      <Choice
        label="Horizontal scale"
        value={state.xscale}
        onChange={(xscale) => {
          change({ xscale });
        }}
        choices={[
          { value: "even", label: scales.even },
          { value: "log", label: scales.log },
        ]}
      />
      <Choice
        label="Vertical scale"
        value={state.yscale}
        onChange={(yscale) => {
          change({ yscale });
        }}
        choices={[
          { value: "even", label: scales.even },
          { value: "log", label: `${scales.log}, above the lowest` },
        ]}
      />
      <Choice
        label="Smoothing"
        value={state.smooth}
        onChange={(smooth) => {
          change({ smooth });
        }}
        choices={smoothings.map((value) => ({
          value,
          label: value === "1" ? "none" : `mean of ${value} records`,
        }))}
      />
    </div>
  );
}
