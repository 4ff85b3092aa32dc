import { describe, expect, test } from "vitest";
import { densityOf } from "../../../src/density/density-of.js";
import { logProb } from "../../../src/density/induced-density.js";
import { leavesOf } from "../../../src/density/mixtures/leaves.js";
import {
  type MixtureComponent,
  isMixture,
  mixture,
} from "../../../src/density/mixtures/mixture.js";
import { mixtureLogProb, mixtureScore } from "../../../src/density/mixtures/mixture-passes.js";
import { poseCount, poseOf, posed } from "../../../src/density/mixtures/poses.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { affine } from "../../../src/transforms/affine.js";
import { cascade } from "../../../src/transforms/cascade.js";
import { gdn } from "../../../src/transforms/gdn.js";
import { pointwise } from "../../../src/transforms/pointwise.js";
import { gradientByDifferences } from "../../support/differences.js";
import { expectClose, expectSameBits } from "../../support/expect-close.js";
import { expectError } from "../../support/expect-error.js";
import { referenceRunner, simdRunner } from "../../support/inline-runners.js";
import { component, everyMixture, plainMixture, symmetric } from "../../support/mixtures.js";
import { lineNodes } from "../../support/quadrature.js";
import { seed } from "../../support/seed.js";

const random = createRandom(seed, "mixture passes");
const samples = (count: number, n: number): Float64Array =>
  Float64Array.from({ length: count * n }, () => 1.5 * random.normal());

/** p(x) of one sample by the definition, with Math.exp and no logarithms of sums. */
async function direct(density: MixtureComponent, x: Float64Array): Promise<number> {
  if (!isMixture(density)) return Math.exp((await logProb(referenceRunner, density, x))[0]);
  let sum = 0;
  if (density.kind === "symmetric-mixture") {
    for (let k = 0; k < poseCount; k++) {
      const pose = poseOf(density.side, density.removeMean, k);
      sum += (await direct(density.density, posed(x, pose))) / poseCount;
    }
    return sum;
  }
  const weights = Array.from(density.weights).reduce((total, value) => total + value, 0);
  for (const [k, inner] of density.components.entries()) {
    sum += (density.weights[k] / weights) * (await direct(inner, x));
  }
  return sum;
}

describe.each(everyMixture())(`%s (seed ${seed})`, (_, given) => {
  const n = given.dimension;
  const x = samples(7, n);
  const density = densityOf(given, referenceRunner);

  test("log p is the logarithm of the sum of densities", async () => {
    const found = await density.logProb(x);
    for (let s = 0; s < 7; s++) {
      const wanted = Math.log(await direct(given, x.slice(s * n, (s + 1) * n)));
      expectClose(found[s], wanted, { relative: 1e-13, scale: 1 });
    }
  });

  test("the score equals central differences of log p", async () => {
    const found = await density.score(x);
    for (let s = 0; s < 7; s++) {
      const row = x.slice(s * n, (s + 1) * n);
      const steps: Float64Array[] = [];
      gradientByDifferences(row, () => steps.push(row.slice()), 1e-4);
      const values = await density.logProb(steps);
      let at = 0;
      const wanted = gradientByDifferences(row, () => values[at++], 1e-4);
      expectClose(found.slice(s * n, (s + 1) * n), wanted, { relative: 1e-6, scale: 1 });
    }
  });

  test("responsibilities are w q / p, and sum to one", async () => {
    const found = await density.responsibilities(x);
    const leaves = leavesOf(given);
    expect(found.length).toBe(7 * leaves.length);
    const all = await density.logProb(x);
    for (let s = 0; s < 7; s++) {
      const row = found.slice(s * leaves.length, (s + 1) * leaves.length);
      expectClose(
        row.reduce((sum, value) => sum + value, 0),
        1,
        { absolute: 1e-13 },
      );
      const last = leaves[leaves.length - 1];
      const sample = x.slice(s * n, (s + 1) * n);
      const turned = last.pose ? posed(sample, last.pose) : sample;
      const [own] = await logProb(referenceRunner, last.transform, turned);
      const wanted = last.weight * Math.exp(own - all[s]);
      expectClose(row[row.length - 1], wanted, { relative: 1e-12, absolute: 1e-15 });
    }
  });

  test("Float32 agrees with Float64 to 1e-4", async () => {
    const single = densityOf(given, simdRunner);
    expectClose(await single.logProb(x), await density.logProb(x), { relative: 1e-4, scale: 1 });
    expectClose(await single.score(x), await density.score(x), { relative: 1e-3, scale: 1 });
  });
});

