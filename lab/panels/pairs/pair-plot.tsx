/** Square scatter plot of pairs, from −reach to reach, with lines over it. */
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { theme } from "../../theme.js";
import { reach } from "./pair-source.js";

interface PairPlotProps {
  /** count×2 */
  readonly points: Float32Array;
  /** SVG paths in the units of the points, with y downwards, and their CSS class. */
  readonly lines: readonly { readonly path: string; readonly kind: "histogram" | "model" }[];
  /** Radii of circles around 0. */
  readonly circles?: readonly number[];
  readonly description: string;
}

/** Side of the canvas in pixels; the page scales it. */
const side = 600;
const dot = 4;

export function PairPlot({ points, lines, circles = [], description }: PairPlotProps): VNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const isDark = useMedia("(prefers-color-scheme: dark)");
  useLayoutEffect(() => {
    if (canvas.current) drawPoints(canvas.current, points);
  }, [points, isDark, theme.value]);
  return (
    <div class="pair-plot" role="img" aria-label={description}>
      <canvas ref={canvas} width={side} height={side} aria-hidden="true" />
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

/** Draws in the CSS colour of the canvas. */
function drawPoints(canvas: HTMLCanvasElement, points: Float32Array): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  context.clearRect(0, 0, side, side);
  context.fillStyle = getComputedStyle(canvas).color;
  context.globalAlpha = 0.4;
  const scale = side / (2 * reach);
  for (let k = 0; k < points.length; k += 2) {
    const [x, y] = [side / 2 + scale * points[k], side / 2 - scale * points[k + 1]];
    context.fillRect(x - dot / 2, y - dot / 2, dot, dot);
  }
}

/** Follows a media query: `useMedia("(prefers-color-scheme: dark)")`. */
function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const change = (): void => {
      setMatches(list.matches);
    };
    change();
    list.addEventListener("change", change);
    return () => {
      list.removeEventListener("change", change);
    };
  }, [query]);
  return matches;
}
