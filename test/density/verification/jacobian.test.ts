import { describe, expect, test } from "vitest";
import { JacobianProbe } from "../../../src/density/verification/jacobian.js";
import type { GdnParameters } from "../../../src/kernels/kernels.js";
import { referenceKernels } from "../../../src/kernels/reference/index.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { symmetricEigen } from "../../../src/transforms/symmetric-eigen.js";
import { derivative, logAbsDeterminant } from "../../support/differences.js";
import { expectClose, largest } from "../../support/expect-close.js";
import { kernelFor, randomParameters, sampleResults } from "../../support/gdn-layers.js";
import { seed } from "../../support/seed.js";
import { smoothSamples } from "../../support/scenes.js";

function normalize(parameters: GdnParameters, z: Float64Array): Float64Array {
  const results = sampleResults(referenceKernels, z.length, 1);
  kernelFor(referenceKernels, parameters, 1).gaussianize(z, 1, results);
  return results.y as Float64Array;
}

/** ∂y_i/∂z_k of the kernel by central differences. */
function jacobianByDifferences(
  parameters: GdnParameters,
  z: Float64Array,
  step?: number,
): Float64Array {
  const n = z.length;
  return Float64Array.from({ length: n * n }, (_, ik) => {
    const [i, k] = [Math.floor(ik / n), ik % n];
    return derivative((t) => {
      const moved = z.map((value, j) => (j === k ? value + t : value));
      return normalize(parameters, moved)[i];
    }, step);
  });
}

const symmetric = (J: Float64Array, n: number): Float64Array =>
  J.map((value, k) => (value + J[(k % n) * n + Math.floor(k / n)]) / 2);

/** Central differences of functions of size 1 with steps of 1e-4: see derivative(). */
const byDifferences = { relative: 1e-8, absolute: 1e-8 };

describe(`the Jacobian (seed ${seed})`, () => {
  const cases = (["general", "column", "low-rank"] as const).flatMap((form) =>
    [1, 3, 7].map((n) => ({ form, n })),
  );
  test.each(cases)("equals the differences of the kernel: $form, $n dimensions", ({ form, n }) => {
    const random = createRandom(seed, "jacobian", form, n);
    const parameters = randomParameters(random, { form, n, linear: false });
    const probe = new JacobianProbe(parameters);
    for (let s = 0; s < 3; s += 1) {
      const z = smoothSamples(random, parameters, 1);
      const J = jacobianByDifferences(parameters, z);
      expectClose(probe.jacobian(z), J, byDifferences, "J");
      const y = new Float64Array(n);
      const findings = probe.look(z, y);
      expectClose(y, normalize(parameters, z), { relative: 1e-14, scale: largest(y) }, "y");
      const { values } = symmetricEigen(symmetric(J, n), n);
      expectClose(findings!.smallestEigenvalue, Math.min(...values), byDifferences, "eigenvalue");
      expect(findings!.isDefinite).toBe(Math.min(...values) > 0);
    }
  });

  test.each(["general", "column", "low-rank"] as const)("at z_k = 0 has sgn(0) = 0: %s", (form) => {
    const random = createRandom(seed, "kinks", form);
    const parameters = randomParameters(random, { form, n: 5, linear: false });
    parameters.alpha.fill(1);
    const z = Float64Array.of(0.5, 0, -2, -0, 1);
    const J = new JacobianProbe(parameters).jacobian(z);
    // A central difference across the kink of |z_k| is the mean of both sides, too; that of z_k
    // |z_k| is off by the step.
    expectClose(J, jacobianByDifferences(parameters, z, 1e-6), { absolute: 1e-6 });
  });

  test("of the diagonal form is the same without a matrix", () => {
    const random = createRandom(seed, "diagonal");
    const n = 6;
    const diagonal = randomParameters(random, { form: "diagonal", n, linear: false });
    const gamma = new Float64Array(n * n);
    for (let i = 0; i < n; i += 1) gamma[i * n + i] = diagonal.gamma[i];
    const full: GdnParameters = { ...diagonal, form: "column", gamma };
    const z = random.normalFill(new Float64Array(n));
    z[2] = 0;
    const ys = [new Float64Array(n), new Float64Array(n)];
    const [own, other] = [diagonal, full].map((parameters, k) =>
      new JacobianProbe(parameters).look(z, ys[k]),
    );
    expectClose(ys[0], ys[1], { relative: 1e-15 });
    expectClose(own!.smallestPivot, other!.smallestPivot, { relative: 1e-14 });
    expectClose(own!.smallestEigenvalue, other!.smallestEigenvalue, { relative: 1e-14 });
  });
});

describe("the smallest pivot of I − M", () => {
  test("matches a calculation by hand in two dimensions", () => {
    // z = (1, 1): D = (4, 5), M = ½·2·[[1/4, 2/4], [3/5, 1/5]].
    const parameters: GdnParameters = {
      form: "column",
      dimension: 2,
      H: null,
      alpha: Float64Array.of(2, 2),
      beta: Float64Array.of(1, 1),
      gamma: Float64Array.of(1, 2, 3, 1),
      epsilon: Float64Array.of(0.5, 0.5),
    };
    const findings = new JacobianProbe(parameters).look(
      Float64Array.of(1, -1),
      new Float64Array(2),
    );
    expectClose(findings!.smallestPivot, 0.8 - (0.5 * 0.6) / 0.75, { relative: 1e-15 });
  });

  test("returns null beyond the range of Float64", () => {
    const parameters = randomParameters(createRandom(seed, "range"), {
      form: "general",
      n: 2,
      linear: false,
    });
    parameters.alpha.fill(2);
    parameters.gamma.fill(1);
    const probe = new JacobianProbe(parameters);
    expect(probe.look(Float64Array.of(1, 1e200), new Float64Array(2))).toBeNull();
    expect(probe.look(Float64Array.of(1, 1e100), new Float64Array(2))).not.toBeNull();
  });

  test("is positive throughout where the kernel has a determinant, which is that of J", () => {
    const random = createRandom(seed, "determinant");
    const n = 5;
    const parameters = randomParameters(random, { form: "general", n, linear: false });
    for (let s = 0; s < 20; s += 1) {
      const z = random.normalFill(new Float64Array(n)).map((value) => 10 ** (s % 4) * value);
      const results = sampleResults(referenceKernels, n, 1);
      kernelFor(referenceKernels, parameters, 1).gaussianize(z, 1, results);
      const probe = new JacobianProbe(parameters);
      const { smallestPivot } = probe.look(z, new Float64Array(n))!;
      expect(smallestPivot > 0).toBe(results.failedPivot[0] < 0);
      if (results.failedPivot[0] >= 0) continue;
      const J = probe.jacobian(z);
      const rows = Array.from({ length: n }, (_, i) => J.subarray(i * n, (i + 1) * n));
      expectClose(logAbsDeterminant(rows), results.logDeterminant[0], { absolute: 1e-10 });
    }
  });
});
