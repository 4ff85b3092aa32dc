/** Learning rates of parameter groups. */
import { expected } from "../errors.js";
import { isCouplingGroup } from "../transforms/coupling.js";
import { isLinearGroup } from "./whitened-coordinates.js";

/**
 * Rates relative to that of H and of the weights of convolutions. Groups not named here have ⅒ in
 * couplings and ½ elsewhere.
 */
export type GroupRates = Readonly<Record<string, number>>;

/** Rates for a full γ of large patches, found by trial (docs/decisions.md). */
export const ratesOfLargePools: GroupRates = { alpha: 1 / 4, beta: 4, gamma: 1 / 4 };

/** Checks the rates of a transform whose parameter groups have these names. */
export function checkGroupRates(rates: GroupRates, names: readonly string[]): void {
  const known = [...new Set(names)].filter((name) => !isLinearGroup(name));
  for (const [name, rate] of Object.entries(rates)) {
    if (!known.includes(name)) {
      throw expected("a name in groupRates", `be one of ${known.join(", ")}`, name);
    }
    if (rate > 0 && rate < Infinity) continue;
    throw expected(`groupRates.${name}`, "be a positive number", rate);
  }
}

/** Returns the rate of a group, relative to that of H. */
export function relativeRate(rates: GroupRates, name: string): number {
  if (isLinearGroup(name)) return 1;
  const usual = isCouplingGroup(name) ? 1 / 10 : 1 / 2;
  return rates[name] ?? usual;
}
