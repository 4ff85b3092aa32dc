/**
 * Further rounds with a noisy image: denoised again, by densities that know the estimate before
 * (guided-density.ts).
 */
import { checkRunner } from "../../density/batch-passes.js";
import { expected } from "../../errors.js";
import { type GreyImage, requireFinitePixels } from "../../images/grey-image.js";
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
  /**
   * Standard deviation of the noise, in the units of the pixels; should be near that of the
   * densities.
   */
  readonly sigma: number;
  /** Pixels from one patch to the next, default 1: every patch. At most the side of a patch. */
  readonly stride?: number;
  /**
   * How many, from 1 to 3, default 2: each takes the estimate of the one before as its guide. The
   * second brings a tenth of what the first does, the third nothing.
   */
  readonly rounds?: number;
  readonly signal?: AbortSignal;
  /** Patches that are done, and all of them. */
  readonly onProgress?: (done: number, total: number) => void;
}

const optionFields = ["sigma", "stride", "rounds", "signal", "onProgress"] as const;

/**
 * The densities were fitted to first estimates of this kind: every third patch is nearly as good as
 * each, in a ninth of the time.
 */
export const guideStride = 3;

/** In all rounds but the last. */
const earlierStride = 2;
const usualRounds = 2;
const mostRounds = 3;

const patchesAtOnce = 65_536;

/**
 * The image without its noise. `guide` is a first estimate of it: that of {@link denoiseImage} with
 * a patch at every third pixel is what the densities that come with the package expect. The same
 * bits for any number of workers.
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
  requireSameShape(noisy, guide);
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
    by = await oneRound(
      runner,
      guided,
      { noisy: contrast.image, guide: by, corners: own },
      {
        sigma: contrast.sigma,
        signal,
        onProgress: (done) => onProgress?.(before + done, total),
      },
    );
    before += own.length;
  }
  return contrast.back(by);
}

interface Round {
  readonly noisy: GreyImage;
  readonly guide: GreyImage;
  /** Of the patches. */
  readonly corners: Uint32Array;
}

interface RoundOptions {
  readonly sigma: number;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (done: number) => void;
}

/** At the contrast of the densities. */
async function oneRound(
  runner: TaskRunner,
  guided: GuidedDensities,
  { noisy, guide, corners }: Round,
  { sigma, signal, onProgress }: RoundOptions,
): Promise<GreyImage> {
  const { size, scale, shift, bounds, experts } = guided;
  const shared = { dimension: size * size, experts, variance: square(scale * sigma) };
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

/** Pixels as the densities want them. */
export function standardized(
  image: GreyImage,
  { scale, shift }: Pick<GuidedDensities, "scale" | "shift">,
): GreyImage {
  return { ...image, pixels: image.pixels.map((value) => scale * value + shift) };
}

function requireSameShape(noisy: GreyImage, guide: GreyImage): void {
  const text = ({ width, height }: GreyImage): string => `${width}×${height}`;
  if (text(noisy) === text(guide)) return;
  throw expected("the guide", `have the ${text(noisy)} pixels of the image`, text(guide));
}
