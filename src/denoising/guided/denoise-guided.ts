/** A second look at a noisy image: denoised again, by densities that know the first estimate (guided-density.ts). */
import { checkRunner } from "../../density/batch-passes.js";
import { expected } from "../../errors.js";
import { type GreyImage, requirePixels } from "../../images/grey-image.js";
import type { TaskRunner } from "../../parallel/job.js";
import { checkFields } from "../../transforms/checks.js";
import { atNoiseLevel } from "../contrast.js";
import { checkSigma } from "../noise-level.js";
import { OverlapAverage, checkStride, coveringCorners, patchesAt } from "../overlapping-patches.js";
import { type GuidedDensities, checkGuided } from "./guided-density.js";
import { classifyPatches } from "./patch-classes.js";
import { guidedEstimates } from "./run-guided.js";

export interface GuidedDenoisingOptions {
  /** Standard deviation of the noise, in the units of the pixels; should be near that of the densities. */
  readonly sigma: number;
  /** Pixels from one patch to the next, default 1: every patch. At most the side of a patch. */
  readonly stride?: number;
  readonly signal?: AbortSignal;
  /** Patches that are done, and all of them. */
  readonly onProgress?: (done: number, total: number) => void;
}

const optionFields: readonly (keyof GuidedDenoisingOptions)[] = [
  "sigma",
  "stride",
  "signal",
  "onProgress",
];

/** The densities were fitted to first estimates of this kind: every third patch is nearly as good as each, in a ninth of the time. */
export const guideStride = 3;

const patchesAtOnce = 65_536;

/**
 * The image without its noise. `guide` is a first estimate of it: that of {@link denoiseImage} with a patch at every third pixel is
 * what the densities that come with the package expect. The same bits for any number of workers.
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
  checkFields("the options", options, optionFields);
  const { sigma, stride = 1, signal, onProgress } = options;
  const { size, scale, shift, bounds, experts } = guided;
  checkSigma(sigma);
  checkStride(stride, size);
  requireFinite(noisy, "the image");
  requireFinite(guide, "the guide");
  requireSameShape(noisy, guide);
  if (sigma === 0) return { ...noisy, pixels: noisy.pixels.slice() };
  const contrast = atNoiseLevel(noisy, sigma, guided);
  requireFinite(contrast.image, `the image at the contrast of σ = ${guided.noiseLevel}`);
  const by = contrast.like(guide);
  const shared = { dimension: size * size, experts, variance: (scale * contrast.sigma) ** 2 };
  const allKinds = classifyPatches(by, size, bounds);
  const corners = coveringCorners(by, size, stride);
  const average = new OverlapAverage(by, size);
  const [from, guiding] = [standardized(contrast.image, guided), standardized(by, guided)];
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
      onProgress: (done) => onProgress?.(first + done, corners.length),
    });
    average.add(some, estimates);
  }
  const { pixels, ...shape } = average.image();
  return contrast.back({ ...shape, pixels: pixels.map((value) => (value - shift) / scale) });
}

/** Pixels as the densities want them. */
export function standardized(
  image: GreyImage,
  { scale, shift }: Pick<GuidedDensities, "scale" | "shift">,
): GreyImage {
  return { ...image, pixels: image.pixels.map((value) => scale * value + shift) };
}

function requireFinite(image: GreyImage, name: string): void {
  requirePixels(image, name);
  const wrong = image.pixels.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0) throw expected(`pixel ${wrong} of ${name}`, "be finite", image.pixels[wrong]);
}

function requireSameShape(noisy: GreyImage, guide: GreyImage): void {
  const text = ({ width, height }: GreyImage): string => `${width}×${height}`;
  if (text(noisy) === text(guide)) return;
  throw expected("the guide", `have the ${text(noisy)} pixels of the image`, text(guide));
}
