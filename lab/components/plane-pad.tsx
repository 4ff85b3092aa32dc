/** A square whose places can be chosen by mouse, finger or arrow keys. */
import type { ComponentChildren, VNode } from "preact";
import { type Place, dragProperties, handleClass } from "./drag.js";
import "./drag.css";
import "./plane-pad.css";

interface PlanePadProps {
  readonly place: Place;
  readonly onPlace: (place: Place) => void;
  readonly label: string;
  /** Whether the mouse chooses places without a pressed button. */
  readonly isHovering?: boolean;
  readonly children?: ComponentChildren;
}

export function PlanePad({
  place,
  onPlace,
  label,
  isHovering = false,
  children,
}: PlanePadProps): VNode {
  return (
    <div
      class="plane-pad"
      role="application"
      aria-label={label}
      tabIndex={0}
      {...dragProperties(place, onPlace, { isHovering })}
    >
      {children}
      <span
        class={`drag-ring ${handleClass}`}
        style={{ left: `${100 * place.x}%`, top: `${100 * place.y}%` }}
      />
    </div>
  );
}
