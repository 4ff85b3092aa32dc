/** Settings of the panel, kept in the address. */
import { type StateOf, choiceSetting, numberSetting, seedSetting } from "../../address.js";
import { type LabPhotograph, labPhotographs } from "../../photographs.js";

export const modelNames = ["gdn", "ica-mg", "rg"] as const;
export type PackageModel = (typeof modelNames)[number];
export const modelTitles: Readonly<Record<PackageModel, string>> = {
  gdn: "GDN",
  "ica-mg": "ICA-MG",
  rg: "RG",
};

/** Patch side of the models of the package. */
export const packagePatchSide = 16;

export const views = ["filters", "samples", "walk", "histograms", "picture"] as const;
export type View = (typeof views)[number];

/** Views for models of whole images. */
export const imageViews = ["filters", "samples", "picture"] as const satisfies readonly View[];

/** Name of what a picture must have room for, in messages. */
export const piecesOfImages = "filters of the model";

export const sampleCount = 36;
export const sampleColumns = 6;
/** Patches in a row of the plane to walk on. */
export const planeColumns = 7;
export const histogramPatches = 2000;
/** Columns of the grids of likely and surprising patches. */
export const extremeColumns = 6;
/** A transform has at most 64×64 components. */
const mostFilters = 4096;

export const patchesSettings = {
  model: choiceSetting<PackageModel>("gdn", modelNames),
  view: choiceSetting<View>("filters", views),
  photo: choiceSetting<LabPhotograph["name"]>(
    "nagasaki-boats",
    labPhotographs.map(({ name }) => name),
  ),
  seed: seedSetting,
  temperature: numberSetting(1, { least: 0.3, most: 1.5 }),
  /** Row of H, from 0; −1: not chosen. */
  filter: numberSetting(-1, { least: -1, most: mostFilters - 1, isWhole: true }),
  /** Rows of H, or columns of its inverse; for whole images, the first or the second stage. */
  shown: choiceSetting("filters", ["filters", "basis", "second"] as const),
  /** Greys of the filters of whole images: square roots of weights, or the weights. */
  greys: choiceSetting("roots", ["roots", "weights"] as const),
  /** Samples at the ends of the walk, from 0. The defaults give varied patches between them. */
  from: numberSetting(17, { least: 0, most: sampleCount - 1, isWhole: true }),
  to: numberSetting(25, { least: 0, most: sampleCount - 1, isWhole: true }),
  path: choiceSetting("arc", ["arc", "line"] as const),
  /** Position on the path, in percent. */
  at: numberSetting(50, { least: 0, most: 100 }),
  beside: choiceSetting("alone", ["alone", "all"] as const),
  scale: choiceSetting("even", ["even", "log"] as const),
  part: choiceSetting("512", ["256", "512", "whole"] as const),
  stride: choiceSetting("8", ["2", "4", "8", "16"] as const),
};

export type PatchesState = StateOf<typeof patchesSettings>;

export type ChangePatches = (part: Partial<PatchesState>) => void;
