/**
 * The options of a fit, each declared once. This table defines the types, the flags and the
 * `--help` of `gaussianize fit`, config.json and the comparison by `--resume`, the form and the
 * command of the lab, and the checks of fitModel and fitImageModel. Options that do not affect the
 * model, such as --workers, are declared by the command (cli/fit/options.ts).
 */
import type { Luminance } from "../images/luminance.js";
import { type ProtocolName, protocolOf, protocols } from "../patches/image-reading.js";
import { largestRank } from "../transforms/gdn-structures.js";
import { modelNames, namedModel } from "../transforms/model-names.js";
import {
  type CascadePreset,
  cascadeGeometry,
  cascadePresetNames,
  secondNormalizations,
} from "./cascade-geometry.js";
import { greedyFor, locationsOfStep, sizesFor } from "./fit-defaults.js";
import {
  type Decided,
  type FitOption,
  type Values,
  above,
  oneOf,
  orNull,
  truth,
  whole,
  within,
} from "./fit-option.js";
import { estimatesPayOff, gradientKinds } from "./gradient-kind.js";
import { optimiserNames } from "./optimisers.js";

export const preprocessingKinds = ["logistic", "standardize"] as const;

/**
 * First stage of a model:
 *
 *   logistic     the inverse generalized logistic function, which makes intensities Gaussian
 *   standardize  a scale and a shift
 */
export type PreprocessingKind = (typeof preprocessingKinds)[number];

export const mostLayers = 12;
const mostComponents = 64;
/** Largest `greedy`, which leaves steps to train all layers together. */
export const mostGreedyOfLayers = 0.9;

/** Infers the literal type of a declaration. */
function option<T, const O extends FitOption<T>>(declared: O & { readonly values: Values<T> }): O {
  return declared;
}

