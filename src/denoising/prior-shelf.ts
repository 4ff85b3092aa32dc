/** Access to the priors for denoising: a folder in Node, files beside a page in browsers. */
import type { Model } from "../density/model-files/model.js";
import { GaussianizeError, expected } from "../errors.js";
import { portableLog } from "../numbers/logarithm.js";
import type { GuidedDensities } from "./guided/guided-density.js";

/** Families of priors: models of `fit --model`, and "guided" densities for further rounds. */
export const priorFamilies = ["gdn", "ica-mg", "guided"] as const;
export type PriorFamily = (typeof priorFamilies)[number];

export interface DenoisingPrior {
  /** Noise level of the patches that it was fitted to, in grey levels of 255. */
  readonly sigma: number;
  /** Path of the model file. */
  readonly path: string;
}

export interface PriorShelf {
  /** Lists the priors of one family, the least noise first. */
  readonly list: (family: PriorFamily) => Promise<readonly DenoisingPrior[]>;
  /** Reads a prior of "gdn" or "ica-mg"; called often, so it should be cached. */
  readonly model: (path: string) => Promise<Model>;
  /** Reads a prior of "guided". */
  readonly guided: (path: string) => Promise<GuidedDensities>;
}

/** Returns the files of one family by their names (gdn-25.safetensors), the least noise first. */
export function priorsAmong(
  paths: readonly string[],
  family: PriorFamily,
): readonly DenoisingPrior[] {
  if (!priorFamilies.includes(family)) {
    throw expected("family", `be one of ${priorFamilies.join(", ")}`, family);
  }
  const priorName = new RegExp(`(?:^|[/\\\\])${family}-(\\d+(?:\\.\\d+)?)\\.safetensors$`);
  const priors = paths.flatMap((path) => {
    const sigma = Number(priorName.exec(path)?.[1]);
    return sigma > 0 ? [{ sigma, path }] : [];
  });
  return priors.sort((a, b) => a.sigma - b.sigma);
}

/** Returns the prior with the nearest noise level, in ratio: 50 is as far from 25 as 12.5. */
export function nearestOf(priors: readonly DenoisingPrior[], sigma: number): DenoisingPrior {
  if (!(sigma > 0 && sigma < Infinity)) throw expected("sigma", "be a positive number", sigma);
  if (priors.length === 0) {
    throw new GaussianizeError("invalid-argument", "There are no priors to denoise with.");
  }
  const distance = (prior: DenoisingPrior): number => Math.abs(portableLog(prior.sigma / sigma));
  return priors.reduce((best, prior) => (distance(prior) < distance(best) ? prior : best));
}

/** Returns a shelf that caches each file that it could read. */
export function keptShelf(shelf: PriorShelf): PriorShelf {
  return { list: shelf.list, model: kept(shelf.model), guided: kept(shelf.guided) };
}

function kept<T>(read: (path: string) => Promise<T>): (path: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (path) => {
    const found = known.get(path);
    if (found) return found;
    const reading = read(path);
    known.set(path, reading);
    // The next attempt may succeed.
    reading.catch(() => known.delete(path));
    return reading;
  };
}
