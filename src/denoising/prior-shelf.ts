/** Where densities to denoise with come from: a folder in Node, files beside a page in browsers. */
import type { Model } from "../density/model-files/model.js";
import { GaussianizeError, expected } from "../errors.js";
import { portableLog } from "../numbers/logarithm.js";
import type { GuidedDensities } from "./guided/guided-density.js";

/**
 * Models by their names of `fit --model`: "ica-mg", independent components, is there to compare
 * with. "guided" are the densities of a second look.
 */
export const priorFamilies = ["gdn", "ica-mg", "guided"] as const;
export type PriorFamily = (typeof priorFamilies)[number];

export interface DenoisingPrior {
  /**
   * Standard deviation of the noise in the patches that it was fitted to, in grey levels of 255.
   */
  readonly sigma: number;
  /** The model file. */
  readonly path: string;
}

export interface PriorShelf {
  /** Those of one family, the least noise first. */
  readonly list: (family: PriorFamily) => Promise<readonly DenoisingPrior[]>;
  /** One of "gdn" or "ica-mg"; asked for often, so that it should be kept. */
  readonly model: (path: string) => Promise<Model>;
  /** One of "guided". */
  readonly guided: (path: string) => Promise<GuidedDensities>;
}

/**
 * gdn-25.safetensors, ica-mg-2.5.safetensors: of the paths of files, those of one family, the least
 * noise first.
 */
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

/**
 * The one whose noise level is nearest to `sigma`, in grey levels of 255: 50 is as far from 25 as
 * 12.5.
 */
export function nearestOf(priors: readonly DenoisingPrior[], sigma: number): DenoisingPrior {
  if (!(sigma > 0 && sigma < Infinity)) throw expected("sigma", "be a positive number", sigma);
  if (priors.length === 0)
    throw new GaussianizeError("invalid-argument", "There are no densities to denoise with.");
  const distance = (prior: DenoisingPrior): number => Math.abs(portableLog(prior.sigma / sigma));
  return priors.reduce((best, prior) => (distance(prior) < distance(best) ? prior : best));
}

/** A shelf that reads each file once, as long as it can be read. */
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
    // Another attempt may succeed.
    reading.catch(() => known.delete(path));
    return reading;
  };
}
