/** Pictures and samples with the statistics of photographs. */
import type { GreyImage } from "../../src/images/grey-image.js";
import { createRandom, type RandomStream } from "../../src/random/random-stream.js";
import { seed } from "./seed.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import type { GridSize } from "../../src/transforms/field.js";
import type { Gdn } from "../../src/transforms/gdn.js";

export interface NoisyImage {
  readonly clean: GreyImage;
  readonly noisy: GreyImage;
}

/**
 * Returns an image given by a function of column and row, clean and with white noise of level
 * `sigma`.
 */
export function noisyImage(
  { width, height }: { readonly width: number; readonly height: number },
  sigma: number,
  valueAt: (x: number, y: number) => number,
): NoisyImage {
  const length = width * height;
  const pixels = Float32Array.from({ length }, (_, k) => valueAt(k % width, Math.floor(k / width)));
  const noise = createRandom(seed, "noisy image", width).normalFill(new Float32Array(length));
  const clean = { width, height, pixels };
  return { clean, noisy: { ...clean, pixels: pixels.map((value, k) => value + sigma * noise[k]) } };
}

/** Diagonal stripes with sharp edges; the width is in pixels along a row. */
export function stripes(width: number): (x: number, y: number) => number {
  return (x, y) => ((x + y) % (2 * width) < width ? 0.3 : 0.7);
}

export interface NoisyScene {
  readonly clean: GreyImage;
  readonly noisy: GreyImage;
}

/** Returns a scene of dead leaves, clean and with white noise of level `sigma`. */
export function noisyScene(width: number, height: number, sigma: number): NoisyScene {
  const random = createRandom(seed, "noisy scene", width, height);
  // These methods cannot distinguish leaves of a few pixels from noise.
  const smallestRadius = 4;
  const largestRadius = 40;
  const clean = deadLeaves(random.stream("scene"), {
    width,
    height,
    smallestRadius,
    largestRadius,
  });
  const noise = random.stream("noise").normalFill(new Float32Array(clean.pixels.length));
  const pixels = clean.pixels.map((value, k) => value + sigma * noise[k]);
  return { clean, noisy: { ...clean, pixels } };
}

/**
 * Returns normal samples with all |z_i| > 0.05, z = H x: closer to 0, |z|^α bends too sharply for
 * central differences.
 */
export function smoothSamples(
  random: RandomStream,
  { H, dimension: n }: Pick<Gdn, "H" | "dimension">,
  count: number,
): Float64Array {
  const samples: number[] = [];
  while (samples.length < count * n) {
    const x = random.normalFill(new Float64Array(n));
    const z = x.map((value, i) =>
      H ? x.reduce((sum, xj, j) => sum + H[i * n + j] * xj, 0) : value,
    );
    if (z.every((value) => Math.abs(value) > 0.05)) samples.push(...x);
  }
  return Float64Array.from(samples);
}

/** Returns dead leaves with a little noise: flat areas have no density. */
export function texturedScenes(name: string, count: number, size: GridSize): GreyImage[] {
  const random = createRandom(seed, name);
  return Array.from({ length: count }, () => {
    const scene = deadLeaves(random, size);
    return { ...scene, pixels: scene.pixels.map((v) => 0.02 + 0.95 * v + 0.03 * random.uniform()) };
  });
}
