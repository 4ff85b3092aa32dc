/** Pairs as dots on a canvas, in its CSS colour. */
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { theme } from "../theme.js";
import { reach } from "./reach.js";

/** Side of the canvas in pixels; the page scales it. */
const side = 600;

interface DotsProps {
  /** count×2 */
  readonly points: Float32Array;
  /** Side of a dot in pixels of the canvas. */
  readonly size?: number;
}

export function Dots({ points, size = 4 }: DotsProps): VNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const isDark = useMedia("(prefers-color-scheme: dark)");
  useLayoutEffect(() => {
    if (canvas.current) drawPoints(canvas.current, points, size);
  }, [points, size, isDark, theme.value]);
  return <canvas ref={canvas} width={side} height={side} aria-hidden="true" />;
}

function drawPoints(canvas: HTMLCanvasElement, points: Float32Array, size: number): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  context.clearRect(0, 0, side, side);
  context.fillStyle = getComputedStyle(canvas).color;
  context.globalAlpha = 0.4;
  const scale = side / (2 * reach);
  for (let k = 0; k < points.length; k += 2) {
    const [x, y] = [side / 2 + scale * points[k], side / 2 - scale * points[k + 1]];
    context.fillRect(x - size / 2, y - size / 2, size, size);
  }
}

/** Follows a media query: `useMedia("(prefers-color-scheme: dark)")`. */
export function useMedia(query: string): boolean {
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
