/** Chooses the models, and fits them. */
import type { VNode } from "preact";
import { Button, Check, NumberField } from "../../components/controls.js";
import { Progress } from "../../components/progress.js";
import type { Fields } from "../../use-settings.js";
import type { PairFitMap, PairFits } from "./pair-fits.js";
import { type PairModel, pairModels } from "./pair-models.js";
import type { PairsState } from "./pairs-settings.js";

interface ModelControlsProps {
  readonly change: (part: Partial<PairsState>) => void;
  readonly field: Fields<PairsState>;
  readonly chosen: readonly PairModel[];
  readonly fits: PairFits;
  /** Null while there are no pairs, or no models. */
  readonly onFit: (() => void) | null;
}

export function ModelControls(props: ModelControlsProps): VNode {
  const { change, field, chosen, fits, onFit } = props;
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
          <Button isMain disabled={onFit === null || running !== null} onClick={() => onFit?.()}>
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

/** Returns how far the running fits are, from 0 to 1; null if there are none. */
function partDone(fits: PairFitMap): number | null {
  const running = [...fits.values()].filter(({ state }) => state.status === "running");
  if (running.length === 0) return null;
  const parts = running.map(({ frames, steps }) => (frames.at(-1)?.step ?? 0) / steps);
  return parts.reduce((sum, part) => sum + part, 0) / parts.length;
}
