/** The samples of a picture as encoders take them. */
import { expected } from "../../src/errors.js";
import type { BitDepth, Picture } from "./picture.js";

export interface PictureSamples {
  readonly samples: Uint8Array | Uint16Array | Float32Array;
  /** Samples of a pixel, alpha last. */
  readonly channels: 1 | 2 | 3 | 4;
}

/** Codes of so many bits, clipped and rounded to the nearest, or floating point as it is. */
export function pictureSamples(
  picture: Picture,
  bitDepth: BitDepth,
  hasAlpha: boolean,
): PictureSamples {
  const { alpha } = picture;
  checkPicture(picture);
  const planes = hasAlpha && alpha ? [...picture.channels, alpha] : picture.channels;
  const channels = planes.length as PictureSamples["channels"];
  const samples = emptySamples(picture.width * picture.height * channels, bitDepth);
  const scale = bitDepth === "float" ? undefined : 2 ** bitDepth - 1;
  planes.forEach((plane, first) => {
    for (let k = 0, at = first; k < plane.length; k++, at += channels) {
      samples[at] =
        scale === undefined ? plane[k] : Math.round(scale * Math.min(1, Math.max(0, plane[k])));
    }
  });
  return { samples, channels };
}

function emptySamples(length: number, bitDepth: BitDepth): PictureSamples["samples"] {
  if (bitDepth === 8) return new Uint8Array(length);
  return bitDepth === 16 ? new Uint16Array(length) : new Float32Array(length);
}

function checkPicture({ width, height, channels, alpha }: Picture): void {
  for (const [name, value] of Object.entries({ width, height })) {
    if (!Number.isInteger(value) || value < 1) throw expected(name, "be a positive integer", value);
  }
  if (channels.length !== 1 && channels.length !== 3) {
    throw expected("channels", "be one (grey) or three (red, green, blue)", channels.length);
  }
  const size = width * height;
  const named = channels.map((channel, k) => [`channels[${k}]`, channel] as const);
  for (const [name, values] of alpha ? [...named, ["alpha", alpha] as const] : named) {
    if (values.length !== size) {
      throw expected(name, `hold ${size} values (${width}×${height})`, values.length);
    }
    // A NaN would silently become black.
    const strange = values.findIndex((value) => !Number.isFinite(value));
    if (strange >= 0) throw expected(`${name}[${strange}]`, "be finite", values[strange]);
  }
}
