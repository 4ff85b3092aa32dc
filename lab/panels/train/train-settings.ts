/**
 * The state of the panel, and the terms of `gaussianize fit` that follow from it. Fields, ranges
 * and defaults come from the options of the command (src/training/fit-options.ts).
 */
import { square } from "../../../src/numbers/square.js";
import { type FitTerms, askedOf, fitTerms, flagsOf } from "../../../src/runs/fit-terms.js";
import { largestPoolRank } from "../../../src/training/fit-defaults.js";
import type { FitOption, OptionForm, OptionValue } from "../../../src/training/fit-option.js";
import type { FitAsked, FitOptionName, FormState } from "../../../src/training/fit-options.js";
import { defaultOf, optionNames, optionTable } from "../../../src/training/settle-options.js";
import type { Setting, Settings } from "../../address.js";
import { type CurveState, curveSettings } from "../../components/curve-controls.js";
import { labPhotographs } from "../../photographs.js";
import { areAllPhotographs, photographAt } from "./picture-paths.js";

export interface TrainState extends FormState, CurveState {
  /** Names of the chosen photographs, separated by spaces. */
  readonly photos: string;
}

/** An option with a field in this panel. */
export interface FormField {
  readonly name: FitOptionName;
  /** Name in the address. */
  readonly address: keyof FormState;
  readonly option: FitOption;
  readonly form: OptionForm;
}

export const formFields: readonly FormField[] = optionNames.flatMap((name) => {
  const option = optionTable[name];
  const { form } = option;
  return form ? [{ name, address: (form.name ?? name) as keyof FormState, option, form }] : [];
});

/** Returns the values to choose from; undefined if the option is a number. */
export function choicesOf({ option, form }: FormField): readonly OptionValue[] | undefined {
  return form.choices ?? option.values.choices;
}

export function rangeOf({ option, form }: FormField): { least: number; most: number } {
  const { least = 0, most = Infinity } = option.values;
  return { least: form.least ?? least, most: form.most ?? most };
}

function settingOf(field: FormField): Setting<OptionValue | undefined> {
  const { name, option, form } = field;
  const choices = choicesOf(field);
  const { least, most } = rangeOf(field);
  const isFixed = choices !== undefined || typeof option.default !== "function";
  return {
    // The command chooses numbers that depend on other options.
    usual: form.usual ?? (isFixed ? defaultOf(name, {}) : undefined),
    parse: (text) => {
      if (choices) return choices.find((choice) => String(choice) === text);
      const value = text.trim() === "" ? NaN : Number(text);
      return option.values.isRight(value) && value >= least && value <= most ? value : undefined;
    },
    format: String,
  };
}

const none = "none";

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
  ...curveSettings,
  ...Object.fromEntries(formFields.map((field) => [field.address, settingOf(field)])),
} as unknown as Settings<TrainState>;

/** Side of the patches in pixels. */
export function patchOf({ patch }: TrainState): number {
  return patch ?? Number(defaultOf("patch", {}));
}

/** Returns the largest rank of the pools for the chosen patches. */
export function mostRank(state: TrainState): number {
  return largestPoolRank(square(patchOf(state)));
}

/** Whether a field has an effect, given the others. */
export function applies({ name }: FormField, { model, layers = 1 }: TrainState): boolean {
  if (name === "poolRank") return model === "gdn";
  return name !== "couplings" || layers > 1;
}

/**
 * Returns the terms of a fit. The state keeps values without effect for when they apply again.
 * picture-paths.ts names the images.
 */
export function termsOf(state: TrainState, images: readonly string[]): FitTerms {
  const chosen = formFields
    .filter((field) => applies(field, state))
    .map(({ name, address }) => [name, state[address]] as const);
  const asked: FitAsked = Object.fromEntries(chosen);
  const { poolRank = 0 } = asked;
  return fitTerms({ ...asked, poolRank: Math.min(poolRank, mostRank(state)) }, images);
}

/**
 * Returns the command that makes the same model from the same pixels; null if no command can name
 * these pictures, or if the fit was extended.
 */
export function commandOf(terms: FitTerms): string | null {
  const { images, restarts } = terms;
  const isEmbedded = areAllPhotographs(images);
  const isNameless = !isEmbedded && images.some((path) => photographAt(path) !== undefined);
  if (images.length === 0 || isNameless || restarts !== undefined) return null;
  const pictures = isEmbedded ? "--embedded" : "PICTURES/";
  return ["gaussianize fit", pictures, ...flagsOf(askedOf(terms)), "-o RUN"].join(" ");
}
