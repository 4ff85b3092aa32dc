/** Results in Node, with which every engine is compared. */
import { openRunner } from "gaussianize/node";
import { packagePriors } from "../../node/denoising-priors.js";
import { seed as testSeed } from "../support/seed.js";
import type { Digests } from "./page/digest.js";
import { resultsOf } from "./page/results.js";

export const seed = String(testSeed);

export async function resultsInNode(): Promise<Digests> {
  const runner = await openRunner({ workers: 0 });
  return resultsOf(runner, packagePriors(), seed);
}

/** Returns each result that differs, with both values. */
export function differences(found: Digests, wanted: Digests): string[] {
  const names = new Set([...Object.keys(wanted), ...Object.keys(found)]);
  return [...names]
    .filter((name) => found[name] !== wanted[name])
    .map((name) => `${name}: ${found[name]}, but in Node ${wanted[name]}`);
}
