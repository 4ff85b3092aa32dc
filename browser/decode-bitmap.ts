import { GaussianizeError } from "../src/errors.js";

/** Colours and alpha apart. `name` is what an error calls the picture. */
export async function decodeBitmap(blob: Blob, name: string): Promise<ImageBitmap> {
  try {
    // Colours as they stand in the file: conversions differ from platform to platform.
    return await createImageBitmap(blob, {
      colorSpaceConversion: "none",
      premultiplyAlpha: "none",
    });
  } catch (error) {
    const reason = "it is damaged, or has no format that is known here";
    throw new GaussianizeError(`Cannot read ${name} as a picture: ${reason}.`, { cause: error });
  }
}
