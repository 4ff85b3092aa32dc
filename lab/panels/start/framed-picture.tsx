/** A picture with a frame that can be dragged over it. */
import type { ComponentChildren, VNode } from "preact";
import { type Place, dragProperties, handleClass } from "../../components/drag.js";
import "../../components/drag.css";

interface FramedPictureProps {
  readonly width: number;
  readonly height: number;
  /** Middle of the frame. */
  readonly place: Place;
  readonly onPlace: (place: Place) => void;
  /** Side of the frame in pixels of the picture. */
  readonly side: number;
  readonly label: string;
  readonly children: ComponentChildren;
}

export function FramedPicture(props: FramedPictureProps): VNode {
  const { width, height, place, onPlace, side, label, children } = props;
  const middle = { left: `${100 * place.x}%`, top: `${100 * place.y}%` };
  return (
    <div
      class="framed"
      role="application"
      aria-label={label}
      tabIndex={0}
      style={{ aspectRatio: `${width} / ${height}` }}
      {...dragProperties(place, onPlace, { step: 1 / width })}
    >
      {children}
      <span
        class="frame"
        style={{
          ...middle,
          width: `${(100 * side) / width}%`,
          height: `${(100 * side) / height}%`,
        }}
      />
      <span class={`frame-handle ${handleClass}`} style={middle} />
    </div>
  );
}
