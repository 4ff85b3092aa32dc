import { describe, expect, test } from "vitest";
import { gaussianize, logProb } from "../../src/density/induced-density.js";
import { createRandom } from "../../src/random/random-stream.js";
import { type SampleFitSnapshot, fitSamples } from "../../src/training/fit-samples.js";
import { expectError, refusal } from "../support/expect-error.js";
import { simdRunner } from "../support/inline-runners.js";
import { seed } from "../support/seed.js";

/** Bivariate Student t with ν degrees of freedom, sheared, scaled and moved. */
const degrees = 3;
const shear = [
  [3, 0.4],
  [-1, 0.2],
];
const place = [10, -0.5];

function ellipticalPairs(name: string, count: number): Float32Array {
  const random = createRandom(seed, "elliptical pairs", name);
  const x = new Float32Array(2 * count);
  const normals = new Float64Array(2 + degrees);
  for (let s = 0; s < count; s++) {
    random.normalFill(normals);
    let chiSquared = 0;
    for (let k = 2; k < normals.length; k++) chiSquared += normals[k] ** 2;
    const scale = Math.sqrt(degrees / chiSquared);
    for (let i = 0; i < 2; i++) {
      x[2 * s + i] = place[i] + scale * (shear[i][0] * normals[0] + shear[i][1] * normals[1]);
    }
  }
  return x;
}

/**
 * −E log p of the Student t above: of its standard form by ∫ over the radius, plus log |det| of the
 * shear.
 */
function trueEntropy(): number {
  // p(r) = (1/2π) (1 + r²/ν)^−(ν+2)/2, so E log(1 + r²/ν) = 2/ν for two dimensions.
  const determinant = Math.abs(shear[0][0] * shear[1][1] - shear[0][1] * shear[1][0]);
  return Math.log(2 * Math.PI) + (degrees + 2) / degrees + Math.log(determinant);
}

const mean = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;

/** Generous, because other processes may be running. */
const timeout = 60_000;

