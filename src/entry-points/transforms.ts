/**
 * Invertible transforms as plain records, and their parts.
 *
 * `import { … } from "gaussianize/transforms"`
 *
 * @example
 * ```js
 * import { parametersOf, startingGdn } from "gaussianize/transforms";
 *
 * const layer = startingGdn({ structure: "radial", dimension: 2 });
 * console.log(Object.keys(parametersOf(layer)[0]).join(" "));
 * ```
 *
 * @module gaussianize/transforms
 */
export { type Affine, type AffineInput, affine } from "../transforms/affine.js";
export { cascade, stagesOf } from "../transforms/cascade.js";
export {
  type Convolution,
  type ConvolutionInput,
  type ConvolutionStart,
  type Taps,
  convolution,
  startingConvolution,
} from "../transforms/convolution.js";
export {
  type FilterBankOptions,
  type Filters,
  filterBank,
  filtersOf,
} from "../transforms/convolutions/filter-bank.js";
export type { FrequencySample } from "../transforms/convolutions/frequencies.js";
export { type Coupling, type CouplingInput, coupling } from "../transforms/coupling.js";
export { type Field, type GridSize, fieldToImage, imageToField } from "../transforms/field.js";
export { type GdnStart, startingGdn } from "../transforms/gdn-start.js";
export { type GdnStructure, gdnStructures, pooledWeights } from "../transforms/gdn-structures.js";
export { type Gdn, type GdnInput, gdn } from "../transforms/gdn.js";
export {
  type IcaOptions,
  type IndependentComponents,
  independentComponents,
} from "../transforms/ica.js";
export {
  type AnyTransform,
  type ImageCascade,
  type ImageCascadeInput,
  type ImageStage,
  imageCascade,
} from "../transforms/image-cascade.js";
export { type Linear, type LinearInput, linear } from "../transforms/linear.js";
export { lowRankPooling } from "../transforms/low-rank-pooling.js";
export { type ModelName, type NamedModel, modelNames } from "../transforms/model-names.js";
export { mapParameters, parametersOf } from "../transforms/parameters.js";
export { type Pointwise, type PointwiseInput, pointwise } from "../transforms/pointwise.js";
export type { RisingCurve } from "../transforms/radial-map.js";
export type { Cascade, ParameterGroups, Stage, Transform } from "../transforms/transform.js";
export { pcaWhitening, zcaWhitening } from "../transforms/whitening.js";
export type { Checked, Unchecked } from "../transforms/checks.js";
