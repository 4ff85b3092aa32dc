/** Fit, Pause, Resume, Stop, and how far it is. */
import type { VNode } from "preact";
import { Button } from "../../components/controls.js";
import { Progress } from "../../components/progress.js";
import type { Training, TrainingView } from "./training.js";

interface FitButtonsProps {
  readonly training: Training;
  /** Null while there are no pictures. */
  readonly onFit: (() => void) | null;
}

export function FitButtons({ training, onFit }: FitButtonsProps): VNode {
  const view = training.view.value;
  const { isRunning } = training;
  const isHeld = training.isHeld.value;
  return (
    <div class="train-state">
      <div class="buttons">
        <Button isMain disabled={onFit === null || isRunning} onClick={() => onFit?.()}>
          Fit
        </Button>
        {training.canGoOn ? (
          <Button
            onClick={() => {
              training.goOn();
            }}
          >
            Resume
          </Button>
        ) : (
          <Button
            disabled={!isRunning}
            onClick={() => {
              training.isHeld.value = !isHeld;
            }}
          >
            {isHeld ? "Resume" : "Pause"}
          </Button>
        )}
        <Button
          disabled={!isRunning}
          onClick={() => {
            training.stop();
          }}
        >
          Stop
        </Button>
      </div>
      {view && isRunning && (
        <>
          <Progress
            label={`${isHeld ? "Paused" : phases[view.phase]}${quarterOf(view)}`}
            part={view.phase === "fit" ? view.step / view.terms.steps : null}
          />
          <p class="train-rate">{isHeld ? `after step ${view.step}` : rateOf(view)}</p>
        </>
      )}
    </div>
  );
}

const phases: Readonly<Record<TrainingView["phase"], string>> = {
  opening: "Opening pictures",
  images: "Reading pictures",
  preprocessing: "Fitting the curve of the pixels",
  whitening: "Whitening",
  fit: "Fitting",
};

const quarters = ["", "past a quarter", "past the half", "past three quarters", "all steps taken"];

/** It is read out whenever it changes, which is why it has no numbers: those are below, and change all the time. */
function quarterOf({ phase, step, terms }: TrainingView): string {
  const quarter = phase === "fit" ? quarters[Math.floor((4 * step) / terms.steps)] : "";
  return quarter === "" ? "" : `, ${quarter}`;
}

function rateOf({ phase, step, terms, stepsPerSecond }: TrainingView): string {
  if (phase !== "fit") return " ";
  if (step === 0) return `step 0 of ${terms.steps}`;
  const left = durationOf((terms.steps - step) / stepsPerSecond);
  return `step ${step} of ${terms.steps}, ${stepsPerSecond.toFixed(1)} steps/s, ${left} left`;
}

function durationOf(seconds: number): string {
  if (!Number.isFinite(seconds)) return "…";
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
