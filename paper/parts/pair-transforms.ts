/** The transforms of pairs of coefficients in §4.1: none, linear, and those of the densities. */
import { gaussianize } from "../../src/density/induced-density.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import { fitSamples } from "../../src/training/fit-samples.js";
import type { ModelName } from "../../src/transforms/model-names.js";
import { applyRadialMap, fitRadialMap } from "../../src/transforms/radial-map.js";
import { fitRotationIca } from "../../src/transforms/rotation-ica.js";
import type { Cascade } from "../../src/transforms/transform.js";
import type { PaperContext } from "../experiment.js";

export const pairTransforms = ["raw", "ICA", "ICA-MG", "RG", "RG, non-parametric", "GDN"] as const;
export type PairTransform = (typeof pairTransforms)[number];

/** The transforms of densities, fitted by likelihood. */
export type PairModel = Extract<PairTransform, "ICA-MG" | "RG" | "GDN">;

const models: Readonly<Record<PairModel, Exclude<ModelName, "isa">>> = {
  "ICA-MG": "ica-mg",
  RG: "rg",
  GDN: "gdn-general",
};

/** Steps of a fit: after the usual 600, the likelihood still rises by 0.001 nats or two. */
const stepsOf = { full: 1500, quick: 300 };

export function fitPairModel(
  { runner, seed, signal, quick, steps }: PaperContext,
  model: PairModel,
  pairs: Float32Array,
): Promise<Cascade> {
  // In this thread: a step takes less time than a message to a worker.
  return fitSamples(new InlineRunner(runner.kernels), pairs, {
    dimension: 2,
    model: models[model],
    steps: steps ?? (quick ? stepsOf.quick : stepsOf.full),
    learningRate: quick ? 0.1 : 0.05,
    seed,
    signal,
  });
}

/** Returns y of each pair. */
export async function transformedPairs(
  context: PaperContext,
  transform: PairTransform,
  pairs: Float32Array,
): Promise<FloatArray> {
  const { signal } = context;
  const inline = new InlineRunner(context.runner.kernels);
  switch (transform) {
    case "raw":
      return pairs;
    case "RG, non-parametric":
      return applyRadialMap(fitRadialMap(pairs, 2), pairs);
    case "ICA":
      return (await gaussianize(inline, fitRotationIca(pairs), pairs, { signal })).y;
    case "ICA-MG":
    case "RG":
    case "GDN": {
      const fitted = await fitPairModel(context, transform, pairs);
      return (await gaussianize(inline, fitted, pairs, { signal })).y;
    }
  }
}
