import { isGrey } from "../../src/denoising/denoise-channels.js";
import type { Picture } from "./picture.js";

/**
 * A picture with as many channels as another one, where both are grey: files of colours hold grey pictures three times, so that a grey
 * picture in one channel may be the same as one in three. Others are given back as they are.
 */
export function matchChannels(picture: Picture, other: Picture): Picture {
  const count = other.channels.length;
  if (picture.channels.length === count || !isGrey(picture) || !isGrey(other)) return picture;
  const [grey] = picture.channels;
  return { ...picture, channels: Array.from({ length: count }, () => grey) };
}
