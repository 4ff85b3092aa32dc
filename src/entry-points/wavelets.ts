/**
 * Subbands of images, pairs of coefficients, and the Fourier transform.
 *
 * `import { … } from "gaussianize/wavelets"`
 *
 * @example
 * ```js
 * import { joinWavelets, splitIntoWavelets } from "gaussianize/wavelets";
 *
 * const pixels = Float32Array.from({ length: 1024 }, (_, k) => k % 7);
 * const bands = splitIntoWavelets({ width: 32, height: 32, pixels }, { scales: 2 });
 * console.log(bands.details.length, joinWavelets(bands).pixels[5].toFixed(3)); // 2 5.000
 * ```
 *
 * @module gaussianize/wavelets
 */
export type { ComplexArray } from "../fourier/complex-array.js";
export {
  type ComplexArray2d,
  type FourierArray,
  type FourierDirection,
  fourierTransform2d,
} from "../fourier/fourier-transform-2d.js";
export { type CoefficientPairOptions, coefficientPairs } from "../wavelets/coefficient-pairs.js";
export type { Band } from "../wavelets/filter-bank.js";
export { type WaveletName, waveletNames } from "../wavelets/filter-bank.js";
export { type NeighbourPairOptions, neighbourPairs } from "../wavelets/coefficient-pairs.js";
export {
  type DetailBands,
  type Orientation,
  type WaveletBands,
  type WaveletOptions,
  joinWavelets,
  splitIntoWavelets,
} from "../wavelets/orthonormal-wavelet.js";
export {
  type SteerableBandOptions,
  type SteerablePyramid,
  type SteerablePyramidOptions,
  type SteerableScaleOptions,
  joinSteerablePyramid,
  splitIntoSteerablePyramid,
  steerableBand,
  steerableBands,
} from "../wavelets/steerable-pyramid.js";
