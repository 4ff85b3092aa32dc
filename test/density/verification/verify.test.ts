import { describe, expect, test } from "vitest";
import { gaussianize } from "../../../src/density/induced-density.js";
import { verify } from "../../../src/density/verification/verify.js";
import { jobs } from "../../../src/jobs.js";
import { referenceKernels } from "../../../src/kernels/reference/index.js";
import { InlineRunner } from "../../../src/parallel/inline-runner.js";
import { WorkerPool } from "../../../src/parallel/worker-pool.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { affine } from "../../../src/transforms/affine.js";
import { cascade } from "../../../src/transforms/cascade.js";
import { startingGdn } from "../../../src/transforms/gdn-start.js";
import { gdn } from "../../../src/transforms/gdn.js";
import { linear } from "../../../src/transforms/linear.js";
import { pointwise } from "../../../src/transforms/pointwise.js";
import { startFakeWorker } from "../../support/local-workers.js";
import { expectClose } from "../../support/expect-close.js";
import { expectError } from "../../support/expect-error.js";
import { everyStructure, isNeverCertified, randomLayer } from "../../support/gdn-layers.js";
import { referenceRunner, simdRunner } from "../../support/inline-runners.js";
import { seed } from "../../support/seed.js";

/** A runner that cuts for `size` workers. */
const runnerOf = (size: number): InlineRunner =>
  Object.assign(new InlineRunner(referenceKernels), { size });

/**
 * Each of two components is normalized by a high power of the other one: not invertible far out.
 */
const unsound = gdn({
  structure: "general",
  dimension: 2,
  alpha: [1, 8, 8, 1],
  beta: [1, 1],
  gamma: [0.1, 0.5, 0.5, 0.1],
  epsilon: [0.5, 0.5],
});

describe("what is proven", () => {
  test.each(everyStructure)("density at the start of a fit: $structure", async (size) => {
    const { structure } = size;
    const result = await verify(referenceRunner, startingGdn(size), null);
    expect(result).toMatchObject({ samples: 0, smallestPivot: null, smallestEigenvalue: null });
    expect(result.observed).toEqual([]);
    expect(result.certified).toBe(!isNeverCertified(structure));
    expect(result.invertible).toBe(result.certified);
    expect(result.stages).toMatchObject([{ kind: "gdn", structure, smallestPivot: null }]);
    if (result.certified) {
      expect(result.proven).toEqual([
        `Proven: the transform (gdn, ${structure}) is invertible everywhere: q = 0.675 < 1 ` +
          "(the fixed-point inversion contracts at the rate q or better, ‖(I − M)⁻¹‖∞ ≤ 3.08).",
      ]);
    }
  });

  test("classic and weighted-l2 normalization are not onto", async () => {
    const sizes = { dimension: 3, beta: [1] };
    const classic = gdn({ structure: "classic", ...sizes });
    const weighted = gdn({ structure: "weighted-l2", ...sizes, gamma: [4, 0, 0.25] });
    const { proven, ...result } = await verify(referenceRunner, cascade([classic, weighted]), null);
    expect(result).toMatchObject({ certificate: 1, certified: false, invertible: false });
    const because =
      "one-to-one but not onto: α_ii ε_i = 1 (to the rounding of Float32) with γ_ii > 0";
    expect(proven).toEqual([
      "Proven: the model is one-to-one but not onto: what it induces integrates to less than 1.",
      `Proven: stage 0 (gdn, classic) is ${because} keeps |y_i| below γ_ii^−ε_i in 3 of 3 components (1 at component 0), so what it induces integrates to less than 1.`,
      `Proven: stage 1 (gdn, weighted-l2) is ${because} keeps |y_i| below γ_ii^−ε_i in 2 of 3 components (0.5 at component 0), so what it induces integrates to less than 1.`,
    ]);
  });

  test("a column of exponents needs no q < 1", async () => {
    const layer = gdn({
      structure: "column",
      dimension: 2,
      alpha: [1, 3],
      beta: [1, 1],
      gamma: [1, 1, 1, 1],
      epsilon: [0.9999, 0.3],
    });
    const { certified, invertible, proven } = await verify(referenceRunner, layer, null);
    expect([certified, invertible]).toEqual([false, true]);
    expect(proven[0]).toBe(
      "Proven: the transform (gdn, column) is invertible everywhere: cycle mean μ = 0.9999 < 1 (the geometric mean of α_ij ε_i is at most μ along every cycle of pooling; q = 3 ≥ 1 does not matter: q < 1 is sufficient, not necessary).",
    );
  });

  test("high powers of each other are disproven, and the components named", async () => {
    const { certificate, invertible, stages, proven } = await verify(
      referenceRunner,
      unsound,
      null,
    );
    expect([certificate, invertible]).toEqual([4, false]);
    expect([...stages[0].criticalCycle!].sort()).toEqual([0, 1]);
    expect(proven[0]).toMatch(
      /^Disproven: the transform \(gdn, general\) is not invertible: along the cycle of pooling (0 → 1 → 0|1 → 0 → 1) the geometric mean of α_ij ε_i is 4 > 1, so some y have two preimages and others none, and what it induces is no density\.$/,
    );
  });

  test("stages other than GDN are invertible, without a certificate", async () => {
    const curve = { lower: -9, upper: 9, rate: 1, asymmetry: 1, center: 0 };
    const transform = cascade([
      pointwise({ dimension: 2, ...curve }),
      affine({ dimension: 2 }),
      linear({ dimension: 2, H: [1, 2, 0, 1] }),
    ]);
    const result = await verify(referenceRunner, transform, Float64Array.of(1, 2, 3, 10));
    expect(result).toMatchObject({ certificate: null, cycleMean: null, certified: true });
    expect(result).toMatchObject({ samples: 2, smallestPivot: null, outsideSamples: 1 });
    expect(result.proven.map((sentence) => sentence.slice(0, 41))).toEqual([
      "Proven: the model is invertible everywher",
      "Proven: stage 0 (pointwise) is invertible",
      "Proven: stage 1 (affine) is invertible: n",
      "Proven: stage 2 (linear) is invertible: H",
    ]);
    expect(result.observed).toEqual([
      expect.stringMatching(/^Observed: 1 of 2 samples lie outside the domain of a stage/),
    ]);
  });
});

