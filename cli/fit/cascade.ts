/** What is special about fits of image cascades (`fit --cascade`): their terms, and which options are not for them. */
import {
  type CascadeGeometry,
  type CascadePreset,
  UsageError,
  cascadeGeometry,
  cropSideOf,
  defaultGreedy,
  imageFitDefaults,
  locationsOfStep,
} from "../../src/index.js";
import type { FitTerms } from "../../src/runs/fit-terms.js";
import type { FitCommandOptions } from "./config.js";

/** Of the preset, with as many stages as were asked for. */
export function geometryOf({
  cascade,
  stages = 2,
}: {
  readonly cascade?: CascadePreset;
  readonly stages?: number;
}): CascadeGeometry {
  return cascadeGeometry(cascade, { stages: stages as 1 | 2 });
}

/** In pixels: images must have room for one of these. */
export function leastSideOf(terms: FitTerms): number {
  return terms.cascade === undefined ? terms.patch : cropSideOf(geometryOf(terms));
}

/** The terms that a cascade has instead of those of patches. */
export function cascadeTerms(options: FitCommandOptions) {
  const { cascade, stages } = options;
  if (cascade === undefined) return {};
  const geometry = geometryOf(options);
  const defaults = imageFitDefaults(geometry);
  return {
    cascade,
    stages,
    ...(stages > 1 && { greedy: options.greedy ?? defaultGreedy }),
    ...(options.second === "marginal" && { secondNormalization: options.second }),
    patch: geometry.stride,
    steps: options.steps ?? defaults.steps,
    batch: locationsOfStep(geometry, options.batch ?? defaults.batch),
    learningRate: options.rate ?? defaults.learningRate,
  };
}

const ofPatches: Readonly<Record<string, string>> = {
  model: "model",
  layers: "layers",
  patch: "patch",
  protocol: "protocol",
  removeMean: "remove-mean",
  subspace: "subspace",
  poolRank: "pool-rank",
};

const mostGreedyOfLayers = 0.9;

/** Of a cascade, whose options of patches were refused already. */
function requireEffect(given: ReadonlySet<string>, options: FitCommandOptions): void {
  const { stages, greedy } = options;
  if (given.has("certified")) {
    throw new UsageError("--certified is for fits to patches: a --cascade always keeps q below 1.");
  }
  const ofTwo = ["greedy", "second"].find((name) => given.has(name));
  if (stages === 1 && ofTwo !== undefined) {
    throw new UsageError(`--${ofTwo} is for a cascade of 2 --stages; received --stages 1.`);
  }
  if (greedy === 1 && given.has("patience")) {
    throw new UsageError(
      "--patience counts where all stages move together, which they never do with --greedy 1: give one of them.",
    );
  }
}

/** Options of patches with a cascade, and the other way round. */
export function requireForCascade(given: ReadonlySet<string>, options: FitCommandOptions): void {
  const { cascade, greedy = 0, layers } = options;
  if (cascade === undefined) {
    const alone = ["stages", "second"].find((name) => given.has(name));
    if (alone !== undefined) throw new UsageError(`--${alone} is for --cascade.`);
    if (given.has("greedy") && layers === 1) {
      throw new UsageError(
        "--greedy is for several --layers, or for --cascade; received --layers 1.",
      );
    }
    if (greedy <= mostGreedyOfLayers) return;
    throw new UsageError(
      `--greedy must be a number from 0 to ${mostGreedyOfLayers} with --layers; received ${greedy}.`,
    );
  }
  const other = Object.keys(ofPatches).find((name) => given.has(name));
  if (other !== undefined) {
    throw new UsageError(
      `--${ofPatches[other]} is for fits to patches; --cascade ${cascade} is of whole images.`,
    );
  }
  requireEffect(given, options);
}
