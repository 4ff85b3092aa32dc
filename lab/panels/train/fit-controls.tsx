/** Settings, buttons and progress of a fit, and the commands that make the same model. */
import type { VNode } from "preact";
import { fixed } from "../../../src/numbers/format-number.js";
import type { FitTerms } from "../../../src/runs/fit-terms.js";
import type { OptionValue } from "../../../src/training/fit-option.js";
import { namedModel } from "../../../src/transforms/model-names.js";
import { Button, Choice, NumberField } from "../../components/controls.js";
import { durationText } from "../../duration.js";
import { ActionBar } from "../../components/panel.js";
import { Command } from "../../components/copy-button.js";
import { Progress } from "../../components/progress.js";
import {
  type FormField,
  type TrainState,
  applies,
  choicesOf,
  commandOf,
  formFields,
  mostRank,
  rangeOf,
} from "./train-settings.js";
import type { Training, TrainingView } from "./training.js";

interface ModelSettingsProps {
  readonly state: TrainState;
  /** Terms of the state, with the defaults of the command. */
  readonly terms: FitTerms;
  readonly change: (part: Partial<TrainState>) => void;
}

export function ModelSettings(props: ModelSettingsProps): VNode {
  const { state } = props;
  const { model } = props.terms;
  const fields = (isMain: boolean): VNode[] =>
    formFields
      .filter((field) => applies(field, state) && (field.form.isMain ?? false) === isMain)
      .map((field) => <OptionField key={field.name} {...props} field={field} />);
  const [first, ...others] = fields(true);
  return (
    <>
      {first}
      <p class="train-about">{namedModel(model).about}</p>
      {others}
      <details class="train-more">
        <summary>More settings</summary>
        {fields(false)}
      </details>
    </>
  );
}

interface OptionFieldProps extends ModelSettingsProps {
  readonly field: FormField;
}

function OptionField({ field, state, terms, change }: OptionFieldProps): VNode {
  const { name, address, option, form } = field;
  const { label, step = 1, choiceLabel = String } = form;
  const value = terms[name] ?? option.absent;
  const choices = choicesOf(field);
  const set = (chosen: OptionValue | undefined): void => {
    change({ [address]: chosen });
  };
  if (choices) {
    return (
      <Choice
        label={label}
        value={String(value)}
        choices={choices.map((choice) => ({ value: String(choice), label: choiceLabel(choice) }))}
        onChange={(text) => {
          set(choices.find((choice) => String(choice) === text));
        }}
      />
    );
  }
  const { least, most } = rangeOf(field);
  return (
    <NumberField
      label={label}
      value={Number(value)}
      least={least}
      most={name === "poolRank" ? mostRank(state) : most}
      step={step}
      onChange={set}
    />
  );
}

interface FitButtonsProps {
  readonly training: Training;
  /** Null if there is nothing to fit. */
  readonly onFit: (() => void) | null;
  /** What the button would do, or why it cannot. */
  readonly idle: string;
}

export function FitButtons({ training, onFit, idle }: FitButtonsProps): VNode {
  const view = training.view.value;
  const { isRunning, canResume } = training;
  const isHeld = training.isHeld.value;
  return (
    <ActionBar
      buttons={
        <>
          <Button isMain disabled={onFit === null || isRunning} onClick={() => onFit?.()}>
            Fit
          </Button>
          <Button
            disabled={!isRunning && !canResume}
            onClick={canResume ? training.resume : training.pauseOrContinue}
          >
            {isHeld || canResume ? "Resume" : "Pause"}
          </Button>
          <Button disabled={!isRunning} onClick={training.stop}>
            Stop
          </Button>
        </>
      }
    >
      {view && isRunning ? (
        <Progress
          label={`${isHeld ? "Paused" : phases[view.phase]}${quarterOf(view)}`}
          part={view.phase === "fit" ? view.step / view.terms.steps : null}
          text={isHeld ? `after step ${view.step}` : rateOf(view)}
        />
      ) : (
        <p role="status">{idle}</p>
      )}
    </ActionBar>
  );
}

const phases: Readonly<Record<TrainingView["phase"], string>> = {
  opening: "Opening pictures",
  images: "Reading pictures",
  preprocessing: "Fitting the preprocessing",
  whitening: "Whitening",
  blocks: "Fitting single blocks",
  fit: "Fitting",
};

const quarters = ["", ", ¼ done", ", half done", ", ¾ done", ", finishing"];

/** Screen readers announce every change of this text, so it has no numbers that change often. */
function quarterOf({ phase, step, terms }: TrainingView): string {
  return phase === "fit" ? quarters[Math.floor((4 * step) / terms.steps)] : "";
}

function rateOf({ phase, step, terms, stepsPerSecond }: TrainingView): string {
  if (phase !== "fit" || step === 0) return "";
  const left = durationText((terms.steps - step) / stepsPerSecond);
  return `step ${step} of ${terms.steps}, ${fixed(stepsPerSecond, 1)} steps/s, ${left} left`;
}

interface FitCommandsProps {
  /** Current settings. */
  readonly terms: FitTerms;
  /** Settings of the opened checkpoint. */
  readonly ofCheckpoint: FitTerms | null;
  /** Settings of the fit that is shown, which may differ. */
  readonly ofFit: FitTerms | null;
}

/** The commands that make the same model files as the page. */
export function FitCommands({ terms, ofCheckpoint, ofFit }: FitCommandsProps): VNode {
  if (ofCheckpoint) {
    return <CommandOf words="The fit of this checkpoint as a command" terms={ofCheckpoint} />;
  }
  if (!ofFit || commandOf(ofFit) === commandOf(terms)) {
    return <CommandOf words="The same fit as a command" terms={terms} />;
  }
  return (
    <>
      <CommandOf words="This fit as a command" terms={ofFit} />
      <CommandOf words="With the current settings" terms={terms} />
    </>
  );
}

interface CommandProps {
  readonly words: string;
  readonly terms: FitTerms;
}

function CommandOf({ words, terms }: CommandProps): VNode | null {
  const command = commandOf(terms);
  if (command === null) return null;
  return (
    <div class="train-command">
      {words}:
      <Command text={command} />
    </div>
  );
}
