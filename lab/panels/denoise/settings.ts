/** The state of the panel that stands in the address. */
import { type StateOf, choiceSetting, numberSetting } from "../../address.js";
import { type LabPhotograph, labPhotographs } from "../../photographs.js";

export const parts = ["128", "256", "512", "whole"] as const;
export const tellings = ["known", "estimated", "given"] as const;
export const tabs = ["gdn", "gsm", "marginal"] as const;

export const denoiseSettings = {
  photo: choiceSetting<LabPhotograph["name"]>(
    "nagasaki-boats",
    labPhotographs.map(({ name }) => name),
  ),
  part: choiceSetting("256", parts),
  noise: choiceSetting("add", ["add", "there"] as const),
  added: numberSetting(25, { least: 0, most: 100 }),
  seed: numberSetting(1, { least: 0, most: 2 ** 31 - 1, isWhole: true }),
  /** Source of the σ that the methods are told. */
  sigma: choiceSetting("known", tellings),
  given: numberSetting(25, { least: 0.1, most: 255 }),
  method: choiceSetting("gdn", tabs),
  rounds: choiceSetting("3", ["1", "3"] as const),
};

export type DenoiseState = StateOf<typeof denoiseSettings>;

/** The way of denoising that is chosen, as the results are kept by. */
export type Way = "gdn-3" | "gdn-1" | "gsm" | "marginal";

export const wayNames: Readonly<Record<Way, string>> = {
  "gdn-3": "GDN, three rounds",
  "gdn-1": "GDN, one look",
  gsm: "GSM",
  marginal: "Marginal",
};

export function wayOf({ method, rounds }: DenoiseState): Way {
  return method === "gdn" ? `gdn-${rounds}` : method;
}

/** Returns the σ that the methods are told, in grey levels; null: they estimate it. */
export function sigmaOf({ noise, added, sigma, given }: DenoiseState): number | null {
  if (sigma === "given") return given;
  return sigma === "known" && noise === "add" ? added : null;
}
