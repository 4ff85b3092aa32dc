/** Widths of the codes of a picture: they turn a density of values into a probability of codes. */
import type { Quantization } from "../images/decoded-image.js";
import { portableLog } from "../numbers/logarithm.js";
import type { ImageReading } from "../patches/image-reading.js";
import { patchDimension } from "../patches/patch-layout.js";
import { codeWidths } from "../preprocessing/dequantize.js";

/**
 * Whether samples are codes with uniform noise: the model dequantises, the image has codes, and
 * patches keep their mean.
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

/** Σ log code width over the pixels of each patch; null without codes. */
export function logWidthsOf(
  patches: Float32Array,
  codes: Partial<Quantization>,
  reading: ImageReading,
): Float64Array | null {
  const { levels = Infinity, spacing = "none" } = codes;
  if (!hasCodes(codes, reading)) return null;
  const n = patchDimension(reading.layout);
  const sums = new Float64Array(patches.length / n);
  // All widths are the same.
  if (spacing === "even") return sums.fill(-n * portableLog(levels));
  const widths = codeWidths(patches, { levels, spacing });
  for (let s = 0; s < sums.length; s++) {
    for (let k = s * n; k < (s + 1) * n; k++) sums[s] += portableLog(widths[k]);
  }
  return sums;
}
