import { describe, expect, test } from "vitest";
import {
  backpropagate,
  gaussianize,
  logProb as logProbability,
  logProbOf,
  score,
} from "../../src/density/induced-density.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { createRandom } from "../../src/random/random-stream.js";
import { negentropyGradient } from "../../src/training/negentropy-gradient.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { gdn } from "../../src/transforms/gdn.js";
import { linear } from "../../src/transforms/linear.js";
import { pointwise } from "../../src/transforms/pointwise.js";
import { expectClose, float32Epsilon, largest } from "../support/expect-close.js";
import { expectError, refusal } from "../support/expect-error.js";
import { gdnForms, onlyStage, randomLayer, randomLayerCase } from "../support/gdn-layers.js";
import { goldenCases } from "../support/golden-gdn.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";
import { seed } from "../support/seed.js";
import { smoothSamples } from "../support/scenes.js";

/**
 * Measured against the largest value of an array, or 1 where that is larger: 28 ε at most over 900
 * layers.
 */
const float32Bound = 64 * float32Epsilon;
const scaleOf = (values: ArrayLike<number>): number => Math.max(1, largest(values));

describe("golden cases", () => {
  test.each(goldenCases)("$name: y, log-determinant, log p and score to 1e-12", async (golden) => {
    const { layer, x } = golden;
    const normal = await gaussianize(referenceRunner, layer, x);
    const scored = await score(referenceRunner, layer, x);
    // Sums of some hundred terms in another order than the other program's.
    const within = { relative: 1e-12, scale: 1 };
    expectClose(normal.y, golden.y, within, "y");
    expectClose(normal.logDeterminant, golden.logDeterminant, within, "log-determinant");
    expectClose(scored.logProb, golden.logProb, within, "log p");
    const alone = await logProbability(referenceRunner, layer, x);
    expectClose(alone, golden.logProb, within, "log p alone");
    expectClose(scored.score, golden.score, { ...within, scale: scaleOf(golden.score) }, "score");
  });

  test.each(goldenCases)("$name: SIMD agrees to 64 roundings of Float32", async (golden) => {
    const { layer, x } = golden;
    const normal = await gaussianize(simdRunner, layer, x);
    const scored = await score(simdRunner, layer, x);
    const compare = (actual: FloatArray, expected: Float64Array, what: string): void => {
      expectClose(actual, expected, { relative: float32Bound, scale: scaleOf(expected) }, what);
    };
    compare(normal.y, golden.y, "y");
    compare(normal.logDeterminant, golden.logDeterminant, "log-determinant");
    compare(scored.logProb, golden.logProb, "log p");
    compare(await logProbability(simdRunner, layer, x), golden.logProb, "log p alone");
    compare(scored.score, golden.score, "score");
  });
});

describe(`SIMD agrees with the reference (seed ${seed})`, () => {
  const cases = gdnForms.flatMap((form) =>
    [1, 2, 5, 16, 33].flatMap((n) => [1, 50].map((count) => ({ form, n, count }))),
  );
  test.each(cases)("$form, $n dimensions, batch of $count", async ({ form, n, count }) => {
    const random = createRandom(seed, "simd density", form, n, count);
    const { layer, x } = randomLayerCase(random, { form, n, count, linear: count > 1 });
    const both = await Promise.all(
      [simdRunner, referenceRunner].map(async (runner) => ({
        ...(await gaussianize(runner, layer, x)),
        ...(await score(runner, layer, x)),
      })),
    );
    const [simd, reference] = both;
    for (const name of ["y", "logDeterminant", "logProb", "score"] as const) {
      const tolerance = { relative: float32Bound, scale: scaleOf(reference[name]) };
      expectClose(simd[name], reference[name], tolerance, name);
    }
  });
});

describe("log p", () => {
  test("is the normal distribution without a division", async () => {
    const layer = gdn({
      structure: "column",
      dimension: 2,
      alpha: [1, 2],
      beta: [3, 4],
      gamma: [5, 6, 7, 8],
      epsilon: [0, 0],
    });
    const { logProb, score: gradient } = await score(
      referenceRunner,
      layer,
      Float64Array.of(0, 0, 1, -2),
    );
    expectClose(logProb, [-Math.log(2 * Math.PI), -Math.log(2 * Math.PI) - 2.5], {
      relative: 4 * Number.EPSILON,
    });
    expect([...gradient].map((value) => value + 0)).toEqual([0, 0, -1, 2]);
  });

  test("is −½‖y‖² − (N/2) log 2π + log-determinant, and H adds log |det H|", async () => {
    const random = createRandom(seed, "eq. 1");
    const { layer, x } = randomLayerCase(random, { form: "general", n: 5, count: 9, linear: true });
    const { y, logDeterminant } = await gaussianize(referenceRunner, layer, x);
    const { logProb } = await score(referenceRunner, layer, x);
    const fromParts = logProb.map((_, s) => {
      const squares = Array.from(y.slice(5 * s, 5 * s + 5), (value) => value * value);
      const energy = squares.reduce((sum, square) => sum + square, 0) / 2;
      return -energy - 2.5 * Math.log(2 * Math.PI) + logDeterminant[s];
    });
    expectClose(logProb, fromParts, { relative: 1e-14, scale: 10 });
    const doubled = gdn({ ...layer, H: (layer.H as Float32Array).map((value) => 2 * value) });
    const half = x.map((value) => value / 2);
    const ofDoubled = await score(referenceRunner, doubled, half);
    expectClose(
      ofDoubled.logProb,
      logProb.map((value) => value + 5 * Math.log(2)),
      { relative: 1e-14, scale: 10 },
    );
  });

  test("logProbOf at the mode of one dimension is −½ log 2π", () => {
    expect(logProbOf(0, 0, 1)).toBe(-0.5 * Math.log(2 * Math.PI));
  });
});