describe(`what is observed (seed ${seed})`, () => {
  test.each(everyStructure)(
    "certified models never fail, however far out: $structure",
    async (size) => {
      const random = createRandom(seed, "certified", size.structure);
      const layer = startingGdn(size);
      const x = random.normalFill(new Float64Array(300 * size.dimension));
      x.forEach((value, k) => (x[k] = value * 10 ** (random.integer(16) - 4)));
      const { certificate, certified, smallestPivot, failedSamples, observed } = await verify(
        simdRunner,
        layer,
        x,
      );
      if (!certified) return;
      expect(failedSamples).toBe(0);
      // Rounding: M_ij, and the sums of the elimination.
      expect(smallestPivot).toBeGreaterThan((1 - certificate!) * (1 - 1e-12));
      expect(observed[0]).toMatch(
        /^Observed over 300 samples: every pivot of I − M is positive \(smallest 0\.\d+\)/,
      );
    },
  );

  test("makes one sentence of two claims for well-behaved data", async () => {
    const layer = startingGdn({ structure: "column", dimension: 3 });
    const x = createRandom(seed, "well-behaved").normalFill(new Float32Array(3 * 2000));
    const result = await verify(simdRunner, layer, x);
    expect(result.indefiniteSamples).toBe(0);
    expect(result.observed).toHaveLength(1);
    expect(result.observed[0]).toMatch(
      /^Observed over 2,000 samples: every pivot of I − M is positive \(smallest 0\.\d+\) and the symmetrised Jacobian is positive definite \(smallest eigenvalue 0\.\d+\)\.$/,
    );
  });

  test("an indefinite Jacobian of a proven model is a note, not an observation", async () => {
    // Far out along z_0, J_11 falls as D_1^−0.9, J_00 and J_01 only as D_0^−0.1.
    const layer = gdn({
      structure: "column",
      dimension: 2,
      alpha: [1, 1],
      beta: [1, 1],
      gamma: [1, 1, 1, 1],
      epsilon: [0.1, 0.9],
    });
    const result = await verify(referenceRunner, layer, Float64Array.of(0, 0, 1e6, 1e-3));
    expect(result).toMatchObject({ certified: true, failedSamples: 0, indefiniteSamples: 1 });
    expect(result.stages[0].smallestEigenvalue).toMatchObject({ sample: 1 });
    expect(result.observed).toHaveLength(1);
    expect(result.notes).toHaveLength(1);
    expect(result.notes[0]).toMatch(
      /^Note: the paper's sufficient condition, a positive definite Jacobian, fails at 1 of 2 samples in the transform \(gdn, column\) \(smallest eigenvalue −[\d.e−]+, at sample 1\); it is not needed\.$/,
    );
    const both = await verify(
      referenceRunner,
      cascade([layer, affine({ dimension: 2 })]),
      Float64Array.of(0, 0, 1e6, 1e-3),
    );
    expect(both.proven[0]).toBe(
      "Proven: the model is invertible everywhere (cycle mean μ = 0.9 < 1).",
    );
    expect(both.notes[0]).toContain("fails at 1 of 2 samples in stage 0 (gdn, column)");
  });

  test("an indefinite Jacobian of a disproven model is an observation", async () => {
    const { observed, notes, proven } = await verify(
      referenceRunner,
      cascade([affine({ dimension: 2 }), unsound]),
      Float64Array.of(5, -5),
    );
    expect(proven[0]).toBe(
      "Disproven: the model is not invertible, and what it induces is no density.",
    );
    expect(notes).toEqual([]);
    expect(observed[1]).toMatch(
      /^Observed: the symmetrised Jacobian is not positive definite at 1 of 1 samples in stage 1 \(gdn, general\) \(smallest eigenvalue −[\d.]+, at sample 0\)\.$/,
    );
  });

  test("an unsound model works near 0, fails far out, and says so", async () => {
    const near = await verify(referenceRunner, unsound, Float64Array.of(0.1, 0.2, 0, 0, -0.3, 0.1));
    expect(near.failedSamples).toBe(0);
    const x = Float64Array.of(0.1, 0.2, 5, -5, 0.3, 0.2, 1000, 1000);
    const far = await verify(referenceRunner, unsound, x);
    expect(far.failedSamples).toBe(2);
    expect(far.smallestPivot).toBeLessThan(0);
    expect(far.stages[0].smallestPivot).toEqual({ value: far.smallestPivot, sample: 3 });
    expect(far.observed[0]).toMatch(
      /^Observed: a pivot of I − M is not positive at 2 of 4 samples in the transform \(gdn, general\) \(smallest −[\d.]+, at sample 3\): the determinant may have changed its sign, the model is not invertible and its density is not valid there\.$/,
    );
  });

  test("ignores a pivot that is 0 only by rounding", async () => {
    const classic = gdn({ structure: "classic", dimension: 1, beta: [1] });
    const { failedSamples, observed } = await verify(
      referenceRunner,
      classic,
      Float64Array.of(2 ** 100),
    );
    expect(failedSamples).toBe(1);
    expect(observed[0]).toContain("only by rounding, but no density can be computed there");
  });

  test("passes the output of a stage to the next one", async () => {
    const random = createRandom(seed, "cascade");
    const first = cascade([
      affine({ dimension: 3, scale: [2, -1, 0.5], shift: [0.1, 0, -0.2] }),
      randomLayer(random, { form: "general", n: 3, linear: true }),
      linear({ dimension: 3, H: random.normalFill(new Float64Array(9)) }),
    ]);
    const last = randomLayer(random, { form: "column", n: 3, linear: true });
    const x = random.normalFill(new Float64Array(3 * 40));
    const whole = await verify(referenceRunner, cascade([first, last]), x);
    const { y } = await gaussianize(referenceRunner, first, x);
    const alone = await verify(referenceRunner, last, y);
    const [inCascade, byItself] = [whole.stages[3], alone.stages[0]];
    expect(inCascade.smallestPivot!.sample).toBe(byItself.smallestPivot!.sample);
    expect(inCascade.smallestEigenvalue!.sample).toBe(byItself.smallestEigenvalue!.sample);
    const values = (of: typeof inCascade): number[] => [
      of.smallestPivot!.value,
      of.smallestEigenvalue!.value,
    ];
    // The sums of two ways to write the same products.
    expectClose(values(inCascade), values(byItself), { relative: 1e-11 });
    expect(whole.stages.map(({ smallestPivot }) => smallestPivot !== null)).toEqual([
      false,
      true,
      false,
      true,
    ]);
    expect(whole.smallestPivot).toBe(
      Math.min(whole.stages[1].smallestPivot!.value, inCascade.smallestPivot!.value),
    );
  });
});

