import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Bitmap } from "./bitmap.js";

interface PictureProps {
  readonly bitmap: Bitmap;
  /** Text for screen readers; null if something else describes the picture. */
  readonly description: string | null;
  /** Whether enlarged pixels stay squares. */
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
