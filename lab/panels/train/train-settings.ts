/** What the address says of this panel, and what a fit is told by it: the terms of `gaussianize fit`, with its defaults. */
import { square } from "../../../src/numbers/square.js";
import {
  type Luminance,
  type ModelName,
  type PreprocessingKind,
  fitDefaults,
  largestPoolRank,
  largestRank,
  modelNames,
  preprocessingKinds,
} from "../../../src/index.js";
import type { FitTerms } from "../../../src/runs/fit-terms.js";
import { type Setting, choiceSetting, numberSetting } from "../../address.js";
import { labPhotographs } from "../../photographs.js";
import { areAllPhotographs, photographAt } from "./picture-paths.js";

export const patchSides = ["4", "6", "8", "10", "12", "14", "16"] as const;
export const mostSteps = 20_000;
export const mostBatch = 4096;
export const mostLayers = 4;
const none = "none";

/** Names of photographs with spaces between them, in their order; or none. */
const photosSetting: Setting<string> = {
  usual: labPhotographs.map(({ name }) => name).join(" "),
  parse: (text) => {
    const asked = text.split(" ");
    const known = labPhotographs.filter(({ name }) => asked.includes(name));
    if (known.length > 0) return known.map(({ name }) => name).join(" ");
    return text === none ? "" : undefined;
  },
  format: (value) => (value === "" ? none : value),
};

export const trainSettings = {
  photos: photosSetting,
  model: choiceSetting<ModelName>("gdn", modelNames),
  patch: choiceSetting<(typeof patchSides)[number]>("8", patchSides),
  layers: numberSetting(1, { least: 1, most: mostLayers, isWhole: true }),
  // 0: a full γ.
  rank: numberSetting(0, { least: 0, most: largestRank, isWhole: true }),
  steps: numberSetting(1000, { least: 1, most: mostSteps, isWhole: true }),
  // 0: as the command chooses it.
  batch: numberSetting(0, { least: 0, most: mostBatch, isWhole: true }),
  rate: numberSetting(0, { least: 0, most: 10 }),
  luminance: choiceSetting<Luminance>("linear", ["linear", "grey"]),
  preprocessing: choiceSetting<PreprocessingKind>("logistic", preprocessingKinds),
  heldOut: numberSetting(0.1, { least: 0, most: 0.9 }),
  seed: numberSetting(1, { least: 0, most: 2 ** 31, isWhole: true }),
};

export interface TrainState {
  readonly photos: string;
  readonly model: ModelName;
  readonly patch: (typeof patchSides)[number];
  readonly layers: number;
  readonly rank: number;
  readonly steps: number;
  readonly batch: number;
  readonly rate: number;
  readonly luminance: Luminance;
  readonly preprocessing: PreprocessingKind;
  readonly heldOut: number;
  readonly seed: number;
}

/** With what the command chooses where nothing was chosen. */
export function chosenSizes(state: TrainState): {
  readonly batch: number;
  readonly learningRate: number;
} {
  const { model, patch, batch, rate } = state;
  const defaults = fitDefaults(model, square(Number(patch)), rankOf(state));
  return {
    batch: batch === 0 ? defaults.batch : batch,
    learningRate: rate === 0 ? defaults.learningRate : rate,
  };
}

/**
 * Of the model that has one, at most what its patches have room for; others keep what was chosen, should that model or larger patches be
 * chosen again.
 */
export function rankOf({ model, rank, patch }: TrainState): number {
  return model === "gdn" ? Math.min(rank, largestPoolRank(square(Number(patch)))) : 0;
}

/** What the panel does not ask for. */
const fixedTerms = {
  protocol: null,
  removeMean: false,
  noise: true,
  removeSaturated: false,
  optimiser: "adam",
  certified: false,
  subspace: 4,
  patience: 5,
  fastMath: false,
} as const;

/** `images` as picture-paths.ts names them. */
export function termsOf(state: TrainState, images: readonly string[]): FitTerms {
  const { model, patch, layers, steps, luminance, preprocessing, heldOut, seed } = state;
  return {
    ...{ images, model, luminance, preprocessing, steps, heldOut, seed },
    ...(layers > 1 && { layers, greedy: 0 }),
    ...(rankOf(state) > 0 && { poolRank: rankOf(state) }),
    ...chosenSizes(state),
    ...{ patch: Number(patch), ...fixedTerms },
  };
}

/** Terms of the command may be others; its window of images is not in its options here. */
function isOfThisPanel(terms: FitTerms): boolean {
  const { greedy = 0, certified = false, noiseLevel, memory } = terms;
  if (greedy !== 0 || noiseLevel !== undefined || memory !== undefined) return false;
  const found: FitTerms = { ...terms, certified };
  return Object.entries(fixedTerms).every(([name, value]) => found[name] === value);
}

/** The command that makes the same model from the same pixels; null where none of the options here names these pictures, or these terms. */
export function commandOf(terms: FitTerms): string | null {
  const { images } = terms;
  const isEmbedded = areAllPhotographs(images);
  const isNameless = !isEmbedded && images.some((path) => photographAt(path) !== undefined);
  if (images.length === 0 || isNameless || !isOfThisPanel(terms)) return null;
  const { model, patch, layers = 1, steps, batch, learningRate, seed, heldOut } = terms;
  const { poolRank = 0 } = terms;
  const defaults = fitDefaults(model, patch * patch, poolRank);
  const options = [
    ...(model === "gdn" ? [] : [`--model ${model}`]),
    ...(patch === 8 ? [] : [`--patch ${patch}`]),
    ...(layers === 1 ? [] : [`--layers ${layers}`]),
    ...(poolRank === 0 ? [] : [`--pool-rank ${poolRank}`]),
    ...(steps === defaults.steps ? [] : [`--steps ${steps}`]),
    ...(batch === defaults.batch ? [] : [`--batch ${batch}`]),
    ...(learningRate === defaults.learningRate ? [] : [`--rate ${learningRate}`]),
    ...(terms.luminance === "linear" ? [] : [`--luminance ${terms.luminance}`]),
    ...(terms.preprocessing === "logistic" ? [] : [`--preprocessing ${terms.preprocessing}`]),
    ...(heldOut === 0.1 ? [] : [`--held-out ${heldOut}`]),
    ...(seed === 1 ? [] : [`--seed ${seed}`]),
  ];
  const pictures = isEmbedded ? "--embedded" : "PICTURES/";
  return ["gaussianize fit", pictures, ...options, "-o RUN"].join(" ");
}
