import type { VNode } from "preact";
import { type Frame, classOf } from "./chart-frame.js";
import { type ChartSeries, nearestIndex, valueAt } from "./series.js";

interface CursorMarksProps {
  readonly frame: Frame;
  readonly series: readonly ChartSeries[];
  readonly at: number;
  readonly tolerance: number;
}

/** The line of the crosshair, and a ring around the point of each series whose value is read. */
export function CursorMarks({ frame, series, at, tolerance }: CursorMarksProps): VNode {
  const { top, bottom, left, right } = frame;
  const x = frame.xOf(at);
  return (
    <g class="cursor">
      {x >= left && x <= right && <path class="cursor-line" d={`M${x},${top}V${bottom}`} />}
      {series.map((each) => {
        const value = valueAt(each, at, tolerance);
        const px = frame.xOf(each.x[nearestIndex(each, at)]);
        const isShown = value !== null && px >= left && px <= right;
        if (!isShown || !Number.isFinite(frame.yOf(value))) return null;
        return (
          <circle
            key={each.label}
            class={`ring ${classOf(each)}`}
            cx={px}
            cy={frame.yOf(value)}
            r={4.5}
          />
        );
      })}
    </g>
  );
}
