/**
 * A grid of patches to choose from, drawn as one picture. Invisible options over it make a WAI-ARIA
 * listbox, for mouse, touch and arrow keys.
 */
import type { VNode } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { Bitmap } from "./bitmap.js";
import { Figure } from "./panel.js";
import { Picture } from "./picture.js";

interface PatchGridProps<T> {
  /** Mosaic from patchMosaic. */
  readonly bitmap: Bitmap;
  readonly columns: number;
  /** Things that the patches show, row by row. */
  readonly items: readonly T[];
  readonly label: string;
  readonly caption: string;
  /** Name of a patch for screen readers: "Filter 3, 0.12 cycles per pixel". */
  readonly nameOf: (item: T) => string;
  readonly chosen: readonly T[];
  /** Letters drawn on the chosen patches. */
  readonly letters?: readonly string[];
  /** Whether arrow keys choose at once; otherwise Enter and Space do. */
  readonly isEager?: boolean;
  readonly onChoose: (item: T) => void;
}

export function PatchGrid<T>(props: PatchGridProps<T>): VNode {
  const { bitmap, columns, items, label, caption, nameOf, chosen, onChoose } = props;
  const { letters = [], isEager = false } = props;
  const id = useId();
  const last = chosen.length > 0 ? Math.max(0, items.indexOf(chosen[chosen.length - 1])) : 0;
  const [active, setActive] = useState(last);
  useEffect(() => {
    setActive(last);
  }, [last]);
  const at = Math.min(active, items.length - 1);
  const press = (event: KeyboardEvent): void => {
    const isChosen = event.key === "Enter" || event.key === " ";
    const to = isChosen ? at : placeAfter(event.key, at, columns, items.length);
    if (to === undefined) return;
    event.preventDefault();
    setActive(to);
    if (isChosen || isEager) onChoose(items[to]);
  };
  return (
    <Figure caption={caption}>
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
          {items.map((item, place) => (
            <div
              key={place}
              role="option"
              id={`${id}-${place}`}
              aria-selected={chosen.includes(item)}
              aria-label={nameOf(item)}
              class={place === at ? "active" : ""}
              onClick={() => {
                setActive(place);
                onChoose(item);
              }}
            >
              {letters.filter((_letter, k) => chosen[k] === item).join("")}
            </div>
          ))}
        </div>
      </div>
    </Figure>
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
