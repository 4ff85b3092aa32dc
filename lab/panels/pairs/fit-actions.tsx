/** Starts, pauses and cancels the fits, and shows their progress. */
import type { VNode } from "preact";
import { Button } from "../../components/controls.js";
import { ActionBar } from "../../components/panel.js";
import { Progress } from "../../components/progress.js";
import { useTimeLeft } from "../../use-time-left.js";
import type { PairFitMap, PairFits } from "./pair-fits.js";
import type { PairModel } from "./pair-models.js";

interface FitActionsProps {
  readonly chosen: readonly PairModel[];
  readonly steps: number;
  readonly fits: PairFits;
  /** Whether there are pairs to fit. */
  readonly isReady: boolean;
  readonly onFit: (models: readonly PairModel[]) => void;
}

export function FitActions({ chosen, steps, fits, isReady, onFit }: FitActionsProps): VNode {
  const running = partDone(fits.shown.value);
  const isHeld = fits.isHeld.value;
  const left = useTimeLeft(running, isHeld);
  return (
    <ActionBar
      buttons={
        <>
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
              fits.isHeld.value = !isHeld;
            }}
          >
            {isHeld ? "Resume" : "Pause"}
          </Button>
          {running !== null && (
            <Button
              onClick={() => {
                fits.cancel();
              }}
            >
              Cancel
            </Button>
          )}
        </>
      }
    >
      {running === null ? (
        <p>{`${countText(chosen.length)}, ${steps} steps each`}</p>
      ) : (
        <Progress
          label={isHeld ? "Paused" : "Fitting"}
          part={running}
          text={`${Math.floor(100 * running)} %${left}`}
        />
      )}
    </ActionBar>
  );
}

function countText(count: number): string {
  return count === 1 ? "1 model" : `${count} models`;
}

/** Returns the mean progress of the running fits, from 0 to 1; null if none is running. */
function partDone(fits: PairFitMap): number | null {
  const running = [...fits.values()].filter(({ state }) => state.status === "running");
  if (running.length === 0) return null;
  const parts = running.map(({ frames, steps }) => (frames.at(-1)?.step ?? 0) / steps);
  return parts.reduce((sum, part) => sum + part, 0) / parts.length;
}
