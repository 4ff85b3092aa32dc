import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Red, green, blue, alpha of every pixel, as canvases have them. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8ClampedArray<ArrayBuffer>;
}

interface PictureProps {
  readonly bitmap: Bitmap;
  /** For those who cannot see it. */
  readonly description: string;
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
      role="img"
      aria-label={description}
    />
  );
}

/** Grey values from black to white. */
export function greyBitmap(
  { width, height, pixels }: { width: number; height: number; pixels: ArrayLike<number> },
  [black, white]: readonly [black: number, white: number] = [0, 1],
): Bitmap {
  const rgba = new Uint8ClampedArray(4 * width * height);
  for (let k = 0; k < width * height; k++) {
    const grey = (255 * (pixels[k] - black)) / (white - black);
    rgba.fill(grey, 4 * k, 4 * k + 3);
    rgba[4 * k + 3] = 255;
  }
  return { width, height, rgba };
}