/** In the order of config.json. Defaults depend on earlier and on requested options. */
export const fitOptions = {
  model: option({
    flag: "--model <name>",
    values: oneOf(modelNames),
    default: "gdn",
    for: "patches",
    group: "model",
    help: "gdn, gdn-general, ica-mg, rg, lp or isa",
    form: { label: "Model", isMain: true, choiceLabel: (name) => namedModel(name).title },
  }),
  layers: option({
    flag: "--layers <n>",
    values: whole(1, mostLayers),
    default: 1,
    absent: 1,
    for: "patches",
    group: "model",
    help: `layers on top of each other, fitted together; 1 to ${mostLayers}`,
    form: { label: "Layers", most: 4 },
  }),
  couplings: option({
    flag: "--couplings <n>",
    values: whole(0, 1024),
    default: 0,
    absent: 0,
    for: "patches",
    group: "model",
    help: "hidden units of couplings between layers, which see signs; 0 for no couplings",
    form: { label: "Hidden units of couplings (0: none)", most: 256 },
  }),
  components: option({
    flag: "--components <K>",
    values: whole(1, mostComponents),
    default: 1,
    absent: 1,
    for: "patches",
    group: "model",
    help: `components of a mixture with learned weights; 1 to ${mostComponents}`,
    form: { label: "Components of a mixture", most: 8 },
  }),
  symmetric: option({
    flag: "--symmetric",
    values: truth,
    default: false,
    absent: false,
    for: "patches",
    group: "model",
    help: "fit a mixture over the 8 rotations and mirror images of a patch",
    form: {
      label: "Poses",
      choices: [false, true],
      choiceLabel: (all) => (all ? "8 rotations and mirror images" : "as in the pictures"),
    },
  }),
  cascade: option({
    flag: "--cascade <preset>",
    values: oneOf(cascadePresetNames),
    for: "cascades",
    group: "model",
    help: "fit whole images: small, medium (minutes) or paper (about an hour)",
  }),
  stages: option({
    flag: "--stages <n>",
    values: whole(1, 2),
    default: ({ cascade }) => (cascade === undefined ? undefined : 2),
    defaultText: "2",
    for: "cascades",
    group: "model",
    help: "stages of the cascade, 1 or 2",
  }),
  secondNormalization: option({
    flag: "--second <normalization>",
    values: oneOf(secondNormalizations),
    default: "gdn",
    absent: "gdn",
    for: "cascades",
    group: "model",
    help: "second stage of the cascade: gdn, or marginal for convolutional ICA",
  }),
  greedy: option({
    flag: "--greedy <x>",
    values: within(0, 1),
    default: greedyFor,
    defaultText: "0; with --cascade 0.4",
    absent: 0,
    group: "training",
    help: "fraction of the steps that fit layers or stages one by one",
  }),
  protocol: option({
    flag: "--protocol <name>",
    values: orNull(oneOf(Object.keys(protocols) as readonly ProtocolName[])),
    default: null,
    // Without dequantisation noise, the data differ from the protocol.
    settled: (protocol, { noise }) => (noise === false ? null : protocol),
    for: "patches",
    group: "images",
    help: "patches as in the literature: bsds63 (8×8, mean removed) or bsds64 (8×8)",
  }),
  patch: option({
    flag: "--patch <n>",
    values: whole(2, 32),
    default: ({ protocol, cascade }) => {
      if (cascade !== undefined) return cascadeGeometry(cascade).stride;
      return protocol ? protocolOf(protocol).layout.size : 8;
    },
    defaultText: "8",
    for: "patches",
    group: "images",
    help: "side of a patch in pixels, 2 to 32",
    form: {
      label: "Patches",
      isMain: true,
      choices: [4, 6, 8, 10, 12, 14, 16],
      choiceLabel: (side) => `${side}×${side} pixels`,
    },
  }),
  removeMean: option({
    flag: "--remove-mean",
    values: truth,
    default: ({ protocol }) => (protocol ? protocolOf(protocol).layout.removeMean : false),
    for: "patches",
    group: "images",
    help: "subtract the mean of each patch and drop its last pixel",
  }),
  luminance: option({
    flag: "--luminance <kind>",
    values: oneOf<Luminance>(["linear", "grey"]),
    // Noise of cameras and in papers is added to encoded grey values.
    default: ({ protocol, noiseLevel }) => {
      if (protocol) return protocolOf(protocol).luminance;
      return noiseLevel === undefined ? "linear" : "grey";
    },
    defaultText: "linear; with --noise-level grey",
    group: "images",
    help: "linear light as in the paper, or grey (Rec. 601)",
    form: {
      label: "Pixels",
      choiceLabel: (kind) =>
        kind === "linear" ? "luminance in linear light" : "grey values (Rec. 601)",
    },
  }),
  noise: option({
    flag: "--no-noise",
    values: truth,
    // Noise of any level already dequantises pixels.
    default: ({ noiseLevel }) => noiseLevel === undefined,
    group: "images",
    help: "do not add dequantisation noise",
  }),
  noiseLevel: option({
    flag: "--noise-level <sigma>",
    values: above(0),
    flagUnits: 255,
    group: "images",
    help: "fit noisy patches, for denoising: white noise of this σ, in grey levels of 255",
  }),
  preprocessing: option({
    flag: "--preprocessing <kind>",
    values: oneOf(preprocessingKinds),
    default: ({ removeMean, noiseLevel }) =>
      removeMean || noiseLevel !== undefined ? "standardize" : "logistic",
    defaultText: "logistic",
    group: "model",
    help: "logistic makes intensities Gaussian (paper §6.3), standardize scales and shifts",
    form: {
      label: "Preprocessing",
      choiceLabel: (kind) => (kind === "logistic" ? "a fitted curve" : "scale and shift"),
    },
  }),
  removeSaturated: option({
    flag: "--remove-saturated",
    values: truth,
    default: false,
    group: "images",
    help: "skip images with saturation artifacts (paper §6.3)",
  }),
  steps: option({
    flag: "--steps <n>",
    values: whole(1),
    default: (decided) => sizesFor(decided).steps,
    defaultText: "2000 to 20000, by model and patch",
    group: "training",
    help: "number of steps",
    form: { label: "Steps", isMain: true, usual: 1000, most: 20_000 },
  }),
  batch: option({
    flag: "--batch <n>",
    values: whole(1, 1_000_000),
    default: (decided) => sizesFor(decided).batch,
    settled: (batch, { cascade, stages }) =>
      cascade === undefined ? batch : locationsOfStep(geometryFor(cascade, stages), batch),
    defaultText: "256 to 1024, by patch",
    group: "training",
    help: "patches per step, or locations of a cascade",
    form: { label: "Patches per step", most: 4096 },
  }),
  learningRate: option({
    flag: "--rate <x>",
    values: above(0),
    default: (decided) => sizesFor(decided).learningRate,
    defaultText: "0.01 to 0.06, by model and patch",
    group: "training",
    help: "largest learning rate",
    form: { label: "Largest learning rate", name: "rate", least: 1e-4, most: 10, step: 1e-4 },
  }),
  optimiser: option({
    flag: "--optimiser <name>",
    values: oneOf(optimiserNames),
    default: "adam",
    group: "training",
    help: "adam, or sgd, which needs a --rate",
  }),
  gradient: option({
    flag: "--gradient <kind>",
    values: oneOf(gradientKinds),
    default: (decided) => (estimatesPayOff(decided) ? "auto" : "exact"),
    defaultText: "auto above 100 dimensions",
    // Runs that began before there was a choice have no entry.
    absent: "exact",
    settled: (kind, decided) => (kind === "auto" && !estimatesPayOff(decided) ? "exact" : kind),
    group: "training",
    help: "exact, probes (fast estimates), or auto: probes, then exact",
  }),
  certified: option({
    flag: "--certified",
    values: truth,
    // Cascades are always certified.
    default: false,
    absent: false,
    for: "patches",
    group: "model",
    help: "keep q = max ε α below 1, which proves invertibility",
  }),
  subspace: option({
    flag: "--subspace <n>",
    values: whole(1, 1024),
    default: 4,
    for: "patches",
    group: "model",
    help: "components per subspace, for --model isa",
  }),
  poolRank: option({
    flag: "--pool-rank <R>",
    values: whole(0, largestRank),
    default: 0,
    absent: 0,
    for: "patches",
    group: "model",
    help: `rank of the pools of --model gdn, up to ${largestRank}; 0 for a full γ`,
    form: { label: "Rank of the pools (0: full γ)", name: "rank" },
  }),
  heldOut: option({
    flag: "--held-out <x>",
    values: within(0, 0.9),
    default: 0.1,
    group: "training",
    help: "fraction of the images for validation, 0 to 0.9",
    form: { label: "Fraction of pictures held out", step: 0.01 },
  }),
  patience: option({
    flag: "--patience <n>",
    values: whole(1),
    default: 5,
    group: "training",
    help: "stop after n validations without improvement; not with --greedy",
  }),
  seed: option({
    flag: "--seed <n>",
    values: whole(0),
    default: 1,
    group: "training",
    help: "the same seed gives the same bits",
    form: { label: "Seed", most: 2 ** 31 },
  }),
  fastMath: option({
    flag: "--fast-math",
    values: truth,
    default: false,
    group: "run",
    help: "use relaxed SIMD: faster, but bits may differ between machines",
  }),
  memory: option({
    flag: "--memory <mb>",
    values: above(0, 2 ** 30),
    defaultText: "192",
    group: "images",
    help: "memory for decoded images, in MB; larger sets are streamed",
  }),
};

