/**
 * "Dead leaves" scenes: discs of random grey fall on top of each other until they cover the ground.
 * With radii distributed as r⁻³, the pictures share important statistics with photographs: scale
 * invariance, a 1/f² spectrum, edges by occlusion, heavy-tailed filter responses (Ruderman 1997;
 * Lee, Mumford & Huang 2001).
 */
import { expected } from "../errors.js";
import type { RandomStream } from "../random/random-stream.js";
import { type GreyImage, type ImageSize, requireCounts } from "./grey-image.js";

export interface DeadLeavesOptions extends ImageSize {
  /** Radii in pixels, default 1.5 to half the shorter side. */
  readonly smallestRadius?: number;
  readonly largestRadius?: number;
}

/** Points per pixel along each axis. A pixel is their mean, which smooths edges. */
const oversampling = 2;

/** Draws an image of overlapping discs with random sizes and grey values. */
export function deadLeaves(random: RandomStream, options: DeadLeavesOptions): GreyImage {
  const { width, height } = options;
  requireCounts({ width, height });
  const smallest = options.smallestRadius ?? 1.5;
  const largest = options.largestRadius ?? Math.max(smallest, Math.min(width, height) / 2);
  if (!(smallest > 0.5)) throw expected("smallestRadius", "be greater than 0.5", smallest);
  if (!(largest >= smallest)) throw expected("largestRadius", `be at least ${smallest}`, largest);
  const points = paintFrontToBack(random, width * oversampling, height * oversampling, [
    smallest * oversampling,
    largest * oversampling,
  ]);
  return { width, height, pixels: average(points, width, height) };
}

/** Paints from the top leaf down: a point keeps the first grey it gets. */
function paintFrontToBack(
  random: RandomStream,
  width: number,
  height: number,
  [smallest, largest]: [number, number],
): Float32Array {
  const grey = new Float32Array(width * height).fill(-1);
  // F(r) ∝ smallest⁻² − r⁻²; only square roots, which are exact on every engine.
  const [near, far] = [1 / (smallest * smallest), 1 / (largest * largest)];
  for (let bare = width * height; bare > 0;) {
    const radius = 1 / Math.sqrt(far + (near - far) * (1 - random.uniform()));
    // Centres outside too, or the border would see fewer large leaves.
    const x = (width + 2 * largest) * random.uniform() - largest;
    const y = (height + 2 * largest) * random.uniform() - largest;
    bare -= paintDisc(grey, width, height, x, y, radius, random.uniform());
  }
  return grey;
}

/** Returns the number of points that were bare before. */
function paintDisc(
  grey: Float32Array,
  width: number,
  height: number,
  x: number,
  y: number,
  radius: number,
  value: number,
): number {
  let painted = 0;
  const bottom = Math.min(height - 1, Math.floor(y + radius));
  for (let row = Math.max(0, Math.ceil(y - radius)); row <= bottom; row++) {
    const half = Math.sqrt(radius * radius - (row - y) * (row - y));
    const right = Math.min(width - 1, Math.floor(x + half));
    for (let column = Math.max(0, Math.ceil(x - half)); column <= right; column++) {
      const k = row * width + column;
      if (grey[k] >= 0) continue;
      grey[k] = value;
      painted++;
    }
  }
  return painted;
}

function average(points: Float32Array, width: number, height: number): Float32Array {
  const pixels = new Float32Array(width * height);
  const share = 1 / (oversampling * oversampling);
  for (let row = 0; row < height * oversampling; row++) {
    const target = Math.floor(row / oversampling) * width;
    for (let column = 0; column < width * oversampling; column++) {
      const value = points[row * width * oversampling + column];
      pixels[target + Math.floor(column / oversampling)] += share * value;
    }
  }
  return pixels;
}