describe("the score", () => {
  test.each(gdnForms)(
    `equals central differences of log p to 1e-8 (%s, seed ${seed})`,
    async (form) => {
      const [n, count] = [4, 6];
      const random = createRandom(seed, "score", form);
      const layer = randomLayer(random, { form, n, linear: true });
      const x = smoothSamples(random, layer, count);
      const { score: gradient } = await score(referenceRunner, layer, x);
      const h = 2e-6; // error h² f''' / 6 ≈ 1e-9 where it is worst, rounding ε f / h ≈ 1e-10
      const differences = new Float64Array(count * n);
      for (let j = 0; j < n; j += 1) {
        const shifted = (by: number): Float64Array =>
          x.map((value, k) => (k % n === j ? value + by : value));
        const above = await score(referenceRunner, layer, shifted(h));
        const below = await score(referenceRunner, layer, shifted(-h));
        for (let s = 0; s < count; s += 1) {
          differences[s * n + j] = (above.logProb[s] - below.logProb[s]) / (2 * h);
        }
      }
      expectClose(gradient, differences, { relative: 1e-8, scale: scaleOf(gradient) });
    },
  );
});

describe("samples", () => {
  const layer = gdn({
    structure: "marginal",
    dimension: 2,
    alpha: [2, 2],
    beta: [1, 1],
    gamma: [1, 1],
    epsilon: [0.4, 0.4],
  });

  test.each([
    { name: "gaussianize", pass: gaussianize },
    { name: "score", pass: score },
    { name: "logProb", pass: logProbability },
  ])("$name checks them", async ({ pass }) => {
    await expectError(pass(referenceRunner, layer, new Float64Array(3)), {
      code: "invalid-argument",
      argument: "x",
    });
    await expectError(pass(referenceRunner, layer, Float64Array.of(1, 2, 3, NaN)), {
      code: "invalid-argument",
      argument: "x[1][1]",
    });
  });

  test.each(["reference", "simd"])("rejects a stage without an inverse (%s)", async (name) => {
    const runner = name === "simd" ? simdRunner : referenceRunner;
    // Foreign exponents above 1/ε_i: where both inputs are large, output 0 falls as input 1 grows
    // and vice versa.
    const folding = gdn({
      structure: "general",
      dimension: 2,
      alpha: [1, 4, 4, 1],
      beta: [0.1, 0.1],
      gamma: [1, 1, 1, 1],
      epsilon: [1, 1],
    });
    const x = Float64Array.of(0.01, 0.01, -0.02, 0.03, 1, -1);
    for (const pass of [gaussianize, score, logProbability]) {
      await expect(pass(runner, folding, x)).rejects.toThrow(
        "Sample 2 has no density: the Jacobian is not positive definite (pivot 1 is not positive), " +
          "or it overflows.",
      );
      await expect(pass(runner, folding, x.slice(0, 4))).resolves.toBeDefined();
    }
  });
});

describe("a sample without a density in a cascade", () => {
  const gaussian = gdn({
    structure: "radial",
    dimension: 2,
    beta: [1],
    gamma: [1],
    epsilon: [0.3],
  });
  test.each([
    {
      stage: pointwise({ dimension: 2, lower: 0, upper: 1, rate: 1, asymmetry: 1, center: 0 }),
      x: [0.5, 0.5, 0.2, 0.1, 0.5, 1.5],
      sentence: "in stage 1 (pointwise): component 1 is not between 0 and 1.",
    },
    {
      stage: affine({ dimension: 2, scale: [1, 3e38], shift: [0, 0] }),
      x: [1, 0, 2, 0, 3, 2],
      sentence: "in stage 1 (affine): component 1 overflows in Float32.",
    },
    {
      stage: linear({ dimension: 2, H: [3e38, 0, 0, 1e-30] }),
      x: [0, 1, 0, 2, 2, 3],
      sentence: "in stage 1 (linear): component 0 overflows in Float32.",
    },
  ])("is told with its stage and component: $stage.kind", async ({ stage, x, sentence }) => {
    const same = linear({ dimension: 2, H: [1, 0, 0, 1] });
    const transform = cascade([same, stage, gaussian]);
    const samples = Float64Array.from(x);
    for (const pass of [gaussianize, score, logProbability]) {
      await expect(pass(simdRunner, transform, samples)).rejects.toThrow(
        `Sample 2 has no density ${sentence}`,
      );
      await expect(pass(simdRunner, transform, samples.slice(0, 4))).resolves.toBeDefined();
    }
  });

  test("is reported with the first stage that fails", async () => {
    const curve = pointwise({
      dimension: 2,
      lower: 0,
      upper: 1,
      rate: 1,
      asymmetry: 1,
      center: 0,
    });
    const far = affine({ dimension: 2, shift: [5, 5] });
    const transform = cascade([curve, far, curve]);
    for (const pass of [gaussianize, score, logProbability]) {
      await expect(pass(referenceRunner, transform, Float64Array.of(0.5, 2))).rejects.toThrow(
        "Sample 0 has no density in stage 0 (pointwise): component 1 is not between 0 and 1.",
      );
    }
  });
});

