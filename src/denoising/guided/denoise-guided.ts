/** Further rounds of denoising, by densities that know the last estimate (guided-density.ts). */
import { checkRunner } from "../../density/batch-passes.js";
import { expected } from "../../errors.js";
import { type GreyImage, requireFinitePixels, requireSameSize } from "../../images/grey-image.js";
import { square } from "../../numbers/square.js";
import type { TaskRunner } from "../../parallel/job.js";
import { checkFields } from "../../transforms/checks.js";
import { atNoiseLevel } from "../contrast.js";
import { checkSigma } from "../noise-level.js";
import { OverlapAverage, checkStride, coveringCorners, patchesAt } from "../overlapping-patches.js";
import { type GuidedDensities, checkGuided } from "./guided-density.js";
import { classifyPatches } from "./patch-classes.js";
import { guidedEstimates } from "./run-guided.js";

export interface GuidedDenoisingOptions {
  /** Noise level in the units of the pixels; should be near the level of the densities. */
  readonly sigma: number;
  /** Pixels from one patch to the next, from 1 (default) to the side of a patch. */
  readonly stride?: number;
  /**
   * Number of rounds, from 1 to 3, default 2. The estimate of each round guides the next. The
   * second gains a tenth of the first, the third nothing.
   */
  readonly rounds?: number;
  readonly signal?: AbortSignal | undefined;
  /** Reports the patches that are done, and their total. */
  readonly onProgress?: (done: number, total: number) => void;
}

const optionFields = ["sigma", "stride", "rounds", "signal", "onProgress"] as const;

/** Stride of the first estimates that the densities were fitted to: nearly as good as 1. */
export const guideStride = 3;

/** Stride of all rounds but the last. */
const earlierStride = 2;
const usualRounds = 2;
const mostRounds = 3;

const patchesAtOnce = 65_536;

/**
 * Denoises an image. `guide` is a first estimate; the densities of the package expect the result of
 * {@link denoiseImage} with stride 3. The result has the same bits for any number of workers.
 */
export async function denoiseGuided(
  runner: TaskRunner,
  guided: GuidedDensities,
  noisy: GreyImage,
  guide: GreyImage,
  options: GuidedDenoisingOptions,
): Promise<GreyImage> {
  checkRunner(runner);
  checkGuided(guided);
  checkOptions(options, guided);
  requireFinitePixels(noisy, "the image");
  requireFinitePixels(guide, "the guide");
  requireSameSize(guide, noisy, "the guide");
  const { sigma, stride = 1, rounds = usualRounds, signal, onProgress } = options;
  if (sigma === 0) return { ...noisy, pixels: noisy.pixels.slice() };
  const contrast = atNoiseLevel(noisy, sigma, guided);
  requireFinitePixels(contrast.image, `the image at the contrast of σ = ${guided.noiseLevel}`);
  const strides = Array.from({ length: rounds }, (_, round) =>
    round === rounds - 1 ? stride : Math.min(guided.size, Math.max(stride, earlierStride)),
  );
  const corners = strides.map((own) => coveringCorners(contrast.image, guided.size, own));
  const total = corners.reduce((sum, { length }) => sum + length, 0);
  let by = contrast.like(guide);
  let before = 0;
  for (const own of corners) {
    by = await oneRound(runner, guided, {
      noisy: contrast.image,
      guide: by,
      corners: own,
      signal,
      onProgress: (done) => onProgress?.(before + done, total),
    });
    before += own.length;
  }
  return contrast.back(by);
}

interface Round {
  readonly noisy: GreyImage;
  readonly guide: GreyImage;
  /** Corners of the patches. */
  readonly corners: Uint32Array;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (done: number) => void;
}

/** Denoises an image once, at the contrast of the densities. */
async function oneRound(
  runner: TaskRunner,
  guided: GuidedDensities,
  { noisy, guide, corners, signal, onProgress }: Round,
): Promise<GreyImage> {
  const { size, scale, shift, bounds, experts, noiseLevel } = guided;
  const shared = { dimension: size * size, experts, variance: square(scale * noiseLevel) };
  const allKinds = classifyPatches(guide, size, bounds);
  const average = new OverlapAverage(guide, size);
  const [from, guiding] = [standardized(noisy, guided), standardized(guide, guided)];
  for (let first = 0; first < corners.length; first += patchesAtOnce) {
    const some = corners.subarray(first, first + patchesAtOnce);
    const patches = {
      size,
      kinds: Uint16Array.from(some, (corner) => allKinds[corner]),
      noisy: patchesAt(from, some, size),
      guide: patchesAt(guiding, some, size),
    };
    const estimates = await guidedEstimates(runner, shared, patches, {
      ...(signal && { signal }),
      onProgress: (done) => {
        onProgress(first + done);
      },
    });
    average.add(some, estimates);
  }
  const { pixels, ...shape } = average.image();
  return { ...shape, pixels: pixels.map((value) => (value - shift) / scale) };
}

function checkOptions(options: GuidedDenoisingOptions, { size }: GuidedDensities): void {
  checkFields("the options", options, optionFields);
  const { sigma, stride = 1, rounds = usualRounds } = options;
  checkSigma(sigma);
  checkStride(stride, size);
  if (Number.isInteger(rounds) && rounds >= 1 && rounds <= mostRounds) return;
  throw expected("rounds", `be an integer from 1 to ${mostRounds}`, rounds);
}

/** Scales pixels as the densities expect them. */
export function standardized(
  image: GreyImage,
  { scale, shift }: Pick<GuidedDensities, "scale" | "shift">,
): GreyImage {
  return { ...image, pixels: image.pixels.map((value) => scale * value + shift) };
}
