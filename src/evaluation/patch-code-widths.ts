/** From the density of pixel values to the probability of a picture's codes. */
import type { Quantization } from "../images/decoded-image.js";
import { portableLog } from "../numbers/logarithm.js";
import type { ImageReading } from "../patches/image-reading.js";
import { patchDimension } from "../patches/patch-layout.js";
import { codeWidths } from "../preprocessing/dequantize.js";

/**
 * Whether the pixels of an image are codes that were spread evenly over their intervals, and a
 * sample holds all of them: without its mean a patch says nothing of its codes.
 */
export function hasCodes(
  { levels, spacing }: Partial<Quantization>,
  { dequantize, layout }: ImageReading,
): boolean {
  return (
    dequantize &&
    !layout.removeMean &&
    levels !== undefined &&
    spacing !== undefined &&
    spacing !== "none"
  );
}

/** Σ log code width over the pixels of each patch; null where there are no codes. */
export function logWidthsOf(
  patches: Float32Array,
  codes: Partial<Quantization>,
  reading: ImageReading,
): Float64Array | null {
  const { levels = Infinity, spacing = "none" } = codes;
  if (!hasCodes(codes, reading)) return null;
  const n = patchDimension(reading.layout);
  const sums = new Float64Array(patches.length / n);
  // All widths are the same: no need to look them up.
  if (spacing === "even") return sums.fill(-n * portableLog(levels));
  const widths = codeWidths(patches, { levels, spacing });
  for (let s = 0; s < sums.length; s++) {
    for (let k = s * n; k < (s + 1) * n; k++) sums[s] += portableLog(widths[k]);
  }
  return sums;
}
