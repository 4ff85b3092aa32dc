/** The joint histogram of two responses, and the second one where the first lies in a band. */
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { fixed, thousands } from "../../../src/numbers/format-number.js";
import { dragProperties, handleClass } from "../../components/drag.js";
import type { Point } from "../../plane/plane-job.js";
import { PlanePlot } from "../../plane/plane-plot.js";
import { reach } from "../../plane/reach.js";
import { type Band, bandOf } from "./band.js";
import type { Story } from "./responses-job.js";

interface JointFigureProps {
  readonly story: Story;
  /** Responses under the frame of the photograph. */
  readonly marked: Point;
}

const halfWidth = 0.25;
const limit = reach - halfWidth;

export function JointFigure({ story, marked }: JointFigureProps): VNode {
  const [middle, setMiddle] = useState(2);
  const { pairs } = story.responses;
  const band = useMemo(() => bandOf(pairs, middle, halfWidth), [pairs, middle]);
  const part = (middle + reach) / (2 * reach);
  const words = `${thousands(band.count)} places; the second response varies by ±${fixed(band.deviation, 2)}`;
  const drag = dragProperties({ x: part, y: 0.5 }, ({ x }) => {
    setMiddle(Math.max(-limit, Math.min(limit, reach * (2 * x - 1))));
  });
  return (
    <>
      <div class="joint">
        <div
          class="band-slider"
          role="slider"
          tabIndex={0}
          aria-label="First response in the band"
          aria-valuemin={-limit}
          aria-valuemax={limit}
          aria-valuenow={middle}
          aria-valuetext={`${fixed(middle, 1)}: ${words}`}
          {...drag}
        >
          <PlanePlot
            points={story.shown}
            contours={story.contours}
            marker={marked}
            description="Responses of both filters, one dot for each place, with contours of their histogram"
          />
          <span
            class={`band ${handleClass}`}
            style={{ left: `${100 * part}%`, width: `${(100 * halfWidth) / reach}%` }}
          />
        </div>
        <BandHistogram band={band} />
      </div>
      <p class="figure-words">
        First response {fixed(middle - halfWidth, 2)} to {fixed(middle + halfWidth, 2)}: {words}.
      </p>
    </>
  );
}

/** Bars beside the plot, on its vertical axis. */
function BandHistogram({ band: { parts } }: { readonly band: Band }): VNode {
  const height = (2 * reach) / parts.length;
  return (
    <svg
      class="band-histogram"
      viewBox={`0 ${-reach} 2 ${2 * reach}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {parts.map((part, k) => (
        <rect y={reach - (k + 1) * height} height={0.85 * height} width={2 * part} />
      ))}
    </svg>
  );
}
