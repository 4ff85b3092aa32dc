/** Decodes a picture in the page or a worker, and returns a result that can be sent to the test. */
import type { DecodedImage } from "../../../src/images/decoded-image.js";
import type { Luminance } from "../../../src/images/luminance.js";
import { decodeImage } from "gaussianize/browser";

export interface Picture {
  readonly bytes: readonly number[];
  /** Name of the file; "" for a blob without a name. */
  readonly name: string;
  readonly luminance: Luminance;
}

/** The image with its pixels as numbers, or the error. */
export type Decoded = (Omit<DecodedImage, "pixels"> & { pixels: number[] }) | string;

export async function decode({ bytes, name, luminance }: Picture): Promise<Decoded> {
  const parts = [Uint8Array.from(bytes)];
  const blob = name === "" ? new Blob(parts) : new File(parts, name);
  try {
    const image = await decodeImage(blob, luminance);
    return { ...image, pixels: [...image.pixels] };
  } catch (error) {
    return String(error);
  }
}
