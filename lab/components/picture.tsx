import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Bitmap } from "./bitmap.js";

interface PictureProps {
  readonly bitmap: Bitmap;
  /** For those who cannot see it; null where something else tells them. */
  readonly description: string | null;
  /** Small pictures of few pixels show them as squares. */
  readonly isPixelated?: boolean;
}

export function Picture({ bitmap, description, isPixelated = false }: PictureProps): VNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const { width, height, rgba } = bitmap;
    canvas.current?.getContext("2d")?.putImageData(new ImageData(rgba, width, height), 0, 0);
  }, [bitmap]);
  return (
    <canvas
      ref={canvas}
      class={isPixelated ? "picture pixelated" : "picture"}
      width={bitmap.width}
      height={bitmap.height}
      {...(description === null
        ? { "aria-hidden": true }
        : { role: "img", "aria-label": description })}
    />
  );
}
