/** Square scatter plot with contour lines or circles, and one point that can be dragged. */
import type { ComponentChildren, VNode } from "preact";
import { type Place, dragProperties, handleClass } from "../components/drag.js";
import { Dots } from "./dots.js";
import type { Point } from "./plane-job.js";
import { reach } from "./reach.js";
import "../components/drag.css";
import "./plane.css";

interface PlanePlotProps {
  /** count×2 */
  readonly points: Float32Array;
  /** Contours as the `d` of an SVG path, with y downwards. */
  readonly contours?: string;
  /** Radii of circles around 0. */
  readonly circles?: readonly number[];
  /** A marked point, in the units of the points. */
  readonly marker?: Point | null;
  /** Makes the marked point movable. */
  readonly onMove?: ((to: Point) => void) | undefined;
  readonly description: string;
  /** Further shapes of the SVG picture. */
  readonly children?: ComponentChildren;
}

export function PlanePlot(props: PlanePlotProps): VNode {
  const { points, contours = "", circles = [], marker = null, onMove, description } = props;
  const place = placeOf(marker ?? [0, 0]);
  const behaviour = onMove
    ? {
        role: "application" as const,
        tabIndex: 0,
        ...dragProperties(place, (to) => {
          onMove(pointAt(to));
        }),
      }
    : { role: "img" as const };
  return (
    <div class={onMove ? "plane movable" : "plane"} aria-label={description} {...behaviour}>
      <Dots points={points} size={5} />
      <svg viewBox={`${-reach} ${-reach} ${2 * reach} ${2 * reach}`} aria-hidden="true">
        <path class="axes" d={`M${-reach},0H${reach}M0,${-reach}V${reach}`} />
        <path class="contours" d={contours} />
        {circles.map((radius) => (
          <circle class="normal" r={radius} />
        ))}
        {props.children}
      </svg>
      {marker && (
        <span
          class={onMove ? `drag-ring ${handleClass}` : "drag-ring"}
          style={{ left: `${100 * place.x}%`, top: `${100 * place.y}%` }}
        />
      )}
    </div>
  );
}

/** A point beyond the edge is marked at the edge. */
function placeOf([x, y]: Point): Place {
  const along = (value: number): number => Math.min(1, Math.max(0, (value + reach) / (2 * reach)));
  return { x: along(x), y: along(-y) };
}

function pointAt({ x, y }: Place): Point {
  const along = (part: number): number => reach * (2 * part - 1);
  return [along(x), -along(y)];
}