describe("fitSamples", () => {
  const pairs = ellipticalPairs("fitted", 50_000);

  test(
    "finds an elliptical density to within 0.02 nats, in the units of the samples",
    { timeout },
    async () => {
      const values: number[] = [];
      const fitted = await fitSamples(simdRunner, pairs, {
        dimension: 2,
        onStep: (_, value) => values.push(value),
      });
      const others = ellipticalPairs("others", 50_000);
      const found = mean(await logProb(simdRunner, fitted, others));
      // The standard error of the mean over 50,000 is 0.006.
      expect(Math.abs(found + trueEntropy())).toBeLessThan(0.02);
      expect(Math.abs(mean(values.slice(-100)) - found)).toBeLessThan(0.02);
      expect(fitted.stages.map(({ kind }) => kind)).toEqual(["affine", "gdn"]);
    },
  );

  test(
    "a model of independent components does worse on them, a radial one does not",
    { timeout },
    async () => {
      const options = { dimension: 2, steps: 300 };
      const likelihoods = [];
      for (const model of ["ica-mg", "rg", "gdn-general"] as const) {
        const fitted = await fitSamples(simdRunner, pairs, { ...options, model });
        likelihoods.push(mean(await logProb(simdRunner, fitted, pairs)));
      }
      const [icaMg, rg, gdn] = likelihoods;
      expect(rg - icaMg).toBeGreaterThan(0.03);
      expect(Math.abs(gdn - rg)).toBeLessThan(0.01);
    },
  );

  test(
    "takes samples of any dimension and leaves them with mean 0 and variance 1",
    { timeout },
    async () => {
      const x = createRandom(seed, "triples").normalFill(new Float32Array(3 * 4000));
      const moved = x.map((value, k) => (k % 3 === 1 ? 40 + 7 * value : value * (1 + (k % 3))));
      const fitted = await fitSamples(simdRunner, moved, {
        dimension: 3,
        model: "gdn",
        steps: 200,
      });
      const { y } = await gaussianize(simdRunner, fitted, moved);
      for (let i = 0; i < 3; i++) {
        const component = y.filter((_, k) => k % 3 === i);
        expect(Math.abs(mean(component))).toBeLessThan(0.06);
        expect(Math.abs(mean(component.map((value) => value * value)) - 1)).toBeLessThan(0.1);
      }
    },
  );

  test("gives the same bits for the same seed only", async () => {
    const fit = (own: number) =>
      fitSamples(simdRunner, pairs, { dimension: 2, steps: 20, seed: own });
    const [a, b, c] = [await fit(3), await fit(3), await fit(4)];
    expect(a).toEqual(b);
    expect(a).not.toEqual(c);
  });

  test("rejects invalid input with a clear error", async () => {
    const fit = (x: Float32Array, options = {}) =>
      fitSamples(simdRunner, x, { dimension: 2, ...options });
    await expect(fit(new Float32Array(5))).rejects.toThrow(/5/);
    await expect(fit(pairs.slice(0, 6))).rejects.toThrow("at least 4 samples");
    await expect(fit(pairs, { batch: 0 })).rejects.toThrow("batch");
    await expect(fit(pairs, { model: "isa" })).rejects.toThrow("subspaces");
    await expect(fit(pairs, { step: 10 })).rejects.toThrow("step");
    const flat = pairs.map((value, k) => (k % 2 === 0 ? value : 4));
    await expect(fit(flat)).rejects.toThrow("component 1 of the samples to vary");
    const onLine = pairs.map((_, k) => pairs[k - (k % 2)]);
    await expectError(fit(onLine), {
      code: "degenerate-data",
      phrase: /vary in all 2 directions but the variance along one is \S+ \(largest \S+\)/,
    });
  });

  test("passes start, intermediate states and result as snapshots, without changing a bit", async () => {
    const some = pairs.subarray(0, 4000);
    const options = { dimension: 2, model: "lp", steps: 25, batch: 64 } as const;
    const snapshots: SampleFitSnapshot[] = [];
    const looked = await fitSamples(simdRunner, some, {
      ...options,
      snapshotEvery: 10,
      onSnapshot: async (snapshot) => {
        await Promise.resolve();
        snapshots.push(snapshot);
      },
    });
    expect(snapshots.map(({ step }) => step)).toEqual([0, 10, 20, 25]);
    expect(looked).toEqual(await fitSamples(simdRunner, some, options));
    expect(snapshots[3].transform).toEqual(looked);
    const means: number[] = [];
    for (const { transform } of snapshots)
      means.push(mean(await logProb(simdRunner, transform, some)));
    // Likelihoods of whole sets, which rise from one to the next while steps are few and large.
    expect(means).toEqual([...means].sort((a, b) => a - b));
  });

  test("accepts rows, and a flat array only with a dimension", async () => {
    const random = createRandom(seed, "triples");
    const rows = Array.from({ length: 400 }, () => {
      const [a, b] = [random.normal(), random.normal()];
      return [a, 5 + 2 * a + b, random.normal()];
    });
    const options = { steps: 3, batch: 64 };
    const fitted = await fitSamples(simdRunner, rows, options);
    expect(fitted.dimension).toBe(3);
    const flat = Float64Array.from(rows.flat());
    expect(await fitSamples(simdRunner, flat, { ...options, dimension: 3 })).toEqual(fitted);
    const untyped = fitSamples as (...given: readonly unknown[]) => Promise<unknown>;
    await expect(untyped(simdRunner, flat, options)).rejects.toThrow(
      refusal("dimension", "be given for samples in one flat array", undefined),
    );
    await expect(untyped(simdRunner, [...flat], options)).rejects.toThrow("to be rows of numbers");
    await expect(fitSamples(simdRunner, [[1, 2], [3]])).rejects.toThrow(
      refusal("row 1 of the samples", "hold 2 numbers", 1),
    );
    await expect(fitSamples(simdRunner, [])).rejects.toThrow("dimension");
  });

  test("rejects a density that is worse than its start", async () => {
    const some = pairs.subarray(0, 2000);
    const options = { dimension: 2, steps: 20, batch: 64, learningRate: 1000 };
    await expect(fitSamples(simdRunner, some, options)).rejects.toThrow(
      /^The fit failed: .* Try a learningRate below 1000\.$/,
    );
  });
});
