/** The models that show what each idea beyond the paper gains, and the comparisons of them. */
import type { FitRequest } from "../experiment.js";

/** Options of `gaussianize fit` by which the models differ. */
export type IdeaOptions = Pick<FitRequest, "layers" | "couplings" | "components" | "symmetric">;

export interface IdeaModel {
  readonly options: IdeaOptions;
  /** Options of the model that it builds on; none for the baseline. */
  readonly over?: IdeaOptions;
  /** Short name in the chart; none if the chart leaves it out. */
  readonly label?: string;
}

const fullSteps = 2000;
const quickSteps = 150;

const symmetric = true;
const components = 4;
const couplings = 96;

/** Each model comes after the one that it builds on. */
export const ideaModels: readonly IdeaModel[] = [
  { options: {}, label: "GDN, one layer" },
  { options: { symmetric }, over: {}, label: "GDN, one layer, symmetric" },
  { options: { components }, over: {} },
  { options: { components, symmetric }, over: { components } },
  { options: { layers: 2 }, over: {} },
  { options: { layers: 2, couplings }, over: { layers: 2 } },
  { options: { layers: 4 }, over: { layers: 2 } },
  { options: { layers: 4, couplings }, over: { layers: 4 } },
  { options: { layers: 6 }, over: { layers: 4 }, label: "GDN, six layers" },
  { options: { layers: 6, couplings }, over: { layers: 6 }, label: "GDN, six layers, couplings" },
  { options: { layers: 4, symmetric }, over: { layers: 4 } },
  { options: { layers: 4, couplings, symmetric }, over: { layers: 4, couplings } },
];

/** Two ideas on the same model, alone and together. */
export interface IdeaPair {
  readonly ideas: readonly [first: string, second: string];
  readonly neither: IdeaOptions;
  readonly first: IdeaOptions;
  readonly second: IdeaOptions;
  readonly both: IdeaOptions;
}

export const ideaPairs: readonly IdeaPair[] = [
  {
    ideas: ["symmetric", "4 components"],
    neither: {},
    first: { symmetric },
    second: { components },
    both: { components, symmetric },
  },
  {
    ideas: ["symmetric", "four layers"],
    neither: {},
    first: { symmetric },
    second: { layers: 4 },
    both: { layers: 4, symmetric },
  },
  {
    ideas: ["symmetric", "couplings"],
    neither: { layers: 4 },
    first: { layers: 4, symmetric },
    second: { layers: 4, couplings },
    both: { layers: 4, couplings, symmetric },
  },
  {
    ideas: ["couplings", "four layers"],
    neither: { layers: 2 },
    first: { layers: 2, couplings },
    second: { layers: 4 },
    both: { layers: 4, couplings },
  },
  {
    ideas: ["couplings", "six layers"],
    neither: { layers: 4 },
    first: { layers: 4, couplings },
    second: { layers: 6 },
    both: { layers: 6, couplings },
  },
];

const numerals = ["no", "one", "two", "three", "four", "five", "six"];

/** Names a model: "four layers, couplings of 96 units, symmetric". */
export function ideaTitle(options: IdeaOptions): string {
  const { layers = 1 } = options;
  return [
    `${numerals[layers] ?? layers} ${layers === 1 ? "layer" : "layers"}`,
    ...(options.couplings ? [`couplings of ${options.couplings} units`] : []),
    ...(options.components ? [`${options.components} components`] : []),
    ...(options.symmetric ? ["symmetric"] : []),
  ].join(", ");
}

interface Sizes {
  readonly quick: boolean;
  readonly steps: number | null;
}

/** Returns the steps of all models; those on the command line come first. */
export function ideaSteps({ quick, steps }: Sizes): number {
  return steps ?? (quick ? quickSteps : fullSteps);
}

/** Requests the fit of a model; other options and steps have other names. */
export function ideaRequest(model: IdeaModel, sizes: Sizes): FitRequest {
  const { layers = 1, couplings: units, components: count, symmetric: isSymmetric } = model.options;
  const steps = ideaSteps(sizes);
  const name = [
    ...(sizes.quick ? ["embedded"] : []),
    "bsds63-gdn",
    ...(layers === 1 ? [] : [`${layers}-layers`]),
    ...(units ? [`${units}-couplings`] : []),
    ...(count ? [`${count}-components`] : []),
    ...(isSymmetric ? ["symmetric"] : []),
    // The command adds steps that it was given.
    ...(sizes.steps === null ? [`${steps}-steps`] : []),
  ];
  return {
    name: name.join("-"),
    model: "gdn",
    ...model.options,
    protocol: "bsds63",
    set: "bsds300/train",
    noise: true,
    heldOut: 0.1,
    steps,
  };
}
