/** The public API of the core: the same in Node, in browsers and in workers. */
export type { BatchOptions } from "./density/batch-passes.js";
export {
  type Backpropagated,
  type Gaussianized,
  type Scored,
  backpropagate,
  gaussianize,
  logProb,
  score,
} from "./density/induced-density.js";
export * from "./denoising/index.js";
export * from "./figures/index.js";
export {
  type GaussianizedImage,
  type ImageOptions,
  gaussianizeImage,
  logProbOfImage,
} from "./density/images/image-density.js";
export {
  type ImageGradientOptions,
  type ImageGradients,
  imageGradients,
} from "./density/images/image-gradients.js";
export { imageResponses } from "./density/images/image-responses.js";
export { imageScore } from "./density/images/image-score.js";
export {
  type ImageSampleOptions,
  type ImageSynthesisOptions,
  type SynthesizedImage,
  sampleImage,
  synthesizeImage,
} from "./density/images/image-synthesis.js";
export type { JsonObject, JsonValue } from "./density/model-files/json.js";
export { modelArrays } from "./density/model-files/model-arrays.js";
export { decodeModel, encodeModel } from "./density/model-files/model-file.js";
export {
  type AnyModel,
  type ImageModel,
  type Model,
  type ModelAbout,
  type PatchAbout,
  isImageModel,
  requireImageModel,
  requirePatchModel,
} from "./density/model-files/model.js";
export { readingOf, requireReading } from "./density/model-files/model-reading.js";
export { type NpyArray, encodeNpz } from "./density/model-files/npz.js";
export {
  type NormalOptions,
  type SampleOptions,
  type SynthesisOptions,
  type Synthesized,
  normalVectors,
  sample,
  sampleAt,
  synthesize,
} from "./density/synthesis.js";
export { betweenDraws } from "./density/between-draws.js";
export type { Extreme, Observation } from "./density/verification/summary.js";
export {
  type StageVerification,
  type Verification,
  verify,
} from "./density/verification/verify.js";
export type { DeterminantCheck } from "./density/verification/jacobian-of-image.js";
export {
  type ConvolutionVerification,
  type ImageVerification,
  type ImageVerificationOptions,
  type RoundTrip,
  verifyImageCascade,
} from "./density/verification/verify-image-cascade.js";
export { GaussianizeError, UsageError } from "./errors.js";
export {
  type Divergence,
  klDivergence,
  kolmogorovSmirnov,
  kolmogorovSmirnovAtEdges,
} from "./evaluation/divergence.js";
export {
  type Evaluation,
  type EvaluationOptions,
  type ImageEvaluation,
  type ScoredPatches,
  evaluateImages,
} from "./evaluation/evaluate-images.js";
export { type Margins, edgeMargins, interiorOf, mapOf } from "./evaluation/fields/interior.js";
export {
  type MapMarginals,
  type MarginalOptions,
  mapMarginals,
} from "./evaluation/fields/map-marginals.js";
export {
  type PixelLikelihood,
  type WholeImageEvaluation,
  type WholeImageEvaluationOptions,
  type WholeImageLikelihood,
  cropToBlocks,
  evaluateWholeImages,
} from "./evaluation/evaluate-whole-images.js";
export type { EvaluationImage, ImageSource } from "./evaluation/images-in-turn.js";
export { type FilterShape, filterOrder, filterShapes } from "./evaluation/filter-shapes.js";
export {
  type Gaussianity,
  componentGaussianity,
  lengthGaussianity,
} from "./evaluation/gaussianity.js";
export {
  type Histogram,
  HistogramAccumulator,
  type HistogramOptions,
  histogramOf,
} from "./evaluation/histogram.js";
export {
  type Divergence2d,
  type Divergence2dOptions,
  klDivergence2d,
} from "./evaluation/histogram-2d-divergence.js";
export {
  type LikelihoodMap,
  type LikelihoodMapOptions,
  likelihoodMap,
} from "./evaluation/likelihood-map.js";
export { type LogDensities, densityOnGrid } from "./evaluation/histogram-2d-model.js";
export { smoothed } from "./evaluation/histogram-2d-smoothed.js";
export {
  type Grid,
  type Histogram2d,
  type Histogram2dOptions,
  type PairCounts,
  histogram2dOf,
} from "./evaluation/histogram-2d.js";
export { leastGaussianDirections, lengthsOf } from "./evaluation/least-gaussian-directions.js";
export { MomentAccumulator, excessKurtosis } from "./evaluation/moments.js";
export { type PairInformation, jackknifeError } from "./evaluation/mutual-information/groups.js";
export {
  type BothInformations,
  type InformationOptions,
  pairInformations,
} from "./evaluation/mutual-information/information-job.js";
export {
  type HistogramInformation,
  type HistogramInformationOptions,
  histogramInformation,
} from "./evaluation/mutual-information/histogram-information.js";
export {
  type NearestNeighbourOptions,
  nearestNeighbourInformation,
} from "./evaluation/mutual-information/nearest-neighbour-information.js";
export {
  type NegentropyDifference,
  negentropyDifference,
} from "./evaluation/negentropy-difference.js";
export {
  type PairedDifference,
  type PairedValues,
  pairedDifference,
} from "./evaluation/paired-difference.js";
export type { Likelihood } from "./evaluation/patch-tally.js";
export { layerOf, modelContributions, partsOfRows } from "./evaluation/pooling.js";
export { poolContributions } from "./evaluation/pool-contributions.js";
export {
  type FalloffCurve,
  type FalloffOptions,
  type PoolingFalloff,
  poolingFalloff,
  strongestPools,
} from "./evaluation/pooling-falloff.js";
export { type PictureQuality, pictureQuality } from "./evaluation/picture-quality.js";
export { psnrInDecibels } from "./evaluation/psnr.js";
export {
  type ReferenceDistribution,
  chiDistribution,
  standardNormal,
} from "./evaluation/reference-densities.js";
export { type SsimBorder, type SsimOptions, ssim } from "./evaluation/ssim.js";
export type { ComplexArray } from "./fourier/complex-array.js";
export { type FourierPlan, type FourierPlanOptions, fourierPlan } from "./fourier/fourier-plan.js";
export {
  type ComplexArray2d,
  type FourierArray,
  type FourierDirection,
  fourierTransform2d,
} from "./fourier/fourier-transform-2d.js";
export {
  type ThreeChannels,
  decorrelateColours,
  noiseLevels,
  recorrelateColours,
} from "./images/colour-decorrelation.js";
export { centralCrop } from "./images/central-crop.js";
export { type DeadLeavesOptions, deadLeaves } from "./images/dead-leaves.js";
export type { DecodedImage, Quantization } from "./images/decoded-image.js";
export type { GreyImage, GreyPixels } from "./images/grey-image.js";
export { type JpegBlocks, jpegBlocksFrom, jpegBlocksOf } from "./images/jpeg-tables.js";
export { type Luminance, linearToSrgb } from "./images/luminance.js";
export type {
  FloatArray,
  GdnParameters,
  InversionMethod,
  KernelName,
  Kernels,
} from "./kernels/kernels.js";
export { type KernelOptions, type LoadedKernels, loadKernels } from "./kernels/load-kernels.js";
export { InlineRunner } from "./parallel/inline-runner.js";
export type { Job, JobInput, RunOptions, TaskList, TaskRunner } from "./parallel/job.js";
export { type QuantizedPixels, codeWidths, dequantize } from "./preprocessing/dequantize.js";
export { isSaturated } from "./preprocessing/saturation.js";
export { withWhiteNoise } from "./preprocessing/white-noise.js";
export { type AsReadOptions, type LoadedImage, imageAsRead } from "./patches/image-as-read.js";
export {
  type ImageReading,
  type ProtocolName,
  protocolOf,
  protocols,
} from "./patches/image-reading.js";
export {
  type PatchLayout,
  filtersOnPatches,
  patchDimension,
  patchesToSamples,
  samplesToPatches,
} from "./patches/patch-layout.js";
export { type BatchPart, PatchSupply, type PatchSupplyOptions } from "./patches/patch-supply.js";
export type { ReadingPlan } from "./patches/reading-plan.js";
export { randomPatches } from "./patches/random-patches.js";
export { gridPatchCount, gridPatches } from "./patches/grid-patches.js";
export {
  type Purpose,
  type RandomState,
  RandomStream,
  type Seed,
  createRandom,
} from "./random/random-stream.js";
export {
  type CheckpointDescription,
  describeCheckpoint,
  isCheckpoint,
  decodeCheckpoint,
  encodeCheckpoint,
} from "./training/checkpoint-file.js";
export { type DenoiserFit, type DenoiserFitOptions, fitDenoiser } from "./training/fit-denoiser.js";
export {
  type CascadeGeometry,
  type CascadePreset,
  type SecondNormalization,
  cascadeGeometry,
  cascadePresetNames,
  cascadePresets,
  secondNormalizations,
} from "./training/cascade-geometry.js";
export {
  type ImageModelFit,
  type ImageModelFitOptions,
  cropSideOf,
  defaultGreedy,
  fitImageModel,
  imageFitDefaults,
  locationsOfStep,
} from "./training/fit-image-model.js";
export {
  type ModelFit,
  type ModelFitOptions,
  fitDefaults,
  largestPoolRank,
  fitModel,
} from "./training/fit-model.js";
export type {
  FitDefaults,
  FitOrigin,
  FitProgress,
  CommonFitOptions,
} from "./training/fit-settings.js";
export { mostLayers } from "./training/fit-layers.js";
export { type FitProblem, problemText } from "./training/fit-problem.js";
export { type PointwiseFitOptions, fitPointwise } from "./training/fit-pointwise.js";
export { type PreprocessingKind, preprocessingKinds } from "./training/fit-preprocessing.js";
export {
  type SampleFitOptions,
  type SampleFitSnapshot,
  type SampleRows,
  fitSamples,
} from "./training/fit-samples.js";
export { type ImageSplit, splitImages } from "./training/held-out.js";
export {
  type Fit,
  type FitCheckpoint,
  type FitHistory,
  type FitOptions,
  fitTransform,
} from "./training/fit-transform.js";
export { type OptimiserName, optimiserNames } from "./training/optimisers.js";
export { type NegentropyGradient, negentropyGradient } from "./training/negentropy-gradient.js";
export { type BoundOptions, projectOntoBounds } from "./training/parameter-bounds.js";
export { type Affine, type AffineInput, affine } from "./transforms/affine.js";
export { cascade, stagesOf } from "./transforms/cascade.js";
export { checkSamples } from "./transforms/checks.js";
export {
  type Convolution,
  type ConvolutionInput,
  type ConvolutionStart,
  type Taps,
  convolution,
  startingConvolution,
} from "./transforms/convolution.js";
export {
  type ConvolutionDeterminant,
  type ConvolutionDeterminantGradient,
  type DeterminantOptions,
  convolutionDeterminant,
  convolutionDeterminantGradient,
} from "./transforms/convolutions/determinant.js";
export {
  type FilterBankOptions,
  type Filters,
  filterBank,
  filtersOf,
} from "./transforms/convolutions/filter-bank.js";
export type { FrequencySample } from "./transforms/convolutions/frequencies.js";
export { invertConvolution } from "./transforms/convolutions/inverse.js";
export {
  type ConvolutionGradients,
  applyConvolution,
  convolutionGradients,
} from "./transforms/convolutions/products.js";
export { type Field, type GridSize, fieldToImage, imageToField } from "./transforms/field.js";
export { type GdnStart, startingGdn } from "./transforms/gdn-start.js";
export { lowRankPooling } from "./transforms/low-rank-pooling.js";
export {
  type GdnStructure,
  gdnStructures,
  largestRank,
  pooledWeights,
  spreadOverEntries,
} from "./transforms/gdn-structures.js";
export { type Gdn, type GdnInput, gdn } from "./transforms/gdn.js";
export {
  type AnyTransform,
  type ImageCascade,
  type ImageCascadeInput,
  type ImageStage,
  imageCascade,
} from "./transforms/image-cascade.js";
export {
  type IcaOptions,
  type IndependentComponents,
  independentComponents,
} from "./transforms/ica.js";
export { type Linear, type LinearInput, linear } from "./transforms/linear.js";
export {
  type ModelName,
  type NamedModel,
  modelNames,
  namedModel,
} from "./transforms/model-names.js";
export { mapParameters, parametersOf } from "./transforms/parameters.js";
export { type Pointwise, type PointwiseInput, pointwise } from "./transforms/pointwise.js";
export { type RadialMap, applyRadialMap, fitRadialMap } from "./transforms/radial-map.js";
export type { RisingCurve } from "./transforms/rising-curve.js";
export { fitRotationIca } from "./transforms/rotation-ica.js";
export type { Cascade, ParameterGroups, Stage, Transform } from "./transforms/transform.js";
export { pcaWhitening, zcaWhitening } from "./transforms/whitening.js";
export type { Band } from "./wavelets/filter-bank.js";
export { type CoefficientPairOptions, coefficientPairs } from "./wavelets/coefficient-pairs.js";
export {
  type NeighbourPairOptions,
  neighbourBorder,
  neighbourPairCount,
  neighbourPairs,
  orientationNames,
} from "./wavelets/neighbour-pairs.js";
export { type WaveletName, waveletNames } from "./wavelets/filters.js";
export {
  type DetailBands,
  type Orientation,
  type WaveletBands,
  type WaveletOptions,
  joinWavelets,
  orientations,
  splitIntoWavelets,
} from "./wavelets/orthonormal-wavelet.js";
export {
  type SteerableBandOptions,
  type SteerablePyramid,
  type SteerablePyramidOptions,
  type SteerableScaleOptions,
  joinSteerablePyramid,
  splitIntoSteerablePyramid,
  steerableBand,
  steerableBands,
} from "./wavelets/steerable-pyramid.js";
