/** Samples out of sharp without the conversions that it makes by default; what they are was found by trying every code. */
import type { Metadata, Sharp } from "sharp";
import type { BitDepth } from "./picture.js";

export type Samples = Uint8Array | Uint16Array | Float32Array;

export interface RawSamples {
  /** Channel by channel, pixel by pixel. */
  readonly samples: Samples;
  /** Samples of a pixel: the colours first, three of them equal for some grey pictures; alpha last. */
  readonly stride: number;
}

/** All samples of a picture, alpha among them. */
export async function rawSamples(
  bytes: Buffer,
  { space, channels }: Metadata,
  bitDepth: BitDepth,
): Promise<RawSamples> {
  const { default: sharp } = await import("sharp");
  const open = (): Sharp => sharp(bytes, { ignoreIcc: true });
  // Asked for "b-w", sharp drops alpha; "srgb" of 8-bit grey is the same code three times.
  if (bitDepth === 8) return rawOf(open().toColourspace("srgb").raw(), 8);
  if (bitDepth === 16) return rawOf(open().toColourspace(space).raw({ depth: "ushort" }), 16);
  const floats = (image: Sharp) => rawOf(image.raw({ depth: "float" }), bitDepth);
  // Grey floats, too, lose their alpha, and "scrgb" would cut them to 0 … 255.
  if (channels === 2) {
    const colour = await floats(open().toColourspace(space));
    return together(
      colour.samples,
      (await floats(open().toColourspace(space).extractChannel(1))).samples,
    );
  }
  return floats(open().toColourspace(space));
}

async function rawOf(image: Sharp, bitDepth: BitDepth): Promise<RawSamples> {
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  const { buffer, byteOffset, byteLength } = data;
  const samples =
    bitDepth === 8
      ? data
      : bitDepth === 16
        ? new Uint16Array(buffer, byteOffset, byteLength / 2)
        : new Float32Array(buffer, byteOffset, byteLength / 4);
  return { samples, stride: info.channels };
}

function together(colour: Samples, alpha: Samples): RawSamples {
  const samples = new Float32Array(2 * colour.length);
  for (let k = 0; k < colour.length; k++) {
    samples[2 * k] = colour[k];
    samples[2 * k + 1] = alpha[k];
  }
  return { samples, stride: 2 };
}
