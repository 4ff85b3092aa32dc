/** Sums of gradients over patches in Float64: along rows, then along columns. */
import type { FloatArray } from "../kernels.js";
import type { GradientSums, PixelArray } from "../patch-kernels.js";

export function sumGradients(image: PixelArray, weights: FloatArray, out: GradientSums): void {
  const { width, height, pixels } = image;
  const [x, y] = [new Float64Array(pixels.length), new Float64Array(pixels.length)];
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const k = row * width + column;
      if (column > 0 && column < width - 1) x[k] = (pixels[k + 1] - pixels[k - 1]) / 2;
      if (row > 0 && row < height - 1) y[k] = (pixels[k + width] - pixels[k - width]) / 2;
    }
  }
  const sum = (values: Float64Array): Float64Array =>
    along(along(values, 1, weights), width, weights);
  out.xx.set(sum(x.map((value) => value * value)));
  out.xy.set(sum(x.map((value, k) => value * y[k])));
  out.yy.set(sum(y.map((value) => value * value)));
  out.x.set(sum(x));
  out.y.set(sum(y));
}

function along(values: Float64Array, step: number, weights: FloatArray): Float64Array {
  const sums = new Float64Array(values.length);
  // Patches beyond the image have no sums.
  for (let k = 0; k + (weights.length - 1) * step < values.length; k++) {
    for (let j = 0; j < weights.length; j++) sums[k] += weights[j] * values[k + j * step];
  }
  return sums;
}
