/**
 * (g) Pairs of coefficients (§4.1), in this thread: a fit, its gradients, both estimates of mutual
 * information, and the bands of the pairs. Times are in seconds, since no other program does the
 * same.
 */
import { histogramInformation } from "../src/evaluation/mutual-information/histogram-information.js";
import { nearestNeighbourInformation } from "../src/evaluation/mutual-information/nearest-neighbour-information.js";
import type { KernelName } from "../src/kernels/kernels.js";
import { loadKernels } from "../src/kernels/load-kernels.js";
import { InlineRunner } from "../src/parallel/inline-runner.js";
import { createRandom } from "../src/random/random-stream.js";
import { fitSamples } from "../src/training/fit-samples.js";
import { steerableBands } from "../src/wavelets/steerable-pyramid.js";
import { uncheckedNegentropyGradient } from "../src/training/negentropy-gradient.js";
import { type RoundOptions, bestRate } from "./measure.js";
import { batchFor, layerFor } from "./problem.js";

export interface PairOptions {
  readonly kernels: KernelName;
  /** Default 100,000. */
  readonly pairs?: number;
  /** Size of the picture, default 1532×1020: van Hateren's without their edges. */
  readonly width?: number;
  readonly height?: number;
  /** Steps of the fit; by default those of `fitSamples`. */
  readonly steps?: number;
  /** Number of alternating repetitions, of which the best counts. */
  readonly turns: number;
  readonly rounds?: RoundOptions;
}

export interface PairFigures {
  readonly pairs: number;
  readonly width: number;
  readonly height: number;
  readonly seconds: {
    /** `fitSamples` with its default options, all α_ij. */
    readonly fit: number;
    readonly nearestNeighbourInformation: number;
    readonly histogramInformation: number;
    /** The four orientations of the finest scale. */
    readonly steerableBands: number;
  };
  /** In batches of 1024, as in a fit. */
  readonly gradientSamplesPerSecond: number;
}

export async function measurePairs(options: PairOptions): Promise<PairFigures> {
  const { pairs = 100_000, width = 1532, height = 1020, steps, turns, rounds } = options;
  const { kernels } = await loadKernels({ kernels: options.kernels });
  const runner = new InlineRunner(kernels);
  const x = heavyTailedPairs(pairs);
  const random = createRandom(1, "bench-pairs", "picture");
  const image = { width, height, pixels: random.uniformFill(new Float32Array(width * height)) };
  const works = {
    fit: () => fitSamples(runner, x, { dimension: 2, ...(steps !== undefined && { steps }) }),
    nearestNeighbourInformation: () => nearestNeighbourInformation(x),
    histogramInformation: () => histogramInformation(x),
    steerableBands: () => steerableBands(image),
  };
  const problem = { structure: "general", dimension: 2, batch: 1024 } as const;
  const [layer, batch] = [layerFor(problem), batchFor(problem)];
  const rate = await bestRate(async () => {
    await uncheckedNegentropyGradient(runner, layer, batch);
  }, rounds);
  return {
    pairs,
    width,
    height,
    seconds: await bestSeconds(works, turns),
    gradientSamplesPerSecond: rate * problem.batch,
  };
}

/** Best time of each function, in turns. */
async function bestSeconds<Name extends string>(
  works: Record<Name, () => unknown>,
  turns: number,
): Promise<Record<Name, number>> {
  const names = Object.keys(works) as Name[];
  const best = Object.fromEntries(names.map((name) => [name, Infinity])) as Record<Name, number>;
  for (let turn = 0; turn < turns; turn++) {
    for (const name of names) {
      const start = performance.now();
      await works[name]();
      best[name] = Math.min(best[name], (performance.now() - start) / 1000);
    }
  }
  return best;
}

/** Correlated pairs with a common scale, like neighbouring coefficients. */
function heavyTailedPairs(count: number): Float32Array {
  const random = createRandom(1, "bench-pairs", "samples");
  const x = new Float32Array(2 * count);
  for (let k = 0; k < x.length; k += 2) {
    const scale = Math.exp(0.7 * random.normal());
    const first = random.normal();
    x[k] = scale * first;
    x[k + 1] = scale * (0.6 * first + 0.8 * random.normal());
  }
  return x;
}