describe("progress and abort", () => {
  const layer = gdn({ structure: "radial", dimension: 1, beta: [1], gamma: [1], epsilon: [0.3] });
  const x = new Float64Array(40_000).fill(0.5);

  test.each([
    { name: "gaussianize", pass: gaussianize },
    { name: "score", pass: score },
    { name: "logProb", pass: logProbability },
    {
      name: "backpropagate",
      pass: (...[runner, transform, samples, options]: Parameters<typeof score>) =>
        backpropagate(runner, transform, samples, samples, options),
    },
  ])("$name tells and heeds them", async ({ pass }) => {
    let last: readonly number[] = [];
    await pass(simdRunner, layer, x, { onProgress: (...counts) => (last = counts) });
    expect(last).toEqual([40_000, 40_000]);
    const reason = new Error("not now");
    const signal = AbortSignal.abort(reason);
    await expect(pass(simdRunner, layer, x, { signal })).rejects.toBe(reason);
  });
});

describe("backpropagate", () => {
  const layer = gdn({
    structure: "general",
    dimension: 2,
    H: [1, 0.4, -0.3, 0.8],
    alpha: [1.5, 1.2, 1.1, 2],
    beta: [1, 0.6],
    gamma: [0.5, 0.2, 0.1, 0.4],
    epsilon: [0.4, 0.3],
  });
  const x = Float64Array.of(0.5, -1.5, 2, 0.3, -0.7, 0.9);

  test("with y as upstream gives the gradient of the negative log-probability", async () => {
    const { y } = await gaussianize(referenceRunner, layer, x);
    const { gradient, xGradient } = await backpropagate(referenceRunner, layer, x, y);
    const mean = await negentropyGradient(referenceRunner, layer, x);
    const [sums, means] = [onlyStage(gradient), onlyStage(mean.gradient)];
    for (const group of ["H", "alpha", "beta", "gamma", "epsilon"] as const) {
      const expected = means[group]!.map((value) => 3 * value);
      expectClose(sums[group]!, expected, { relative: 1e-12 }, group);
    }
    const { score: direction } = await score(referenceRunner, layer, x);
    expectClose(
      xGradient,
      direction.map((value) => -value),
      { relative: 1e-12 },
    );
  });

  test("rejects an upstream gradient of another length, or with NaN", async () => {
    await expect(backpropagate(referenceRunner, layer, x, x.slice(2))).rejects.toThrow(
      refusal("upstream", "hold 6 values, as x does", 4),
    );
    const broken = x.map((value, k) => (k === 3 ? NaN : value));
    await expectError(backpropagate(referenceRunner, layer, x, broken), {
      code: "invalid-argument",
      argument: "upstream[1][1]",
    });
  });
});

test("SIMD kernels reject an H that is singular in Float32 only", async () => {
  const nearly = gdn({
    structure: "marginal",
    dimension: 2,
    H: [1, 1, 1, 1 + 1e-9],
    alpha: [1, 1],
    beta: [1, 1],
    gamma: [1, 1],
    epsilon: [0.5, 0.5],
  });
  const x = Float64Array.of(1, 2);
  const message = 'Expected H to be non-singular in the precision of the kernels "simd"';
  for (const pass of [gaussianize, score, logProbability, negentropyGradient]) {
    await expect(async () => pass(simdRunner, nearly, x)).rejects.toThrow(message);
    await expect(pass(referenceRunner, nearly, x)).resolves.toBeDefined();
  }
});

test("at z = 0 a huge γ or a tiny β agree with the specification", async () => {
  for (const change of [{ gamma: [1e18] }, { beta: [1e-20] }]) {
    const layer = gdn({
      structure: "marginal",
      dimension: 1,
      alpha: [1],
      beta: [1],
      gamma: [1],
      epsilon: [0.5],
      ...change,
    });
    const x = Float64Array.of(0);
    const exact = await score(referenceRunner, layer, x);
    const simd = await score(simdRunner, layer, x);
    expectClose(simd.logProb, exact.logProb, { relative: 1e-6 });
  }
});
