/** What a fit was asked for, as `gaussianize fit` keeps it in config.json; for Node and for pages. */
import type {
  CascadePreset,
  FitOrigin,
  ImageReading,
  JsonObject,
  Luminance,
  ModelFitOptions,
  ModelName,
  OptimiserName,
  PreprocessingKind,
  SecondNormalization,
} from "../src/index.js";
import type { ImageSet } from "../src/patches/image-set.js";

/** What was asked for. */
export interface FitTerms extends JsonObject {
  /** Absolute, so that a run can be resumed from anywhere. */
  readonly images: readonly string[];
  readonly model: ModelName;
  /** Left out: one. */
  readonly layers?: number;
  /** Of whole images; left out: a fit to patches. */
  readonly cascade?: CascadePreset;
  /** Of the cascade. */
  readonly stages?: number;
  /** Left out: a GDN. */
  readonly secondNormalization?: SecondNormalization;
  /** Of a fit of layers, or of a cascade. */
  readonly greedy?: number;
  readonly protocol: string | null;
  readonly patch: number;
  readonly removeMean: boolean;
  readonly luminance: Luminance;
  readonly noise: boolean;
  /** Of white noise that is added, in pixels from 0 to 1; left out: none. */
  readonly noiseLevel?: number;
  readonly preprocessing: PreprocessingKind;
  readonly removeSaturated: boolean;
  readonly steps: number;
  readonly batch: number;
  readonly learningRate: number;
  readonly optimiser: OptimiserName;
  /** Of patches; cascades always are. */
  readonly certified?: boolean;
  readonly subspace: number;
  readonly heldOut: number;
  readonly patience: number;
  readonly seed: number;
  readonly fastMath: boolean;
}

export function readingOfTerms(terms: FitTerms): ImageReading {
  const { luminance, noise, noiseLevel, patch, removeMean } = terms;
  return {
    luminance,
    dequantize: noise,
    ...(noiseLevel === undefined ? {} : { noiseLevel }),
    layout: { size: patch, removeMean },
  };
}

/** What fits of patches and of whole images are told alike; `window` is how many images may be in memory at once. */
export function commonOptionsOf(
  terms: FitTerms,
  set: Pick<ImageSet, "images" | "load" | "fingerprint">,
  window: number,
) {
  const { preprocessing, steps, batch, learningRate, optimiser } = terms;
  const { heldOut, patience, seed, protocol, removeSaturated } = terms;
  const { fingerprint: hash } = set;
  const origin: FitOrigin = { hash, images: terms.images.length, protocol, removeSaturated };
  return {
    ...{ images: set.images.length, load: set.load, window, origin },
    ...{ preprocessing, steps, batch, learningRate, optimiser, heldOut, patience, seed },
  };
}

/** What only fits of patches are told. */
export function patchOptionsOf(
  terms: FitTerms,
): Pick<ModelFitOptions, "model" | "layers" | "greedy" | "subspace" | "certified" | "reading"> {
  const { model, layers = 1, greedy = 0, subspace, certified = false } = terms;
  return { model, layers, greedy, subspace, certified, reading: readingOfTerms(terms) };
}
