/** Labelled form controls. */
import type { ComponentChildren, VNode } from "preact";
import { useId, useState } from "preact/hooks";

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly { readonly value: T; readonly label: string }[];
  readonly onChange: (value: T) => void;
  readonly disabled?: boolean;
}

export function Choice<T extends string>(props: ChoiceProps<T>): VNode {
  const { label, value, choices, onChange, disabled = false } = props;
  return (
    <label class="field">
      <span>{label}</span>
      <select
        value={value}
        disabled={disabled}
        onChange={({ currentTarget }) => {
          const chosen = choices.find((choice) => choice.value === currentTarget.value);
          if (chosen) onChange(chosen.value);
        }}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FileChoiceProps<T extends string> extends Omit<ChoiceProps<T>, "disabled"> {
  /** Name of the user's own file, which is chosen while there is one. */
  readonly file: string | undefined;
}

/** A choice between the user's own file and others; `onChange` reports the others only. */
export function FileChoice<T extends string>(props: FileChoiceProps<T>): VNode {
  const { file, label, choices, onChange } = props;
  if (file === undefined) return <Choice {...props} />;
  return (
    <Choice<T | "own file">
      label={label}
      value="own file"
      choices={[{ value: "own file", label: file }, ...choices]}
      onChange={(chosen) => {
        if (chosen !== "own file") onChange(chosen);
      }}
    />
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly step?: number;
  readonly onChange: (value: number) => void;
  readonly disabled?: boolean;
}

interface SliderProps extends NumberFieldProps {
  /** Text of the value; default the number. */
  readonly text?: string;
}

/** Calls `onChange` while it moves. */
export function Slider(props: SliderProps): VNode {
  const { label, value, least, most, step = 1, text = String(value) } = props;
  const id = useId();
  return (
    // `for`, because a label otherwise belongs to its first control, here the output.
    <label class="field" for={id}>
      <span>
        {label} <output>{text}</output>
      </span>
      <input
        id={id}
        type="range"
        min={least}
        max={most}
        step={step}
        value={value}
        aria-valuetext={text}
        disabled={props.disabled ?? false}
        onInput={({ currentTarget }) => {
          props.onChange(currentTarget.valueAsNumber);
        }}
      />
    </label>
  );
}

/** Calls `onChange` when an allowed number is complete; restores the last one otherwise. */
export function NumberField(props: NumberFieldProps): VNode {
  const { label, value, least, most, step = 1, onChange, disabled = false } = props;
  /** Text while the user types: a redraw of the panel must not restore the last number. */
  const [draft, setDraft] = useState<string | null>(null);
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="number"
        min={least}
        max={most}
        step={step}
        value={draft ?? value}
        disabled={disabled}
        onInput={({ currentTarget }) => {
          setDraft(currentTarget.value);
        }}
        onChange={({ currentTarget }) => {
          if (!currentTarget.reportValidity() || currentTarget.value === "") return;
          setDraft(null);
          onChange(currentTarget.valueAsNumber);
        }}
        onBlur={() => {
          // Discards a number that is not allowed: the field shows the number in use.
          setDraft(null);
        }}
      />
    </label>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly hint: string;
  readonly onChange: (value: string) => void;
}

/** Calls `onChange` while the user types. */
export function TextField({ label, value, hint, onChange }: TextFieldProps): VNode {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        value={value}
        placeholder={hint}
        onInput={({ currentTarget }) => {
          onChange(currentTarget.value);
        }}
      />
    </label>
  );
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function Check({ label, checked, onChange }: CheckProps): VNode {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.checked);
        }}
      />
      <span>{label}</span>
    </label>
  );
}

interface ButtonProps {
  readonly onClick: () => void;
  readonly children: ComponentChildren;
  readonly isMain?: boolean;
  readonly disabled?: boolean;
}

export function Button({ isMain = false, ...rest }: ButtonProps): VNode {
  return <button type="button" class={isMain ? "main" : ""} {...rest} />;
}
