/** From the density of pixel values to the probability of a picture's codes. */
import type { Quantization } from "../images/decoded-image.js";
import type { ImageReading } from "../patches/image-reading.js";
import { patchDimension } from "../patches/patch-layout.js";
import { codeWidths } from "../preprocessing/dequantize.js";

/** Whether the pixels of an image are codes that were spread evenly over their intervals. */
export function hasCodes(
  { levels, spacing }: Partial<Quantization>,
  { dequantize }: ImageReading,
): boolean {
  return dequantize && levels !== undefined && spacing !== undefined && spacing !== "none";
}

/** Σ log code width over the first N pixels of each patch, which are those of a sample; null where there are no codes. */
export function logWidthsOf(
  patches: Float32Array,
  codes: Partial<Quantization>,
  reading: ImageReading,
): Float64Array | null {
  const { levels = Infinity, spacing = "none" } = codes;
  if (!hasCodes(codes, reading)) return null;
  const n = patchDimension(reading.layout);
  const area = reading.layout.size ** 2;
  const sums = new Float64Array(patches.length / area);
  // All widths are the same: no need to look them up.
  if (spacing === "even") return sums.fill(-n * Math.log(levels));
  const widths = codeWidths(patches, { levels, spacing });
  for (let s = 0; s < sums.length; s++) {
    for (let k = s * area; k < s * area + n; k++) sums[s] += Math.log(widths[k]);
  }
  return sums;
}
