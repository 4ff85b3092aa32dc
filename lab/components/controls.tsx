/** Form controls with their labels; each says its value. */
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

interface SliderProps {
  readonly label: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly step?: number;
  /** Text of the value; default the number. */
  readonly text?: string;
  /** Called while it moves. */
  readonly onChange: (value: number) => void;
  readonly disabled?: boolean;
}

export function Slider(props: SliderProps): VNode {
  const { label, value, least, most, step = 1, text = String(value) } = props;
  const id = useId();
  return (
    // By name: the first control inside, that a label is for otherwise, is the output.
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

interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly step?: number;
  readonly onChange: (value: number) => void;
  readonly disabled?: boolean;
}

/**
 * Calls back with allowed numbers only, when they are typed to their end; others are refused, and
 * the last one comes back.
 */
export function NumberField(props: NumberFieldProps): VNode {
  const { label, value, least, most, step = 1, onChange, disabled = false } = props;
  /**
   * What is being typed: the panel may be drawn again meanwhile, and must not put the last number
   * back.
   */
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
          if (!isNumber(currentTarget)) {
            currentTarget.reportValidity();
            return;
          }
          setDraft(null);
          onChange(currentTarget.valueAsNumber);
        }}
        onBlur={() => {
          // What is not allowed goes, too: what stands there is what counts.
          setDraft(null);
        }}
      />
    </label>
  );
}

function isNumber(input: HTMLInputElement): boolean {
  return input.checkValidity() && input.value !== "";
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

export function Button({
  onClick,
  children,
  isMain = false,
  disabled = false,
}: ButtonProps): VNode {
  return (
    <button type="button" class={isMain ? "main" : ""} disabled={disabled} onClick={onClick}>
      {children}
    </button>
  );
}
