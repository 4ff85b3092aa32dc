/** Settings of the panel, kept in the address. */
import {
  type Setting,
  type StateOf,
  choiceSetting,
  numberSetting,
  seedSetting,
} from "../../address.js";
import { labPhotographs } from "../../photographs.js";
import { pairModels } from "./pair-models.js";

const dataKinds = ["wavelets", "elliptical", "independent", "curved", "drawn", "csv"] as const;
export type DataKind = (typeof dataKinds)[number];

/** In the order of the wavelet bands. */
export const orientations = ["vertical", "rising", "horizontal", "falling"] as const;
export const pairCounts = ["5000", "20000", "100000"] as const;
export const separations = [1, 2, 4, 8, 16, 32, 64];

const noModels = "none";

const separationSetting: Setting<number> = {
  usual: 2,
  parse: (text) => separations.find((separation) => String(separation) === text),
  format: String,
};

/**
 * Names separated by spaces, in the order of the cards. The address says "none" for no models,
 * because an empty value means the default.
 */
const modelsSetting: Setting<string> = {
  usual: pairModels.map(({ name }) => name).join(" "),
  parse: (text) => {
    if (text === noModels) return "";
    const asked = text.split(" ");
    const known = pairModels.filter(({ name }) => asked.includes(name));
    return known.length === 0 ? undefined : known.map(({ name }) => name).join(" ");
  },
  format: (value) => (value === "" ? noModels : value),
};

export const pairsSettings = {
  data: choiceSetting<DataKind>("wavelets", dataKinds),
  photograph: choiceSetting(
    "black-canyon",
    labPhotographs.map(({ name }) => name),
  ),
  orientation: choiceSetting<(typeof orientations)[number]>("vertical", orientations),
  separation: separationSetting,
  pairs: choiceSetting<(typeof pairCounts)[number]>("20000", pairCounts),
  models: modelsSetting,
  steps: numberSetting(600, { least: 20, most: 5000, isWhole: true }),
  seed: seedSetting,
};

export type PairsState = StateOf<typeof pairsSettings>;
