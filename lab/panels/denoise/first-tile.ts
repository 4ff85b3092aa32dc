/** The middle of a large picture, denoised first, so that the result can be judged early. */
import type { PictureChannels } from "../../../src/denoising/denoise-channels.js";
import { centralCrop } from "../../../src/images/grey-image.js";

/** In pixels. The tile adds about a twentieth to the time of a picture of this size. */
const leastPixels = 1_000_000;
const side = 256;
/** Pixels around the tile that take part, so that its edges look as they will. */
const margin = 16;

/** A part of a picture. */
export interface Tile extends PictureChannels {
  readonly left: number;
  readonly top: number;
}

/** Returns null for small pictures. */
export async function firstTile(
  noisy: PictureChannels,
  denoise: (crop: PictureChannels) => Promise<PictureChannels>,
): Promise<Tile | null> {
  const { width, height } = noisy;
  if (width * height < leastPixels || Math.min(width, height) < side + 2 * margin) return null;
  const denoised = await denoise(middleOf(noisy, side + 2 * margin));
  return {
    ...middleOf(denoised, side),
    left: Math.floor((width - side) / 2),
    top: Math.floor((height - side) / 2),
  };
}

/** Returns the square in the middle. The blocks of JPEG files would not fit it. */
function middleOf({ width, height, channels }: PictureChannels, length: number): PictureChannels {
  const size = { width: length, height: length };
  return {
    ...size,
    channels: channels.map((pixels) => centralCrop({ width, height, pixels }, size).pixels),
  };
}
