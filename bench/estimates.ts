/**
 * Gradient steps that avoid the inverse of a matrix for each sample, in samples per second of one
 * worker:
 *
 *   probes   gradients of a full γ from random signs, against exact ones
 *   rankOne  the closed form of RG, against elimination with the same weights
 *
 * The layer of 256 dimensions is the fitted one of the package, with patches of photographs: the
 * iterations of a start are shorter.
 */
import { fileURLToPath } from "node:url";
import { decodeImage } from "../node/decode-image.js";
import { embeddedPhotographs } from "../node/embedded-photographs.js";
import { readPatchModel } from "../node/model-files.js";
import { openRunner } from "../node/worker-threads.js";
import { gaussianize } from "../src/density/induced-density.js";
import type { TaskRunner } from "../src/parallel/job.js";
import { randomPatches } from "../src/patches/image-patches.js";
import { createRandom } from "../src/random/random-stream.js";
import { uncheckedNegentropyGradient } from "../src/training/negentropy-gradient.js";
import { cascade, stagesOf } from "../src/transforms/cascade.js";
import { startingGdn } from "../src/transforms/gdn-start.js";
import { pooledWeights, spreadOverEntries } from "../src/transforms/gdn-structures.js";
import { type Gdn, gdn } from "../src/transforms/gdn.js";
import { batchFor, layerFor } from "./problem.js";
import { type Step, bestRates } from "./step-rate.js";
import { table, whole } from "./table.js";

export interface EstimateFigures {
  readonly probes: {
    readonly exact: { readonly n256: number };
    readonly estimated: { readonly n256: number; readonly n1024: number };
    /** Estimated / exact samples per second. */
    readonly stepRatio: { readonly n256: number };
    /** Cost of a sample at N = 1024, relative to N = 256, both at the start of a fit. */
    readonly costOf1024: number;
    /** Products with γ per sample, and the residual they leave. */
    readonly products: number;
    readonly residual: number;
  };
  readonly rankOne: {
    readonly eliminated: { readonly n256: number };
    readonly closed: { readonly n256: number };
    readonly stepRatio: { readonly n256: number };
  };
}

const batch = 256;
/** Seen from dist/bench. */
const modelPath = fileURLToPath(new URL("../../models/kodak16-gdn.safetensors", import.meta.url));

export async function measureEstimates(turns: number): Promise<EstimateFigures> {
  const runner = await openRunner({ workers: 1, callerWorks: true });
  try {
    const { layer, x } = await fittedCase(runner);
    const [radial, eliminated] = radialTwins();
    const probes = { probes: { seed: 1 } };
    const normal = batchFor({ dimension: 256, batch });
    const rates = await bestRates(runner, turns, {
      exact: { layer, x },
      estimated: { layer, x, options: probes },
      start: { ...startCase(256), options: probes },
      large: { ...startCase(1024), options: probes },
      closed: { layer: radial, x: normal },
      eliminated: { layer: eliminated, x: normal },
    });
    const { estimate } = await uncheckedNegentropyGradient(runner, layer, x, probes);
    if (!estimate) throw new Error("the gradient was not estimated");
    return {
      probes: {
        exact: { n256: rates.exact },
        estimated: { n256: rates.estimated, n1024: rates.large },
        stepRatio: { n256: rates.estimated / rates.exact },
        costOf1024: rates.start / rates.large,
        ...estimate,
      },
      rankOne: {
        eliminated: { n256: rates.eliminated },
        closed: { n256: rates.closed },
        stepRatio: { n256: rates.closed / rates.eliminated },
      },
    };
  } finally {
    await runner.close();
  }
}

/** The fitted layer of the package, and patches as it receives them. */
async function fittedCase(runner: TaskRunner): Promise<Step> {
  const { transform } = await readPatchModel(modelPath);
  const stages = stagesOf(transform);
  const images = await Promise.all(
    embeddedPhotographs().map(({ path }) => decodeImage(path, "linear")),
  );
  const patches = randomPatches(createRandom(1, "bench-estimates"), images, 16, batch);
  const { y } = await gaussianize(runner, cascade(stages.slice(0, -1)), patches);
  return { layer: stages.at(-1) as Gdn, x: y as Float32Array };
}

function startCase(dimension: number): Step {
  const { H } = layerFor({ structure: "column", dimension });
  const layer = startingGdn({ structure: "column", dimension, H });
  return { layer, x: batchFor({ dimension, batch }) };
}

/** A radial layer, and the same with a full γ. */
function radialTwins(): readonly [Gdn, Gdn] {
  const { H } = layerFor({ structure: "column", dimension: 256 });
  const radial = startingGdn({ structure: "radial", dimension: 256, H });
  const { alpha, beta, epsilon } = spreadOverEntries(radial);
  const gamma = Float32Array.from(pooledWeights(radial));
  return [radial, gdn({ structure: "column", dimension: 256, H, alpha, beta, gamma, epsilon })];
}

export function estimatesTable({ probes, rankOne }: EstimateFigures): string {
  const times = (ratio: number): string => `${ratio.toFixed(1)}×`;
  return table("gradient step, batch 256, samples/s, 1 worker | inverses | without | faster", [
    [
      `full γ, N = 256, fitted (${probes.products.toFixed(1)} products per sample)`,
      whole(probes.exact.n256),
      whole(probes.estimated.n256),
      times(probes.stepRatio.n256),
    ],
    [
      `full γ, N = 1024, start (a sample costs ${probes.costOf1024.toFixed(1)} times that of N = 256)`,
      "–",
      whole(probes.estimated.n1024),
      "–",
    ],
    [
      "RG, N = 256",
      whole(rankOne.eliminated.n256),
      whole(rankOne.closed.n256),
      times(rankOne.stepRatio.n256),
    ],
  ]);
}
