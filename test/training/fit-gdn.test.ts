import { beforeAll, describe, expect, it } from "vitest";
import { openRunner } from "gaussianize/node";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import type { GdnForm, GdnParameters } from "../../src/kernels/kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import { createRandom } from "../../src/random/random-stream.js";
import { fitGdn, startingParameters } from "../../src/training/fit-gdn.js";
import { negentropyGradient } from "../../src/training/negentropy-gradient.js";

const n = 4;
let runner: InlineRunner;
beforeAll(async () => {
  runner = new InlineRunner((await loadKernels()).kernels);
});

/** Gaussian scale mixtures: one random variance for all components of a sample, what GDN is made for. */
function scaleMixture(step: number, count = 128): Float32Array {
  const random = createRandom(1, "scale-mixture", step);
  const x = new Float32Array(n * count);
  for (let s = 0; s < count; s++) {
    const scale = 0.2 + 2 * Math.abs(random.normal());
    for (let i = 0; i < n; i++) x[s * n + i] = scale * random.normal();
  }
  return x;
}

const identity = Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
const fit = (form: GdnForm, steps: number) =>
  fitGdn(runner, startingParameters(form, identity, n), { steps, batchAt: scaleMixture });

describe("fitGdn", () => {
  it("raises the likelihood of data it has not seen, and pooling beats none on a scale mixture", async () => {
    const held = scaleMixture(-1, 4000);
    const likelihood = async (parameters: GdnParameters): Promise<number> =>
      (await negentropyGradient(runner, parameters, held)).meanLogProb;
    const after: Record<string, number> = {};
    for (const form of ["diagonal", "column", "general"] as const) {
      const before = await likelihood(startingParameters(form, identity, n));
      after[form] = await likelihood((await fit(form, 300)).parameters);
      expect(after[form]).toBeGreaterThan(before + 0.01);
    }
    expect(after.column).toBeGreaterThan(after.diagonal + 0.1);
    expect(after.general).toBeGreaterThan(after.diagonal + 0.1);
  });

  it("gives the same bits twice", async () => {
    const [a, b] = [await fit("column", 20), await fit("column", 20)];
    expect(a.parameters).toEqual(b.parameters);
  });

  it("does not change the parameters it starts from", async () => {
    const start = startingParameters("column", identity, n);
    const before = structuredClone(start);
    await fitGdn(runner, start, { steps: 3, batchAt: scaleMixture });
    expect(start).toEqual(before);
  });

  it("takes back a step where invertibility is lost, and goes on with the samples it can use", async () => {
    const start = startingParameters("general", identity, n);
    // Off the diagonal α ε = 2.7: far from the origin the Jacobian is not positive definite.
    const alpha = start.alpha.map((value, k) => (k % (n + 1) === 0 ? value : 6));
    const values: number[] = [];
    const { parameters, rejectedSteps } = await fitGdn(
      runner,
      { ...start, alpha },
      {
        steps: 12,
        batchAt: (step) => {
          const batch = scaleMixture(step).map((value) => 0.1 * value);
          return step === 6 ? batch.fill(30, 0, n) : batch;
        },
        onStep: (_, value) => values.push(value),
      },
    );
    expect(rejectedSteps).toBe(1);
    expect(values).toHaveLength(12);
    expect(values.every(Number.isFinite)).toBe(true);
    for (const group of [parameters.alpha, parameters.beta, parameters.gamma, parameters.epsilon]) {
      expect(group.every(Number.isFinite)).toBe(true);
    }
  });

  it("ends with a clear error where no step helps", async () => {
    const start = startingParameters("general", identity, n);
    const alpha = start.alpha.map((value, k) => (k % (n + 1) === 0 ? value : 6));
    const fitting = fitGdn(
      runner,
      { ...start, alpha },
      {
        steps: 50,
        batchAt: () => new Float32Array(8 * n).fill(30),
      },
    );
    await expect(fitting).rejects.toThrow("The fit cannot go on after 0 steps");
  });

  it("passes on an error of batchAt, though a batch is under way", async () => {
    const pool = await openRunner({ workers: 1 });
    const fitting = fitGdn(pool, startingParameters("column", identity, n), {
      steps: 5,
      batchAt: (step) => {
        if (step === 2) throw new Error("no more data");
        return scaleMixture(step);
      },
    }).finally(() => pool.close());
    await expect(fitting).rejects.toThrow("no more data");
  });

  it.each([
    [{ steps: NaN }, "Expected steps to be an integer of at least 1 but received NaN."],
    [{ steps: 0 }, "Expected steps to be an integer of at least 1 but received 0."],
    [{ learningRate: NaN }, "Expected learningRate to be a positive number but received NaN."],
  ])("refuses %o", async (options, message) => {
    const start = startingParameters("column", identity, n);
    const fitting = fitGdn(runner, start, { steps: 5, batchAt: scaleMixture, ...options });
    await expect(fitting).rejects.toThrow(message);
  });

  it("refuses an H of another size", () => {
    expect(() => startingParameters("column", identity.subarray(1), n)).toThrow(
      "Expected H to hold 16 values (4×4) but received 15.",
    );
  });

  it("gives the same bits with 2 workers as with none", async () => {
    const pool = await openRunner({ workers: 2 });
    const options = { steps: 8, batchAt: scaleMixture };
    const start = startingParameters("general", identity, n);
    const inWorkers = await fitGdn(pool, start, options).finally(() => pool.close());
    expect(inWorkers.parameters).toEqual((await fitGdn(runner, start, options)).parameters);
  });
});
