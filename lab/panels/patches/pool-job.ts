/** Job: finds the filters that normalise one filter, by their shares of its divisor. */
import type { FilterShape } from "../../../src/evaluation/filter-shapes.js";
import { strongestPools } from "../../../src/evaluation/pooling-falloff.js";
import {
  type GdnStructure,
  pooledWeights,
  spreadOverEntries,
} from "../../../src/transforms/gdn-structures.js";
import { type FilterMosaic, filterMosaic } from "../../compute/filter-mosaic.js";
import type { Job } from "../../compute/job.js";
import { LastOnes } from "../../compute/last-ones.js";
import type { NamedFile } from "../../named-file.js";
import { openFilters } from "./filters-job.js";
import { type ModelSource, keyOfModel } from "./model-source.js";

export interface PoolMember {
  /** Row of H. */
  readonly filter: number;
  readonly shape: FilterShape;
  readonly gamma: number;
  readonly alpha: number;
  /** Share of the mean pool, including β: from 0 to 1. */
  readonly share: number;
}

export interface FilterPool {
  readonly filter: number;
  /** Over which the shares of the picture are averaged. */
  readonly averagedOver: "patches" | "locations";
  readonly structure: GdnStructure;
  readonly beta: number;
  readonly epsilon: number;
  /** The filter itself. */
  readonly own: PoolMember;
  /** Share of β, and of all other filters together. */
  readonly betaShare: number;
  readonly othersShare: number;
  /** Other filters with the largest shares, in decreasing order. */
  readonly members: readonly PoolMember[];
  /** The filter alone. */
  readonly picture: FilterMosaic;
  /** The members in their order. */
  readonly neighbours: FilterMosaic | null;
}

const strongest = 12;
const columns = 6;
/** N×N values each. */
const pools = new LastOnes<{ readonly gamma: Float64Array; readonly means: Float64Array }>(2);

/** Returns null if the filters do not belong to a GDN. */
export const viewPool: Job<
  {
    readonly model: ModelSource;
    readonly picture: NamedFile;
    readonly filter: number;
    readonly hasRoots: boolean;
  },
  FilterPool | null
> = async ({ model: source, picture, filter, hasRoots }, { runner, signal }) => {
  const { onPixels, patches, shapes, layer, contributions } = await openFilters(source);
  if (!layer) return null;
  const entries = spreadOverEntries(layer);
  const n = entries.dimension;
  const i = Math.min(filter, n - 1);
  const key = `${keyOfModel(source)} ${picture.key}`;
  const { gamma, means } = await pools.get(key, async () => ({
    gamma: pooledWeights(layer),
    means: await contributions(runner, picture),
  }));
  signal.throwIfAborted();
  const row = means.subarray(i * n, (i + 1) * n);
  const beta = entries.beta[i];
  const total = row.reduce((sum, value) => sum + value, beta);
  const member = (j: number): PoolMember => ({
    filter: j,
    shape: shapes[j],
    gamma: gamma[i * n + j],
    alpha: entries.alpha[entries.form === "general" ? i * n + j : j],
    share: total > 0 ? row[j] / total : 0,
  });
  const found = strongestPools(means, n, i, strongest);
  const own = member(i);
  const betaShare = total > 0 ? beta / total : 0;
  return {
    filter: i,
    averagedOver: patches ? "patches" : "locations",
    structure: layer.structure,
    beta,
    epsilon: entries.epsilon[i],
    own,
    betaShare,
    othersShare: Math.max(0, 1 - betaShare - own.share),
    members: found.map(member),
    picture: filterMosaic(onPixels, [i], { hasRoots }),
    neighbours: found.length > 0 ? filterMosaic(onPixels, found, { columns, hasRoots }) : null,
  };
};
