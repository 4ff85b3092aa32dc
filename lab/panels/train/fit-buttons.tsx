/** Buttons of a fit, how far it is, and the commands that do the same. */
import type { VNode } from "preact";
import type { FitTerms } from "../../../src/runs/fit-terms.js";
import { fixed } from "../../../src/numbers/format-number.js";
import { Button } from "../../components/controls.js";
import { Progress } from "../../components/progress.js";
import { commandOf } from "./train-settings.js";
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

/**
 * It is read out whenever it changes, which is why it has no numbers: those are below, and change
 * all the time.
 */
function quarterOf({ phase, step, terms }: TrainingView): string {
  const quarter = phase === "fit" ? quarters[Math.floor((4 * step) / terms.steps)] : "";
  return quarter === "" ? "" : `, ${quarter}`;
}

function rateOf({ phase, step, terms, stepsPerSecond }: TrainingView): string {
  if (phase !== "fit") return " ";
  if (step === 0) return `step 0 of ${terms.steps}`;
  const left = durationOf((terms.steps - step) / stepsPerSecond);
  return `step ${step} of ${terms.steps}, ${fixed(stepsPerSecond, 1)} steps/s, ${left} left`;
}

function durationOf(seconds: number): string {
  if (!Number.isFinite(seconds)) return "…";
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${fixed(seconds / 3600, 1)} h`;
}

interface FitCommandsProps {
  /** The settings as they are now. */
  readonly terms: FitTerms;
  /** Settings of a checkpoint that is open. */
  readonly ofCheckpoint: FitTerms | null;
  /** Settings of the fit that is shown, which may be others. */
  readonly ofFit: FitTerms | null;
}

/** The commands that make the same files as the page. */
export function FitCommands({ terms, ofCheckpoint, ofFit }: FitCommandsProps): VNode {
  if (ofCheckpoint) {
    return (
      <Command
        words="The command with the same bits as this fit when it has gone on"
        command={commandOf(ofCheckpoint)}
      />
    );
  }
  const next = commandOf(terms);
  const shown = ofFit ? commandOf(ofFit) : next;
  if (shown === next) return <Command words="The command with the same bits" command={next} />;
  return (
    <>
      <Command words="The command with the same bits as this fit" command={shown} />
      <Command words="With the settings as they are now" command={next} />
    </>
  );
}

interface CommandProps {
  readonly words: string;
  /** Null where no command names these pictures. */
  readonly command: string | null;
}

function Command({ words, command }: CommandProps): VNode | null {
  if (command === null) return null;
  return (
    <p class="train-command">
      {words}: <code>{command}</code>
    </p>
  );
}
