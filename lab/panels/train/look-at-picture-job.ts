/** What the page shows of a picture before a fit: its size, and a small copy. Files may be anything. */
import { GaussianizeError } from "../../../src/index.js";
import { openImageSet } from "../../../browser/index.js";
import { mostPixels } from "../../compute/decode-picture.js";
import type { LabJob, Perform } from "../../compute/job.js";

export interface PictureLook {
  readonly width: number;
  readonly height: number;
  /** A PNG file; null where the browser cannot draw it. */
  readonly thumbnail: Blob | null;
}

export type LookAtPicture = LabJob<
  /** `side` is that of the patches that are chosen. */
  { readonly file: File; readonly side: number },
  PictureLook
>;

/** Of patches, in pixels. */
const smallestSide = 2;
/** In pixels; shown at half of that. */
const thumbnailHeight = 96;

export const lookAtPicture: Perform<LookAtPicture> = async ({ file, side }) => {
  const open = (size: number) =>
    openImageSet(
      [file],
      { luminance: "linear", dequantize: false, layout: { size, removeMean: false } },
      { mostPixels },
    );
  // As a fit will see it, whatever the size of its patches. What has no room for the smallest has none for the chosen ones, which the
  // sentence is to name.
  const set = await open(smallestSide).catch(() => open(side));
  const [{ width, height }] = set.images;
  return { width, height, thumbnail: await thumbnailOf(file, width / height) };
};

async function thumbnailOf(file: File, aspect: number): Promise<Blob | null> {
  if (/\.iml$/i.test(file.name)) return null;
  // Panoramas would be nothing but a line, or a tower.
  const width = Math.round(thumbnailHeight * Math.min(3, Math.max(0.5, aspect)));
  const size = { resizeWidth: width, resizeHeight: thumbnailHeight };
  try {
    const bitmap = await createImageBitmap(file, { ...size, resizeQuality: "medium" });
    const canvas = new OffscreenCanvas(width, thumbnailHeight);
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
    bitmap.close();
    return await canvas.convertToBlob();
  } catch (error) {
    const reason = "it is damaged, or has no format that is known here";
    throw new GaussianizeError(`Cannot read ${file.name} as a picture: ${reason}.`, {
      cause: error,
    });
  }
}
