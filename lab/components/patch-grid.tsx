/**
 * A grid of patches to choose from, drawn as one picture. Invisible options over it make a WAI-ARIA
 * listbox, for mouse, touch and arrow keys.
 */
import type { VNode } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { Bitmap } from "./bitmap.js";
import { Picture } from "./picture.js";

interface PatchGridProps {
  /** Mosaic from patchMosaic. */
  readonly bitmap: Bitmap;
  readonly columns: number;
  readonly count: number;
  readonly label: string;
  /** Name of a patch for screen readers: "Filter 3, 0.12 cycles per pixel". */
  readonly nameOf: (place: number) => string;
  /** Indices from 0, row by row. */
  readonly chosen: readonly number[];
  /** Letters drawn on the chosen patches. */
  readonly letters?: readonly string[];
  /** Whether arrow keys choose at once; otherwise Enter and Space do. */
  readonly isEager?: boolean;
  readonly onChoose: (place: number) => void;
}

export function PatchGrid(props: PatchGridProps): VNode {
  const { bitmap, columns, count, label, nameOf, chosen, letters = [], isEager = false } = props;
  const id = useId();
  const last = chosen.at(-1) ?? 0;
  const [active, setActive] = useState(last);
  useEffect(() => {
    setActive(last);
  }, [last]);
  const at = Math.min(active, count - 1);
  const press = (event: KeyboardEvent): void => {
    const isChosen = event.key === "Enter" || event.key === " ";
    const to = isChosen ? at : placeAfter(event.key, at, columns, count);
    if (to === undefined) return;
    event.preventDefault();
    setActive(to);
    if (isChosen || isEager) props.onChoose(to);
  };
  return (
    <div class="patch-grid">
      <Picture bitmap={bitmap} description={null} />
      <div
        role="listbox"
        aria-label={label}
        aria-multiselectable={letters.length > 1}
        aria-activedescendant={`${id}-${at}`}
        tabIndex={0}
        style={{ gridTemplateColumns: `repeat(${columns}, 1fr)` }}
        onKeyDown={press}
      >
        {Array.from({ length: count }, (_, place) => (
          <div
            key={place}
            role="option"
            id={`${id}-${place}`}
            aria-selected={chosen.includes(place)}
            aria-label={nameOf(place)}
            class={place === at ? "active" : ""}
            onClick={() => {
              setActive(place);
              props.onChoose(place);
            }}
          >
            {letters.filter((_letter, k) => chosen[k] === place).join("")}
          </div>
        ))}
      </div>
    </div>
  );
}

function placeAfter(key: string, at: number, columns: number, count: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at - columns,
    ArrowDown: at + columns,
    Home: 0,
    End: count - 1,
  };
  if (!(key in steps)) return undefined;
  const to = steps[key];
  return to >= 0 && to < count ? to : at;
}
