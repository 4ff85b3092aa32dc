import { beforeAll, describe, expect, test } from "vitest";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import { createRandom } from "../../src/random/random-stream.js";
import { denoisingObjective } from "../../src/training/denoising-objective.js";
import { fitTransform } from "../../src/training/fit-transform.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { type Gdn, gdn } from "../../src/transforms/gdn.js";
import { mapParameters, parametersOf } from "../../src/transforms/parameters.js";
import { expectError } from "../support/expect-error.js";
import { seed } from "../support/seed.js";

const patch = 2;
const crop = 5;
const sigma = 0.4;
const n = patch * patch;
let runner: InlineRunner;
beforeAll(async () => {
  runner = new InlineRunner((await loadKernels()).kernels);
});

/** Crops of steps at random places and heights, then the same with noise. */
function batchOf(crops: number, step = 0): Float32Array {
  const random = createRandom(seed, "crops", step);
  const clean = new Float32Array(crops * crop * crop);
  for (let c = 0; c < crops; c++) {
    const [edge, height] = [random.integer(crop), 2 * random.normal()];
    for (let k = 0; k < crop * crop; k++) clean[c * crop * crop + k] = k % crop < edge ? height : 0;
  }
  const noise = random.normalFill(new Float32Array(clean.length));
  return Float32Array.of(...clean, ...clean.map((value, k) => value + sigma * noise[k]));
}

/** With a full γ, or one of rank 2. */
function layer(rank = 0): Gdn {
  const random = createRandom(seed, "layer");
  const some = (length: number, from: number, to: number) =>
    Float32Array.from({ length }, () => from + (to - from) * random.uniform());
  const H = some(n * n, -0.3, 0.3);
  for (let i = 0; i < n; i++) H[i * (n + 1)] += 1;
  const weights = rank > 0 ? (2 * rank + 1) * n : n * n;
  return gdn({
    ...(rank > 0 ? { structure: "low-rank", rank } : { structure: "column" }),
    dimension: n,
    H,
    alpha: some(n, 1.2, 1.8),
    beta: some(n, 0.8, 1.2),
    gamma: some(weights, 0.05, 0.3),
    epsilon: some(n, 0.3, 0.5),
  });
}

describe.each([1, 2, 3])("the denoising objective, a patch every %i pixels", (stride) => {
  const objective = denoisingObjective({ patch, crop, stride, sigma });

  test("has the error of the averaged estimates as its value", async () => {
    const [batch, transform] = [batchOf(3), layer()];
    const { value, failedSamples } = await objective(runner, transform, batch);
    expect(failedSamples).toBe(0);
    // Noise alone would leave σ²; this layer was not fitted.
    expect(-value).toBeGreaterThan(0);
    expect(-value).toBeLessThan(4 * sigma ** 2);
  });

  test.each([0, 2])(
    "has its gradient, up to the reach of its differences (rank %i)",
    async (rank) => {
      const [batch, transform] = [batchOf(40), layer(rank)];
      const { gradient } = await objective(runner, transform, batch);
      const names = Object.keys(parametersOf(transform)[0]);
      for (const name of names) {
        // Along the gradient of one group the error must change by the square of its length.
        const slopes = gradient[0][name];
        const length = Math.hypot(...slopes);
        const step = 0.02 / length;
        const lossAt = async (sign: number): Promise<number> => {
          const moved = mapParameters(transform, (values, group) =>
            group === name
              ? values.map((value, k) => value + sign * step * slopes[k])
              : values.slice(),
          );
          return -(await objective(runner, moved, batch)).value;
        };
        const change = ((await lossAt(1)) - (await lossAt(-1))) / (2 * step);
        expect(change / length ** 2, name).toBeGreaterThan(0.95);
        expect(change / length ** 2, name).toBeLessThan(1.05);
      }
    },
  );
});

describe("a fit for denoising", () => {
  test("reduces the error", async () => {
    const objective = denoisingObjective({ patch, crop, stride: 1, sigma });
    const start = startingGdn({
      structure: "column",
      dimension: n,
      H: Float32Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0)),
    });
    const test = batchOf(400, 1_000_000);
    const before = -(await objective(runner, start, test)).value;
    const { transform } = await fitTransform(runner, start, {
      steps: 200,
      learningRate: 0.02,
      objective,
      batchAt: (step) => batchOf(30, step),
    });
    const after = -(await objective(runner, transform, test)).value;
    expect(after).toBeLessThan(0.8 * before);
  });

  test("rejects a batch that does not hold pairs of crops", async () => {
    const objective = denoisingObjective({ patch, crop, stride: 1, sigma });
    await expectError(objective(runner, layer(), new Float32Array(30)), {
      code: "invalid-argument",
      argument: "the batch",
    });
  });
});
