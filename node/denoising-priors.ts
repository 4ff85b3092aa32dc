/** Densities of noisy patches that come with the package, one for each of some noise levels. */
import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { GaussianizeError, expected } from "../src/errors.js";
import { fileError } from "./file-errors.js";

export interface DenoisingPrior {
  /** Standard deviation of the noise in the patches that it was fitted to, in grey levels of 255. */
  readonly sigma: number;
  /** The model file. */
  readonly path: string;
}

/**
 * Models by their names of `fit --model`: "ica-mg", independent components, is there to compare with. "guided" are the densities of
 * a second look, which `readGuided` reads.
 */
const priorFamilies = ["gdn", "ica-mg", "guided"] as const;
export type PriorFamily = (typeof priorFamilies)[number];

/** Those of one family that come with the package, the least noise first. */
export async function denoisingPriors(
  family: PriorFamily = "gdn",
): Promise<readonly DenoisingPrior[]> {
  if (!priorFamilies.includes(family)) {
    throw expected("family", `be one of ${priorFamilies.join(", ")}`, family);
  }
  // gdn-25.safetensors, ica-mg-2.5.safetensors
  const priorName = new RegExp(`^${family}-(\\d+(?:\\.\\d+)?)\\.safetensors$`);
  const folder = priorFolder();
  const names = await readdir(folder).catch((error: unknown) => {
    throw fileError("read", folder, error);
  });
  const priors = names.flatMap((name) => {
    const sigma = Number(priorName.exec(name)?.[1]);
    return sigma > 0 ? [{ sigma, path: join(folder, name) }] : [];
  });
  return priors.sort((a, b) => a.sigma - b.sigma);
}

/** The one whose noise level is nearest to `sigma`, in grey levels of 255: 50 is as far from 25 as 12.5. */
export async function nearestPrior(
  sigma: number,
  family: PriorFamily = "gdn",
): Promise<DenoisingPrior> {
  if (!(sigma > 0 && sigma < Infinity)) throw expected("sigma", "be a positive number", sigma);
  const priors = await denoisingPriors(family);
  if (priors.length === 0) {
    throw new GaussianizeError(
      `Found no model file ${family}-<sigma>.safetensors in ${priorFolder()}.`,
    );
  }
  const distance = (prior: DenoisingPrior): number => Math.abs(Math.log(prior.sigma / sigma));
  return priors.reduce((best, prior) => (distance(prior) < distance(best) ? prior : best));
}

function priorFolder(): string {
  // The package refers to itself by name, which works from node/ and from dist/node/ alike.
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve("gaussianize/package.json")), "priors");
}
