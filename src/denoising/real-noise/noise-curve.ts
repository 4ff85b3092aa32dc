/**
 * Noise whose variance depends on brightness, as that of photons does (Foi, Trimeche, Katkovnik &
 * Egiazarian 2008):
 *
 *   var(y | x) = a x + b
 *
 *   symbol  variable  meaning
 *   y, x              a noisy pixel, and the clean one
 *   a       slope     variance per brightness; below 0 if the noise grows towards black
 *   b       offset    variance at black
 *
 * The patches of a picture are sorted by the brightness around them into ten groups, and the noise
 * of each group is estimated as for white noise (patch-noise.ts). A line through the variances,
 * fitted by least squares of relative errors, gives a and b. The surroundings of a patch do not
 * contain its own noise, so this selection does not bias the noise. Texture raises the variance of
 * a group, so points far above the line get little weight.
 *
 * The noise counts as signal-dependent only if the line explains what a constant does not. White
 * noise is the usual case, and a wrong line would cost more than a missed one.
 */
import type { GreyPixels } from "../../images/grey-image.js";
import { summedArea } from "../../numbers/summed-area.js";
import { cornersOf, patchNoise, patchShapeOf } from "../patch-noise.js";

/** Variance of the noise at brightness x: slope·x + offset. */
export interface NoiseCurve {
  readonly slope: number;
  readonly offset: number;
}

/** The noise of patches of similar brightness. */
export interface NoiseAtBrightness {
  /** Mean of the patches. */
  readonly brightness: number;
  readonly variance: number;
}

export interface CurveEstimate {
  readonly curve: NoiseCurve;
  /** Whether the curve explains the picture much better than white noise. */
  readonly isSignalDependent: boolean;
}

const groupCount = 10;
const patchesPerGroup = 2048;
/** Smallest group: patchNoise is not reliable for fewer patches. */
const leastPatches = 400;
/** Largest `excess` (patch-noise.ts) of a group that counts. */
const mostExcess = 0.15;
/** Pixels beyond a patch that belong to its surroundings. */
const around = 4;

/**
 * Returns the noise of groups of patches, the darkest first; groups full of texture are left out.
 */
export function noiseByBrightness(
  image: GreyPixels,
  clipped?: Uint8Array,
): readonly NoiseAtBrightness[] {
  const { width, height, pixels } = image;
  const shape = patchShapeOf(image);
  const sum = summedArea(width, height, (total, x, y) => total + pixels[y * width + x]);
  const clippedIn = summedArea(
    width,
    height,
    (total, x, y) => total + (clipped?.[y * width + x] ?? 0),
  );
  const patches = Array.from(cornersOf(image, shape), (corner) => {
    const [left, top] = [corner % width, Math.floor(corner / width)];
    const [right, bottom] = [left + shape.width, top + shape.height];
    const own = { left, top, right, bottom };
    const wide = {
      left: Math.max(0, left - around),
      top: Math.max(0, top - around),
      right: Math.min(width, right + around),
      bottom: Math.min(height, bottom + around),
    };
    const inside = shape.width * shape.height;
    const outside = (wide.right - wide.left) * (wide.bottom - wide.top) - inside;
    const brightness = sum(own) / inside;
    // An image without surroundings has a single group anyway.
    const near = outside > 0 ? (sum(wide) - sum(own)) / outside : brightness;
    return { corner, brightness, near, clipped: clippedIn(wide) };
  }).filter((patch) => patch.clipped === 0);
  patches.sort((one, other) => one.near - other.near || one.corner - other.corner);
  const count = Math.min(groupCount, Math.floor(patches.length / leastPatches));
  return Array.from({ length: count }, (_, k) => {
    const [from, to] = [k, k + 1].map((place) => Math.floor((place * patches.length) / count));
    const step = Math.ceil((to - from) / patchesPerGroup);
    const group = patches.slice(from, to).filter((_patch, place) => place % step === 0);
    const corners = Int32Array.from(group, ({ corner }) => corner);
    const { sigma, excess } = patchNoise(image, shape, corners);
    const brightness = group.reduce((total, patch) => total + patch.brightness, 0) / group.length;
    return { brightness, variance: sigma * sigma, excess };
  }).flatMap(({ excess, ...point }) => (excess <= mostExcess && point.variance > 0 ? [point] : []));
}

/** Fewest groups that show a curve. */
const leastPoints = 4;
/** Smallest ratio of the noise levels at the darkest and the brightest group. */
const leastRatio = 1.4;
/** Largest error of the line, relative to the error of a constant. */
const mostUnexplained = 0.5;
/** Largest relative error of the variances on the line. */
const mostError = 0.25;

/** Fits the curve to all points; undefined if there are too few. */
export function curveThrough(points: readonly NoiseAtBrightness[]): CurveEstimate | undefined {
  if (points.length < leastPoints) return undefined;
  const curve = robustLine(points, 1);
  const constant = robustLine(points, 0);
  const at = points.map(({ brightness }) => brightness);
  const ends = [Math.min(...at), Math.max(...at)].map((x) => varianceAt(curve, x));
  const ratio = Math.sqrt(Math.max(...ends) / Math.min(...ends));
  const error = errorOf(points, curve);
  const isSignalDependent =
    Math.min(...ends) > 0 &&
    ratio >= leastRatio &&
    error <= mostError &&
    error <= mostUnexplained * errorOf(points, constant);
  return { curve, isSignalDependent };
}

export function varianceAt({ slope, offset }: NoiseCurve, x: number): number {
  return slope * x + offset;
}

function relativeErrors(points: readonly NoiseAtBrightness[], curve: NoiseCurve): number[] {
  return points.map(({ brightness, variance }) => varianceAt(curve, brightness) / variance - 1);
}

/** Returns the root mean square of the relative errors, the worst quarter left out. */
function errorOf(points: readonly NoiseAtBrightness[], curve: NoiseCurve): number {
  const squares = relativeErrors(points, curve).map((error) => error * error);
  const kept = squares.sort((a, b) => a - b).slice(0, Math.ceil(0.75 * squares.length));
  return Math.sqrt(kept.reduce((sum, value) => sum + value, 0) / kept.length);
}

/** Relative error at which the weight of a point halves. */
const usualError = 0.1;
const repetitions = 10;

/** Fits a line (`degree` 1) or a constant (0) with Cauchy weights of the relative errors. */
function robustLine(points: readonly NoiseAtBrightness[], degree: 0 | 1): NoiseCurve {
  let weights = points.map(() => 1);
  let curve = { slope: 0, offset: 0 };
  for (let k = 0; k < repetitions; k++) {
    curve = lineOf(points, weights, degree);
    weights = relativeErrors(points, curve).map((error) => {
      const far = error / usualError;
      return 1 / (1 + far * far);
    });
  }
  return curve;
}

/** Minimises Σ w (v̂/v − 1)². */
function lineOf(
  points: readonly NoiseAtBrightness[],
  weights: readonly number[],
  degree: 0 | 1,
): NoiseCurve {
  let [n, x, xx, v, xv] = [0, 0, 0, 0, 0];
  points.forEach(({ brightness, variance }, k) => {
    const weight = weights[k] / (variance * variance);
    n += weight;
    x += weight * brightness;
    xx += weight * brightness * brightness;
    v += weight * variance;
    xv += weight * brightness * variance;
  });
  const determinant = n * xx - x * x;
  // Without a spread of brightness there is no slope.
  if (degree === 0 || !(determinant > 1e-9 * n * xx)) return { slope: 0, offset: v / n };
  const slope = (n * xv - x * v) / determinant;
  return { slope, offset: (v - slope * x) / n };
}
