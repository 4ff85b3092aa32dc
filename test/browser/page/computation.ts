/** Densities of layers and cascades, their gradients, inverses and samples. */
import type { TaskRunner } from "../../../src/parallel/job.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { affine } from "../../../src/transforms/affine.js";
import { cascade } from "../../../src/transforms/cascade.js";
import { gdn } from "../../../src/transforms/gdn.js";
import { pointwise } from "../../../src/transforms/pointwise.js";
import type { Transform } from "../../../src/transforms/transform.js";
import { gaussianize, score } from "../../../src/density/induced-density.js";
import { sample, synthesize } from "../../../src/density/synthesis.js";
import { negentropyGradient } from "../../../src/training/negentropy-gradient.js";
import { startingGdn } from "../../../src/transforms/gdn-start.js";
import type { Values } from "./digest.js";

/** Structures without tied parameters, one for each form of the kernels. */
type Untied = "general" | "column" | "marginal" | "low-rank";

const sizes: readonly { structure: Untied; n: number; count: number }[] = [
  { structure: "general", n: 5, count: 50 },
  { structure: "column", n: 33, count: 333 },
  { structure: "marginal", n: 17, count: 7 },
  { structure: "low-rank", n: 19, count: 61 },
];

export async function densities(runner: TaskRunner, seed: string): Promise<Values> {
  const found: Values = {};
  for (const { structure, n, count } of sizes) {
    const name = `${structure}, ${n} dimensions, batch of ${count}`;
    const random = createRandom(seed, structure, n, count);
    const layer = gdn(layerOf(structure, n, seed));
    const x = random.stream("samples").normalFill(new Float32Array(n * count));
    Object.assign(found, await valuesOf(runner, name, layer, x));
  }
  const x = createRandom(seed, "intensities").uniformFill(new Float32Array(6 * 100));
  const intensities = x.map((value) => 0.01 + 0.98 * value);
  const [curve, ...others] = stagesOfSix();
  Object.assign(found, await valuesOf(runner, "cascade", cascade([curve, ...others]), intensities));
  // Without the curve, whose ends the tails of the samples would reach.
  found["cascade: drawn"] = await sample(runner, cascade(others), 40, seed);
  return found;
}

async function valuesOf(
  runner: TaskRunner,
  name: string,
  transform: Transform,
  x: Float32Array,
): Promise<Values> {
  const found: Values = {};
  const fit = await negentropyGradient(runner, transform, x);
  fit.gradient.forEach((groups, stage) => {
    for (const [group, values] of Object.entries(groups)) {
      found[`${name}: gradient of ${group} in stage ${stage}`] = values;
    }
  });
  const scored = await score(runner, transform, x);
  const normal = await gaussianize(runner, transform, x);
  const back = await synthesize(runner, transform, normal.y);
  return {
    ...found,
    [`${name}: mean log p`]: [fit.meanLogProb, fit.failedSamples],
    [`${name}: score`]: scored.score,
    [`${name}: log p`]: scored.logProb,
    [`${name}: y`]: normal.y,
    [`${name}: log-determinant`]: normal.logDeterminant,
    [`${name}: x from y`]: back.x,
    [`${name}: iterations`]: back.iterations,
  };
}

/** Returns stages of other kinds, one with tied parameters. */
function stagesOfSix(): Transform[] {
  const dimension = 6;
  const shift = Float32Array.of(0.1, -0.2, 0.3, 0, -0.1, 0.2);
  return [
    pointwise({ dimension, lower: 0, upper: 1, rate: 1.5, asymmetry: 0.8, center: 0.2 }),
    affine({ dimension, scale: shift.map((value) => 1 + value), shift }),
    startingGdn({ structure: "subspace", dimension, partition: [0, 1, 0, 2, 1, 0] }),
  ];
}

export function randomNumbers(seed: string): Values {
  const random = createRandom(seed, "numbers");
  return {
    normals: random.normalFill(new Float64Array(10_000)),
    uniforms: random.uniformFill(new Float64Array(100)),
    permutation: random.permutation(100),
    state: JSON.stringify(random.state()),
  };
}

/** Returns asymmetric parameters within their bounds. */
function layerOf(structure: Untied, n: number, seed: string) {
  const random = createRandom(seed, "layer", structure, n);
  const fill = (length: number, from: number, to: number): Float32Array =>
    random.uniformFill(new Float32Array(length)).map((value) => from + (to - from) * value);
  const H = fill(n * n, -0.3, 0.3).map((value, k) => value / n + (k % (n + 1) === 0 ? 1 : 0));
  const rank = 5;
  const weights = { general: n * n, column: n * n, marginal: n, "low-rank": (2 * rank + 1) * n };
  return {
    structure,
    dimension: n,
    ...(structure === "low-rank" && { rank }),
    H,
    alpha: fill(structure === "general" ? n * n : n, 1, 2.5),
    beta: fill(n, 0.2, 1.2),
    gamma: fill(weights[structure], 0, 2 / n),
    epsilon: fill(n, 0.1, 0.39),
  };
}
