/** The samples of a decoded bitmap: red, green, blue, alpha, pixel by pixel. */
import { GaussianizeError } from "../src/errors.js";

/** `name` is what an error calls the picture. The bitmap must not be premultiplied. */
export function bitmapSamples(bitmap: ImageBitmap, name: string): Uint8Array | Uint8ClampedArray {
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  if (!context) throw tooLarge(bitmap, name);
  context.drawImage(bitmap, 0, 0);
  const samples = samplesOf(context, bitmap, name);
  // A canvas multiplies colours with alpha, which cannot be undone.
  return isOpaque(samples) ? samples : transparentSamples(bitmap, name);
}

function samplesOf(
  context: OffscreenCanvasRenderingContext2D,
  bitmap: ImageBitmap,
  name: string,
): Uint8ClampedArray {
  try {
    return context.getImageData(0, 0, bitmap.width, bitmap.height).data;
  } catch (error) {
    throw tooLarge(bitmap, name, error);
  }
}

function isOpaque(samples: Uint8ClampedArray): boolean {
  for (let at = 3; at < samples.length; at += 4) if (samples[at] !== 255) return false;
  return true;
}

/** Textures keep colours and alpha apart. */
function transparentSamples(bitmap: ImageBitmap, name: string): Uint8Array {
  const { width, height } = bitmap;
  const gl = new OffscreenCanvas(1, 1).getContext("webgl2");
  if (!gl) {
    const reason = "it is transparent in places, and its colours there need WebGL";
    throw new GaussianizeError(
      "unavailable",
      `Cannot read ${name}: ${reason}, which is not available.`,
    );
  }
  try {
    if (Math.max(width, height) > Number(gl.getParameter(gl.MAX_TEXTURE_SIZE))) {
      throw tooLarge(bitmap, name);
    }
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
    gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    const samples = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, samples);
    // Zeros would look like a black picture.
    if (gl.getError() !== gl.NO_ERROR) throw tooLarge(bitmap, name);
    return samples;
  } finally {
    // Browsers allow few of them at a time, and collect garbage late.
    gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

function tooLarge({ width, height }: ImageBitmap, name: string, cause?: unknown): GaussianizeError {
  const reason = `its ${width}×${height} pixels are too many for this browser`;
  return new GaussianizeError("unsupported-file", `Cannot read ${name}: ${reason}.`, { cause });
}

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
    throw new GaussianizeError("file-damaged", `Cannot read ${name} as a picture: ${reason}.`, {
      cause: error,
    });
  }
}
