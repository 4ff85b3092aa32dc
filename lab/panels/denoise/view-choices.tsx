/** How two pictures are shown: by a line or their difference, their size, and a loupe. */
import type { VNode } from "preact";
import { Check, Choice } from "../../components/controls.js";

/** Screen pixels per picture pixel; null: fit the width. */
export const zooms = { fit: null, one: 1, two: 2, four: 4 } as const;
/** Factors of the difference; null: pictures divided by a line. */
export const views = { line: null, difference4: 4, difference16: 16 } as const;

export interface Viewing {
  readonly zoom: keyof typeof zooms;
  readonly view: keyof typeof views;
  readonly hasLoupe: boolean;
}

interface ViewChoicesProps {
  readonly viewing: Viewing;
  /** Whether there are two pictures to compare. */
  readonly hasTwo: boolean;
  readonly onChange: (viewing: Viewing) => void;
}

export function ViewChoices({ viewing, hasTwo, onChange }: ViewChoicesProps): VNode {
  const field = <K extends keyof Viewing>(name: K) => ({
    value: viewing[name],
    onChange: (value: Viewing[K]): void => {
      onChange({ ...viewing, [name]: value });
    },
  });
  return (
    <>
      {hasTwo && (
        <Choice
          label="View"
          {...field("view")}
          choices={[
            { value: "line", label: "with a line" },
            { value: "difference4", label: "difference × 4" },
            { value: "difference16", label: "difference × 16" },
          ]}
        />
      )}
      <Choice
        label="Size"
        {...field("zoom")}
        choices={[
          { value: "fit", label: "fit to width" },
          { value: "one", label: "1:1" },
          { value: "two", label: "2:1" },
          { value: "four", label: "4:1" },
        ]}
      />
      <Check
        label="Loupe"
        checked={viewing.hasLoupe}
        onChange={(hasLoupe) => {
          onChange({ ...viewing, hasLoupe });
        }}
      />
    </>
  );
}
