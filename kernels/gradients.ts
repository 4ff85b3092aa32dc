/** Weighted sums of gradients over the patches of an image: structure tensors. */
import { multiplyAdd } from "./simd";

/** Differences across and down, 0 at the borders. */
function differentiate(pixels: usize, width: usize, height: usize, x: usize, y: usize): void {
  const half = f32x4.splat(0.5), rowBytes = width << 2;
  for (let row: usize = 0; row < height; row++) {
    const inside = row > 0 && row < height - 1;
    for (let k: usize = 0; k < rowBytes; k += 16) {
      const at = pixels + k;
      v128.store(x + k, f32x4.mul(half, f32x4.sub(v128.load(at + 4), v128.load(at - 4))));
      v128.store(y + k, inside
        ? f32x4.mul(half, f32x4.sub(v128.load(at + rowBytes), v128.load(at - rowBytes)))
        : f32x4.splat(0));
    }
    store<f32>(x, 0);
    store<f32>(x + rowBytes - 4, 0);
    pixels += rowBytes;
    x += rowBytes;
    y += rowBytes;
  }
}

/** values[k] = Σ_j weights[j] values[k + j·step], from the first to the last. */
function sumAlong(values: usize, count: usize, step: usize, weights: usize, size: usize): void {
  for (const end = values + (count << 2); values < end; values += 16) {
    let sum = f32x4.splat(0), at = values;
    for (let j: usize = 0; j < size << 2; j += 4) {
      sum = multiplyAdd(v128.load_splat<f32>(weights + j), v128.load(at), sum);
      at += step;
    }
    v128.store(values, sum);
  }
}

/**
 * Writes Σ w g_x², Σ w g_x g_y, Σ w g_y², Σ w g_x and Σ w g_y over the patch that begins at each
 * pixel to five maps, `mapBytes` apart. Values of patches beyond the image are undefined.
 */
export function sumGradients(
  pixels: usize, width: usize, height: usize, weights: usize, size: usize, maps: usize, mapBytes: usize,
): void {
  const count = width * height;
  const xx = maps, xy = xx + mapBytes, yy = xy + mapBytes, x = yy + mapBytes, y = x + mapBytes;
  differentiate(pixels, width, height, x, y);
  for (let k: usize = 0; k < count << 2; k += 16) {
    const gx = v128.load(x + k), gy = v128.load(y + k);
    v128.store(xx + k, f32x4.mul(gx, gx));
    v128.store(xy + k, f32x4.mul(gx, gy));
    v128.store(yy + k, f32x4.mul(gy, gy));
  }
  for (let map: usize = 0; map < 5; map++, maps += mapBytes) {
    sumAlong(maps, (height - size + 1) * width, width << 2, weights, size);
    sumAlong(maps, (height - size + 1) * width, 4, weights, size);
  }
}
