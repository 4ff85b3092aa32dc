/**
 * Denoising by a density of whole images, paper eq. (7) with all pixels at once:
 *
 *   x̂ = x̃ + σ² ∇ log p(x̃)
 *
 *   symbol  meaning
 *   x̃       the noisy image
 *   σ       standard deviation of its noise
 *   p       density of NOISY images, which the model was fitted to
 *   x̂       the estimate with the least mean squared error
 *
 * A cascade divides an image into blocks, and any block may begin the grid: estimates are averaged
 * over shifts of it. The cascade is periodic, so the image is first extended by reflection, as far
 * as the filters reach. Pixels beyond that do not matter, so large images are processed in tiles,
 * with the same result.
 *
 * Deviation from the paper: the noise of a block is bounded, like that of a patch
 * (empirical-bayes.ts).
 *
 * Cost: one score of the image per shift.
 */
import { imageScore } from "../density/images/image-score.js";
import {
  type Float64Pixels,
  type GreyImage,
  type ImageSize,
  cropOf,
} from "../images/grey-image.js";
import { extendByReflection } from "../images/reflection.js";
import type { TaskRunner } from "../parallel/job.js";
import { fieldToImage, imageToField } from "../transforms/field.js";
import type { ImageCascade } from "../transforms/image-cascade.js";
import { type DenoisingOptions, estimatesOf } from "./empirical-bayes.js";

/** Denoises an image whose noise has the level of the model. */
export function estimateByShifts(
  runner: TaskRunner,
  cascade: ImageCascade,
  noisy: GreyImage,
  options: DenoisingOptions,
): Promise<GreyImage> {
  return new ShiftedEstimates(runner, cascade, noisy, options).mean();
}

interface Tile extends ImageSize {
  readonly left: number;
  readonly top: number;
}

/** Sums of estimates over shifts, tile by tile. */
class ShiftedEstimates {
  private readonly sums: Float64Array;
  /** Distance in pixels from which a tile is influenced. */
  private readonly reach: number;
  private readonly extended: Float64Pixels;

  constructor(
    private readonly runner: TaskRunner,
    private readonly cascade: ImageCascade,
    private readonly image: GreyImage,
    private readonly options: DenoisingOptions,
  ) {
    const { width, height, pixels } = image;
    this.sums = new Float64Array(pixels.length);
    this.reach = reachOf(cascade, Math.max(width, height));
    const [before, after] = [this.reach + cascade.stride, this.reach + 2 * cascade.stride];
    const margins = { left: before, top: before, right: after, bottom: after };
    this.extended = extendByReflection(image, margins);
  }

  async mean(): Promise<GreyImage> {
    const { stride = 1, tileSize = 512, onProgress } = this.options;
    const tiles = tilesOf(this.image, tileSize);
    const shifts = shiftsOf(this.cascade.stride, stride);
    let done = 0;
    for (const tile of tiles) {
      for (const dy of shifts) {
        for (const dx of shifts) {
          await this.add(tile, dx, dy);
          onProgress?.(++done, tiles.length * (shifts.length * shifts.length));
        }
      }
    }
    const pixels = Float32Array.from(this.sums, (sum) => sum / (shifts.length * shifts.length));
    return { width: this.image.width, height: this.image.height, pixels };
  }

  /** Adds the estimate of a tile on a grid that begins (dx, dy) before the pixels that it needs. */
  private async add(tile: Tile, dx: number, dy: number): Promise<void> {
    const { cascade, reach, image } = this;
    const { stride } = cascade;
    const sideOf = (length: number): number =>
      stride * Math.ceil((length + 2 * reach + stride) / stride);
    const [left, top] = [tile.left + stride - dx, tile.top + stride - dy];
    const size = { width: sideOf(tile.width), height: sideOf(tile.height) };
    const window = cropOf(this.extended, left, top, size);
    const estimate = await this.estimateOf(window);
    for (let row = 0; row < tile.height; row++) {
      const from = (reach + dy + row) * window.width + reach + dx;
      const to = (tile.top + row) * image.width + tile.left;
      for (let k = 0; k < tile.width; k++) this.sums[to + k] += estimate[from + k];
    }
  }

  private async estimateOf(window: Float64Pixels): Promise<Float64Array> {
    const { runner, cascade } = this;
    const { sigma, bounded = true, signal } = this.options;
    const score = await imageScore(runner, cascade, window, signal && { signal });
    // Each block is bounded separately.
    const blocks = imageToField(window, cascade.stride);
    const gradient = imageToField(score, cascade.stride).values;
    const area = cascade.stride * cascade.stride;
    const values = estimatesOf(blocks.values, gradient, sigma, { area, bounded });
    return fieldToImage({ ...blocks, values }).pixels as Float64Array;
  }
}

/**
 * Returns the largest distance at which a pixel changes the score of another. Filters reach some
 * blocks on the way to y, and as many on the way back. Beyond the size of the image there are only
 * its reflections.
 */
function reachOf({ stride, stages }: ImageCascade, most: number): number {
  const blocks = stages.reduce((sum, stage) => {
    if (stage.kind !== "convolution") return sum;
    const { left, top, width, height } = stage.taps;
    return sum + Math.max(-left, -top, left + width - 1, top + height - 1, 0);
  }, 0);
  return stride * Math.min(2 * blocks + 1, Math.ceil(most / stride));
}

function shiftsOf(stride: number, step: number): number[] {
  return Array.from({ length: Math.ceil(stride / step) }, (_, k) => k * step);
}

function tilesOf({ width, height }: GreyImage, side: number): Tile[] {
  const tiles: Tile[] = [];
  for (let top = 0; top < height; top += side) {
    for (let left = 0; left < width; left += side) {
      const [across, down] = [Math.min(side, width - left), Math.min(side, height - top)];
      tiles.push({ left, top, width: across, height: down });
    }
  }
  return tiles;
}
