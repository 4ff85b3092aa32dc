/** The state of the panel, as the address holds it. */
import { type StateOf, choiceSetting, numberSetting, seedSetting } from "../../address.js";
import { type LabPhotograph, labPhotographs } from "../../photographs.js";

export const denoiseSettings = {
  photo: choiceSetting<LabPhotograph["name"]>(
    "nagasaki-boats",
    labPhotographs.map(({ name }) => name),
  ),
  part: choiceSetting("256", ["128", "256", "512", "whole"] as const),
  noise: choiceSetting("add", ["add", "there"] as const),
  added: numberSetting(25, { least: 0, most: 100 }),
  seed: seedSetting,
  /** Source of the σ used for denoising. */
  sigma: choiceSetting("known", ["known", "estimated", "given"] as const),
  given: numberSetting(25, { least: 0.1, most: 255 }),
  method: choiceSetting("gdn", ["gdn", "gsm", "marginal"] as const),
  rounds: choiceSetting("3", ["1", "3"] as const),
};

export type DenoiseState = StateOf<typeof denoiseSettings>;

/** A method with its number of rounds. Each has its own result. */
export type Way = "gdn-3" | "gdn-1" | "gsm" | "marginal";

export const wayNames: Readonly<Record<Way, string>> = {
  "gdn-3": "GDN, three rounds",
  "gdn-1": "GDN, one round",
  gsm: "GSM",
  marginal: "Marginal",
};

export function wayOf({ method, rounds }: DenoiseState): Way {
  return method === "gdn" ? `gdn-${rounds}` : method;
}

/** Returns the σ used for denoising, in grey levels; null if the method estimates it. */
export function sigmaOf({ noise, added, sigma, given }: DenoiseState): number | null {
  if (sigma === "given") return given;
  return sigma === "known" && noise === "add" ? added : null;
}
