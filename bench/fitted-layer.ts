/** A fitted layer of N = 256 and images of held-out patches under it, for what depends on the parameters of real fits. */
import { readFileSync } from "node:fs";
import {
  type GreyImage,
  createRandom,
  deadLeaves,
  fitTransform,
  randomPatches,
  startingGdn,
  zcaWhitening,
} from "../src/index.js";
import type { GdnParameters } from "../src/kernels/kernels.js";
import { openRunner } from "../node/index.js";

export interface FittedLayer {
  readonly parameters: GdnParameters;
  /** Samples to pass through it, count×N. */
  readonly x: Float32Array;
}

const patchSize = 16;
const dimension = patchSize * patchSize;
const batchSize = 128;
const testPatches = 64;
/** As in `gaussianize demo`: flat areas have no density without noise. */
const noiseLevel = 0.05;

/** Half a minute on two cores with the default number of steps. */
export async function fitLayer(steps = 400): Promise<FittedLayer> {
  const random = createRandom(1, "bench-fitted");
  const scenes = (purpose: string, count: number): GreyImage[] =>
    Array.from({ length: count }, (_, k) =>
      deadLeaves(random.stream(purpose, k), { width: 201, height: 201, smallestRadius: 3 }),
    );
  const [training, held] = [scenes("training", 24), scenes("test", 4)];
  const patches = (images: readonly GreyImage[], purpose: string, k: number, count: number) => {
    const stream = random.stream(purpose, k);
    const values = randomPatches(stream, images, patchSize, count);
    return values.map((v) => (v - 0.5) * Math.sqrt(12) + noiseLevel * stream.normal());
  };
  const H = zcaWhitening(patches(training, "whitening", 0, 20_000), dimension);
  const runner = await openRunner({ workers: 2, callerWorks: true });
  const { transform } = await fitTransform(
    runner,
    startingGdn({ structure: "column", dimension, H }),
    { steps, batchAt: (step) => patches(training, "batch", step, batchSize) },
  );
  await runner.close();
  const { alpha, beta, gamma, epsilon } = transform;
  return {
    parameters: { form: "column", dimension, H: transform.H, alpha, beta, gamma, epsilon },
    x: patches(held, "evaluation", 0, testPatches),
  };
}

/** {form, dimension, H, alpha, beta, gamma, epsilon, x} in JSON, every array flat. */
export function readLayer(file: string): FittedLayer {
  const {
    form,
    dimension: n,
    x,
    ...groups
  } = JSON.parse(readFileSync(file, "utf8")) as {
    form: GdnParameters["form"];
    dimension: number;
    x: number[];
  } & Record<"H" | "alpha" | "beta" | "gamma" | "epsilon", number[]>;
  const { H, alpha, beta, gamma, epsilon } = groups;
  return {
    parameters: {
      form,
      dimension: n,
      H: Float32Array.from(H),
      alpha: Float32Array.from(alpha),
      beta: Float32Array.from(beta),
      gamma: Float32Array.from(gamma),
      epsilon: Float32Array.from(epsilon),
    },
    x: Float32Array.from(x.slice(0, testPatches * n)),
  };
}
