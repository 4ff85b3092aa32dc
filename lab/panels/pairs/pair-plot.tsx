/** Square scatter plot of pairs, from −reach to reach, with lines over it. */
import type { VNode } from "preact";
import { Dots } from "../../plane/dots.js";
import { reach } from "../../plane/reach.js";

interface PairPlotProps {
  /** count×2 */
  readonly points: Float32Array;
  /** SVG paths in the units of the points, with y downwards, and their CSS class. */
  readonly lines: readonly { readonly path: string; readonly kind: "histogram" | "model" }[];
  /** Radii of circles around 0. */
  readonly circles?: readonly number[];
  readonly description: string;
}

export function PairPlot({ points, lines, circles = [], description }: PairPlotProps): VNode {
  return (
    <div class="pair-plot" role="img" aria-label={description}>
      <Dots points={points} />
      <svg viewBox={`${-reach} ${-reach} ${2 * reach} ${2 * reach}`} aria-hidden="true">
        <path class="axes" d={`M${-reach},0H${reach}M0,${-reach}V${reach}`} />
        {lines.map(({ path, kind }) => (
          <path class={kind} d={path} />
        ))}
        {circles.map((radius) => (
          <circle class="normal" r={radius} />
        ))}
      </svg>
    </div>
  );
}
