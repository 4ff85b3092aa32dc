import { beforeAll, describe, expect, test } from "vitest";
import { gaussianize } from "../../src/density/induced-density.js";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import { createRandom } from "../../src/random/random-stream.js";
import { fitTransform } from "../../src/training/fit-transform.js";
import { gdn } from "../../src/transforms/gdn.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { linear } from "../../src/transforms/linear.js";
import { affine } from "../../src/transforms/affine.js";
import { expectError, refusal } from "../support/expect-error.js";
import { seed } from "../support/seed.js";

const n = 3;
let runner: InlineRunner;
beforeAll(async () => {
  // Float64, so that the two ways can be compared closely.
  runner = new InlineRunner((await loadKernels({ kernels: "reference" })).kernels);
});

const W = Float64Array.of(2, 0.5, -0.3, 0.1, 20, 3, -0.2, 0.4, 0.7);
const identity = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
const samples = (step: number): Float64Array =>
  createRandom(seed, "samples", step).normalFill(new Float64Array(40 * n));

function float64(H: Float64Array) {
  const { alpha, beta, gamma, epsilon, ...rest } = startingGdn({
    structure: "column",
    dimension: n,
    H,
  });
  const [a, b, g, e] = [alpha, beta, gamma, epsilon].map((group) => Float64Array.from(group));
  return gdn({ ...rest, H, alpha: a, beta: b, gamma: g, epsilon: e });
}

describe("a fit with a whitening", () => {
  test("takes the same steps as a fit to the whitened samples: H = K W throughout", async () => {
    const options = { steps: 25, learningRate: 0.05 };
    const whitenedSamples = async (step: number) =>
      (await gaussianize(runner, linear({ dimension: n, H: W }), samples(step))).y;
    const inside = await fitTransform(runner, float64(identity), {
      ...options,
      batchAt: whitenedSamples,
    });
    const outside = await fitTransform(runner, float64(W), {
      ...options,
      batchAt: samples,
      whitening: W,
    });
    const K = inside.transform.H!;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        let product = 0;
        for (let k = 0; k < n; k++) product += K[i * n + k] * W[k * n + j];
        expect(outside.transform.H![i * n + j]).toBeCloseTo(product, 8);
      }
    }
    outside.transform.gamma.forEach((value, k) => {
      expect(value).toBeCloseTo(inside.transform.gamma[k], 8);
    });
  });

  test("requires an H, and a matrix of its size", async () => {
    const options = { steps: 2, batchAt: samples };
    const none = affine({ dimension: n, scale: [1, 1, 1], shift: [0, 0, 0] });
    await expectError(fitTransform(runner, none, { ...options, whitening: W }), {
      code: "invalid-argument",
      argument: "whitening",
    });
    const short = fitTransform(runner, float64(W), { ...options, whitening: W.subarray(3) });
    await expect(short).rejects.toThrow(refusal("whitening", "hold 9 values (3×3)", 6));
  });
});
