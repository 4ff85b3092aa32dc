/**
 * Receptive fields of the second convolution of an image cascade: the filters on pixels that come
 * closest to its responses. A gain for each map replaces the stages between the convolutions:
 *
 *   u_i ≈ g_i z_i + const,   g_i = Σ_p (z_ip − z̄_i)(u_ip − ū_i) / Σ_p (z_ip − z̄_i)²
 *   R_k(a + s q) = Σ_qi G_q[k][i] g_i f_i(a)
 *
 *   symbol  variable  shape              meaning
 *   z, u    –         locations × C      fields after the first and before the second convolution
 *   g       gains     C                  least squares over the locations p of an image
 *   f_i     first     C × height × width filters of the first convolution
 *   G_q     second    taps × C × C       weights of the second convolution
 *   R_k     values    C × height × width
 *
 * Cost: C² weights of G times the pixels of a filter.
 */
import { imageResponses } from "../density/images/image-responses.js";
import { expected } from "../errors.js";
import type { GreyPixels } from "../images/grey-image.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import type { Convolution } from "../transforms/convolution.js";
import { filtersOf } from "../transforms/convolutions/filter-bank.js";
import type { Field, GridSize } from "../transforms/field.js";
import { type ImageCascade, imageCascade, isConvolution } from "../transforms/image-cascade.js";

/** Returns the indices of the convolutions among the stages. */
export function convolutionsOf({ stages }: ImageCascade): readonly number[] {
  return stages.flatMap((stage, k) => (isConvolution(stage) ? [k] : []));
}

/** Returns the gains g of the maps between the first two convolutions, on an image. */
export async function gainsOn(
  runner: TaskRunner,
  cascade: ImageCascade,
  image: GreyPixels,
  signal?: AbortSignal,
): Promise<Float64Array> {
  const [first, second] = requireTwo(cascade);
  const { stride, stages } = cascade;
  const before = imageCascade({ stride, stages: stages.slice(0, second) });
  const fields = await imageResponses(runner, before, image, { signal });
  return gainsBetween(fields[first], fields[second - 1]);
}

function requireTwo(cascade: ImageCascade): readonly number[] {
  const found = convolutionsOf(cascade);
  if (found.length >= 2) return found;
  throw expected("the cascade", "have two convolutions", found.length);
}

function gainsBetween(z: Field, u: Field): Float64Array {
  const { maps } = z;
  const locations = z.width * z.height;
  const gains = new Float64Array(maps);
  for (let i = 0; i < maps; i++) {
    let [sumZ, sumU, squares, products] = [0, 0, 0, 0];
    for (let p = 0; p < locations; p++) {
      const [zp, up] = [z.values[p * maps + i], u.values[p * maps + i]];
      sumZ += zp;
      sumU += up;
      squares += zp * zp;
      products += zp * up;
    }
    const variance = squares - (sumZ * sumZ) / locations;
    // A map that is constant on this image has no slope.
    gains[i] = variance > 0 ? (products - (sumZ * sumU) / locations) / variance : 0;
  }
  return gains;
}

/** Weights of pixels, laid out like the filters of `filtersOnPixels`. */
export interface ReceptiveFields extends Weights {
  readonly count: number;
}

interface Weights {
  /** Size of each field in (averaged) pixels. */
  readonly width: number;
  readonly height: number;
  /** count × height × width */
  readonly values: FloatArray;
}

export interface ReceptiveFieldOptions {
  /** Pixels are averaged over squares of this side, a divisor of the stride; default 1. */
  readonly shrink?: number;
  /** Called before each filter; may wait, or throw to end the work. */
  readonly beforeFilter?: (k: number, count: number) => Promise<void>;
}

/** Returns the size of a receptive field in pixels. */
export function receptiveFieldSize(cascade: ImageCascade): GridSize {
  const [first, second] = requireTwo(cascade).map((k) => cascade.stages[k] as Convolution);
  const { stride } = cascade;
  return {
    width: stride * (first.taps.width + second.taps.width - 1),
    height: stride * (first.taps.height + second.taps.height - 1),
  };
}

/** Returns the receptive fields R_k of the second convolution of a cascade, for given gains. */
export async function receptiveFields(
  cascade: ImageCascade,
  gains: ArrayLike<number>,
  { shrink = 1, beforeFilter }: ReceptiveFieldOptions = {},
): Promise<ReceptiveFields> {
  const [first, second] = requireTwo(cascade).map((k) => cascade.stages[k] as Convolution);
  const stride = cascade.stride / shrink;
  if (!Number.isInteger(stride)) {
    throw expected("shrink", `divide the stride, ${cascade.stride}`, shrink);
  }
  const inner = scaledFilters(first, gains, shrink);
  const size = receptiveFieldSize(cascade);
  const [width, height] = [size.width / shrink, size.height / shrink];
  const count = second.maps;
  const values = new Float32Array(count * width * height);
  for (let k = 0; k < count; k++) {
    await beforeFilter?.(k, count);
    const field = values.subarray(k * width * height, (k + 1) * width * height);
    addField(second, k, inner, { stride, width }, field);
  }
  return { count, width, height, values };
}

/** Returns g_i f_i, averaged over squares of `shrink` pixels. */
function scaledFilters(first: Convolution, gains: ArrayLike<number>, shrink: number): Weights {
  const whole = filtersOf(first);
  const [width, height] = [whole.width / shrink, whole.height / shrink];
  const values = new Float64Array(first.maps * width * height);
  const area = whole.width * whole.height;
  for (let k = 0; k < whole.filters.length; k++) {
    const [i, pixel] = [Math.floor(k / area), k % area];
    const row = Math.floor(Math.floor(pixel / whole.width) / shrink);
    const column = Math.floor((pixel % whole.width) / shrink);
    values[(i * height + row) * width + column] +=
      (gains[i] * whole.filters[k]) / (shrink * shrink);
  }
  return { width, height, values };
}

/** Adds the filters of the first convolution, weighted by row k of the second. */
function addField(
  { maps, taps, weights }: Convolution,
  k: number,
  inner: Weights,
  { stride, width }: { readonly stride: number; readonly width: number },
  field: FloatArray,
): void {
  const area = inner.width * inner.height;
  for (let tap = 0; tap < taps.width * taps.height; tap++) {
    const corner = stride * (Math.floor(tap / taps.width) * width + (tap % taps.width));
    for (let i = 0; i < maps; i++) {
      const weight = weights[(tap * maps + k) * maps + i];
      if (weight === 0) continue;
      for (let row = 0; row < inner.height; row++) {
        const from = i * area + row * inner.width;
        const to = corner + row * width;
        for (let column = 0; column < inner.width; column++) {
          field[to + column] += weight * inner.values[from + column];
        }
      }
    }
  }
}