test.each([true, false])("a symmetric mixture has the same density in all poses", async (mean) => {
  const n = mean ? 8 : 9;
  const density = symmetric(component("a", n), mean);
  const x = samples(5, n);
  const wanted = await mixtureLogProb(referenceRunner, density, x);
  const turned = await Promise.all(
    Array.from({ length: poseCount }, (_, k) =>
      mixtureLogProb(referenceRunner, density, posed(x, poseOf(3, mean, k))),
    ),
  );
  // The components alone do not have this symmetry.
  const [alone, other] = await Promise.all(
    [0, 1].map((k) => logProb(referenceRunner, component("a", n), posed(x, poseOf(3, mean, k)))),
  );
  expect(Math.abs(alone[0] - other[0])).toBeGreaterThan(0.01);
  for (const found of turned) expectClose(found, wanted, { relative: 1e-12 });
});

test("components far below and above e^±745 neither underflow nor overflow", async () => {
  const [near, far] = [0, 1e4].map((shift) => affine({ dimension: 1, shift: [shift] }));
  const both = mixture({ components: [near, far] });
  const x = Float64Array.of(0, -1e4, -5e3);
  const { logProb: found, score } = await mixtureScore(referenceRunner, both, x);
  const peak = Math.log(0.5) - 0.5 * Math.log(2 * Math.PI);
  // Half way between, both components are e^(−12.5 million).
  const half = peak - 0.5 * 5e3 ** 2 + Math.LN2;
  expectClose(found, [peak, peak, half], { relative: 1e-14 });
  expectClose(score, [0, 0, 0], { absolute: 1e-9 });
});

describe("the density integrates to one", () => {
  const layer = (name: string, scale: number, shift: number) =>
    cascade([
      gdn({
        structure: "column",
        dimension: 1,
        H: [name === "a" ? -1.3 : 0.7],
        alpha: [1.37],
        beta: [0.4],
        gamma: [0.7],
        epsilon: [0.3],
      }),
      affine({ dimension: 1, scale: [scale], shift: [shift] }),
    ]);

  test("one dimension, by quadrature to 1e-8", async () => {
    const components = [layer("a", 0.8, 0.1), layer("b", -2, -0.05)];
    const nodes = lineNodes({ step: 1 / 32, reach: 1e10 });
    const x = Float64Array.from(nodes, ({ at }) => at);
    const made = mixture({ components, weights: [0.3, 0.7] });
    const found = await mixtureLogProb(referenceRunner, made, x);
    const total = nodes.reduce((sum, { weight }, k) => sum + weight * Math.exp(found[k]), 0);
    expectClose(total, 1, { absolute: 1e-8 });
  });

  test.each([true, false])(
    "the symmetric mixture over 2×2 pixels, by weighted draws",
    async (mean) => {
      // E p(x)/q(x) = ∫ p over draws x of q, a wide Student distribution.
      const n = mean ? 3 : 4;
      const density = symmetric(component("a", n), mean);
      const count = 40_000;
      const draws = createRandom(seed, "integral");
      const logQ = new Float64Array(count);
      const x = new Float64Array(count * n);
      for (let s = 0; s < count; s++) {
        let energy = 0;
        // Cauchy tails on each coordinate, the ratio of two normal numbers.
        for (let k = s * n; k < (s + 1) * n; k++) {
          x[k] = draws.normal() / draws.normal();
          energy += Math.log(Math.PI * (1 + x[k] * x[k]));
        }
        logQ[s] = -energy;
      }
      const found = await mixtureLogProb(referenceRunner, density, x);
      const ratios = found.map((value, s) => Math.exp(value - logQ[s]));
      const total = ratios.reduce((sum, value) => sum + value, 0) / count;
      const variance = ratios.reduce((sum, value) => sum + (value - total) ** 2, 0) / count;
      const error = Math.sqrt(variance / count);
      expect(error).toBeLessThan(0.03);
      expectClose(total, 1, { absolute: 5 * error });
    },
  );
});