type Options = typeof fitOptions;

export type FitOptionName = keyof Options;

type ValueOf<O> = O extends { readonly values: Values<infer T> } ? T : never;

/** Requested options; the others have their defaults. */
export type FitAsked = {
  readonly [Name in FitOptionName]?: ValueOf<Options[Name]> | undefined;
};

/** Whether config.json always contains an option. */
type IsAlwaysSet<O> = O extends { readonly absent: unknown }
  ? false
  : O extends { readonly default: infer D }
    ? undefined extends (D extends (decided: Decided) => infer T ? T : D)
      ? false
      : true
    : false;

/** All options with their values, as in config.json. */
export type SettledOptions = {
  readonly [
    Name in FitOptionName as IsAlwaysSet<Options[Name]> extends true ? Name : never
  ]: ValueOf<Options[Name]>;
} & {
  readonly [
    Name in FitOptionName as IsAlwaysSet<Options[Name]> extends true ? never : Name
  ]?: ValueOf<Options[Name]>;
};

/** Options of model and training that are not for `Other`. */
export type OptionsExceptFor<Other extends "patches" | "cascades"> = {
  readonly [
    Name in FitOptionName as Options[Name] extends { readonly for: Other }
      ? never
      : Options[Name]["group"] extends "model" | "training"
        ? Name
        : never
  ]?: ValueOf<Options[Name]> | undefined;
};

type FormName<Name extends FitOptionName> = Options[Name] extends {
  readonly form: infer Form;
}
  ? Form extends { readonly name: infer Own extends string }
    ? Own
    : Name
  : never;

/** State of a form, by the names in its address; the command chooses undefined values. */
export type FormState = {
  readonly [Name in FitOptionName as FormName<Name>]: ValueOf<Options[Name]> | undefined;
};

function geometryFor(cascade: CascadePreset, stages = 2) {
  return cascadeGeometry(cascade, { stages: stages as 1 | 2 });
}
