/** A loupe: the same place of two pictures and of their difference, pixel by pixel. */
import type { ComponentChildren, VNode } from "preact";
import { BlobImage, type ComparedPicture, Difference } from "../../components/comparison.js";
import { type Place, placeAfterKey } from "../../components/drag.js";
import "./loupe.css";

/** Screen pixels per picture pixel. */
const power = 6;

interface LoupeProps {
  readonly left: ComparedPicture;
  /** Null: nothing to compare with. */
  readonly right: ComparedPicture | null;
  readonly width: number;
  readonly height: number;
  readonly place: Place;
  readonly onPlace: (place: Place) => void;
  /** Whether the pointer is in the lower half, which the loupe must not cover then. */
  readonly isHigh: boolean;
  /** Factor by which differences are brightened. */
  readonly gain: number;
}

export function Loupe(props: LoupeProps): VNode {
  const { left, right, width, height, place, onPlace, isHigh, gain } = props;
  const size = { width, height };
  const [column, row] = [place.x * width, place.y * height].map(Math.floor);
  return (
    <div
      class={isHigh ? "loupe high" : "loupe"}
      role="application"
      aria-label={`Loupe around column ${column}, row ${row}: move it with the arrow keys`}
      tabIndex={0}
      onKeyDown={(event) => {
        // Steps of one pixel, or of eight with Shift.
        const along = /^Arrow(Up|Down)$/.test(event.key) ? height : width;
        const next = placeAfterKey(event.key, place, (event.shiftKey ? 8 : 1) / along);
        if (!next) return;
        event.preventDefault();
        onPlace(next);
      }}
    >
      <Lens {...props} label={left.label}>
        <BlobImage picture={left} {...size} />
      </Lens>
      {right && (
        <>
          <Lens {...props} label={right.label}>
            <BlobImage picture={right} {...size} />
          </Lens>
          <Lens {...props} label={`difference × ${gain}`}>
            <Difference left={left} right={right} gain={gain} {...size} />
          </Lens>
        </>
      )}
    </div>
  );
}

interface LensProps extends Pick<LoupeProps, "width" | "height" | "place"> {
  readonly label: string;
  readonly children: ComponentChildren;
}

function Lens({ width, height, place, label, children }: LensProps): VNode {
  const shift = (part: number, pixels: number): string => `calc(50% - ${part * pixels * power}px)`;
  return (
    <figure class="lens">
      <div class="glass">
        <div
          class="enlarged"
          style={{
            width: `${width * power}px`,
            height: `${height * power}px`,
            left: shift(place.x, width),
            top: shift(place.y, height),
          }}
        >
          {children}
        </div>
      </div>
      <figcaption>{label}</figcaption>
    </figure>
  );
}