describe("samples without a density", () => {
  const curve = (lower: number, upper: number) =>
    pointwise({ dimension: 1, lower, upper, rate: 1, asymmetry: 1.5, center: 0 });
  const [low, high] = [curve(-1, 1), curve(0, 2)];
  const both = mixture({ components: [low, high], weights: [0.25, 0.75] });
  const density = densityOf(both, referenceRunner);

  test("get the value of the components that have one", async () => {
    const [first] = await logProb(referenceRunner, low, Float64Array.of(-0.5));
    const [second] = await logProb(referenceRunner, high, Float64Array.of(1.5));
    const x = [[-0.5], [1.5]];
    const wanted = [Math.log(0.25) + first, Math.log(0.75) + second];
    expectClose(await density.logProb(x), wanted, { relative: 1e-14 });
    expect([...(await density.responsibilities(x))]).toEqual([1, 0, 0, 1]);
    const [alone] = await densityOf(low, referenceRunner).score([[-0.5]]);
    const [found] = await density.score([[-0.5]]);
    expectClose(found, alone, { relative: 1e-13 });
  });

  test("are an error if no component has a density there", async () => {
    const wanted = { code: "no-density", phrase: "Sample 1 has no density under any" } as const;
    const x = [[0.5], [3]];
    await expectError(density.logProb(x), wanted);
    await expectError(density.score(x), wanted);
    await expectError(density.responsibilities(x), wanted);
  });
});

describe("the handle of a mixture", () => {
  const density = densityOf(plainMixture(3), referenceRunner);

  test("is one of patches", () => {
    expect([density.kind, density.dimension]).toEqual(["patches", 3]);
  });

  test("rejects passes that need a single transform", async () => {
    const wanted = { code: "invalid-argument", phrase: "no single transform" } as const;
    await expectError(density.gaussianize([[1, 2, 3]]), wanted);
    await expectError(density.synthesize([[1, 2, 3]]), wanted);
    const alone = densityOf(component("a", 3), referenceRunner);
    await expectError(alone.responsibilities([[1, 2, 3]]), { code: "invalid-argument" });
  });

  test("rejects samples of another length and unknown options", async () => {
    await expectError(density.logProb([[1, 2]]), { code: "invalid-argument" });
    await expectError(density.logProb(new Float64Array(4)), { code: "invalid-argument" });
    const misspelt = { signals: 1 } as object;
    await expectError(density.logProb([[1, 2, 3]], misspelt), { code: "invalid-argument" });
  });

  test("accepts an empty batch", async () => {
    expect((await density.logProb(new Float64Array(0))).length).toBe(0);
    expect((await density.score(new Float64Array(0))).length).toBe(0);
  });

  test("reports progress in samples, and stops at a signal", async () => {
    const seen: number[] = [];
    await density.logProb(samples(40, 3), {
      onProgress: (done, total) => {
        expect(total).toBe(40);
        seen.push(done);
      },
    });
    expect(seen.at(-1)).toBe(40);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(density.score(samples(4, 3), { signal })).rejects.toThrow("enough");
  });

  test("gives a sample the same bits alone and in a batch", async () => {
    const x = samples(9, 3);
    const all = await density.logProb(x);
    for (let s = 0; s < 9; s++) {
      expectSameBits(await density.logProb(x.slice(3 * s, 3 * s + 3)), all.slice(s, s + 1));
    }
  });
});
