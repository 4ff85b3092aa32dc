/** Fields for the options of a fit that this panel has. */
import type { VNode } from "preact";
import type { FitTerms } from "../../../src/runs/fit-terms.js";
import type { OptionValue } from "../../../src/training/fit-option.js";
import { namedModel } from "../../../src/transforms/model-names.js";
import { Choice, NumberField } from "../../components/controls.js";
import {
  type FormField,
  type TrainState,
  choicesOf,
  formFields,
  mostRank,
  rangeOf,
} from "./train-settings.js";

interface ModelSettingsProps {
  readonly state: TrainState;
  /** Of the state, with what the command chooses where nothing was chosen. */
  readonly terms: FitTerms;
  readonly change: (part: Partial<TrainState>) => void;
}

export function ModelSettings(props: ModelSettingsProps): VNode {
  const { model } = props.terms;
  const isShown = ({ name }: FormField): boolean => name !== "poolRank" || model === "gdn";
  const fields = (isMain: boolean): VNode[] =>
    formFields
      .filter((field) => isShown(field) && (field.form.isMain ?? false) === isMain)
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