describe("tasks", () => {
  const layer = startingGdn({ structure: "general", dimension: 4 });
  const x = createRandom(seed, "tasks").normalFill(new Float64Array(4 * 23));

  test("one, several, and more than samples give the same", async () => {
    const results = await Promise.all([1, 3, 100].map((size) => verify(runnerOf(size), layer, x)));
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
    const { proven, certificate } = await verify(runnerOf(3), layer, null);
    expect({ proven, certificate }).toEqual({
      proven: results[0].proven,
      certificate: results[0].certificate,
    });
  });

  test("progress is counted in samples", async () => {
    const seen: number[][] = [];
    const onProgress = (done: number, total: number) => seen.push([done, total]);
    await verify(runnerOf(3), layer, x, { onProgress });
    expect(seen).toEqual([
      [8, 23],
      [16, 23],
      [23, 23],
    ]);
  });

  test("an abort ends it between two tasks", async () => {
    const controller = new AbortController();
    let tasks = 0;
    const onProgress = (): void => {
      tasks += 1;
      controller.abort(new Error("enough"));
    };
    const run = verify(runnerOf(5), layer, x, { signal: controller.signal, onProgress });
    await expect(run).rejects.toThrow("enough");
    expect(tasks).toBe(1);
  });

  test("workers know the job and receive the model in messages", async () => {
    let byWorkers = 0;
    const start = () => startFakeWorker(jobs, () => byWorkers++);
    const pool = await WorkerPool.open(referenceKernels, 2, start);
    expect(await verify(pool, layer, x)).toEqual(await verify(referenceRunner, layer, x));
    expect(byWorkers).toBe(2);
    await pool.close();
  });

  test("no samples prove what no data prove", async () => {
    const none = await verify(referenceRunner, layer, new Float64Array(0));
    expect(none).toEqual(await verify(referenceRunner, layer, null));
  });

  test("rejects invalid data and parameters", async () => {
    await expectError(verify(referenceRunner, layer, new Float64Array(7)), {
      code: "invalid-argument",
      argument: "x",
    });
    const wrong = { ...layer, epsilon: new Float64Array(4).fill(2) } as typeof layer;
    await expect(verify(referenceRunner, wrong, null)).rejects.toThrow("Expected epsilon[0]");
  });
});
