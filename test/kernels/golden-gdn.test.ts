/**
 * Compares all kernels with test/fixtures/gdn.json: values and gradients of 14 layers from an
 * independent program with automatic differentiation in Float64.
 */
import { beforeAll, describe, expect, test } from "vitest";
import type { FloatArray, GdnForm, GdnParameters, Kernels } from "../../src/kernels/kernels.js";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { expectClose, float32Epsilon, largest } from "../support/expect-close.js";
import { backpropagate, gaussianize } from "../support/gdn-layers.js";
import {
  type FixtureCase,
  type FixtureGroups,
  fixtureCases as cases,
  formsOf,
} from "../support/golden-gdn.js";
import { enableRelaxedSimd } from "../support/relaxed-simd.js";

/**
 * Allowed errors relative to the largest value of each array. Float64: about N² roundings, and log
 * p sums terms of 1e2. Float32: the parameters are rounded first, about 16 roundings follow in a
 * gradient, and the inverse amplifies them slightly.
 */
const tolerances = {
  reference: 1e-10,
  simd: 32 * float32Epsilon,
  "relaxed-simd": 32 * float32Epsilon,
};

type Matrix = FixtureGroups["alpha"];
const diagonalOf = (matrix: Matrix): number[] => matrix.map((row, i) => row[i]);
const columnSums = (matrix: Matrix): number[] =>
  matrix[0].map((_, j) => matrix.reduce((sum, row) => sum + row[j], 0));

const subjects = (["reference", "simd", "relaxed-simd"] as const).filter(
  (name) => name !== "relaxed-simd" || enableRelaxedSimd(),
);

describe.each(subjects)("%s kernels and the golden layers", (name) => {
  let kernels: Kernels;
  beforeAll(async () => {
    ({ kernels } = await loadKernels({ kernels: name }));
  });
  const relative = tolerances[name];

  for (const golden of cases) {
    for (const form of formsOf(golden.parameters)) {
      test(`${golden.name}, ${form} form: every value and gradient to ${relative.toPrecision(1)}`, () => {
        const expectGolden = (what: string, actual: ArrayLike<number>, wanted: number[]): void => {
          // Float64 value by value, down to the rounding of the largest terms; Float32 against the
          // largest value.
          const tolerance =
            name === "reference"
              ? { relative, absolute: 1e-14 * largest(wanted) }
              : { relative, scale: largest(wanted) };
          expectClose(actual, wanted, tolerance, what);
        };
        expectCase(kernels, golden, form, expectGolden);
      });
    }
  }
});

test("the fixture holds 14 layers, of every form", () => {
  expect(cases.length).toBe(14);
  const forms = cases.map(({ parameters }) => formsOf(parameters));
  for (const form of ["column", "diagonal"] as const) {
    expect(forms.some((list) => list.includes(form))).toBe(true);
  }
});

function expectCase(
  kernels: Kernels,
  golden: FixtureCase,
  form: GdnForm,
  expectGolden: (what: string, actual: ArrayLike<number>, wanted: number[]) => void,
): void {
  const { N: n } = golden;
  const count = golden.x.length;
  const floats = (values: readonly number[]): FloatArray => {
    const array = kernels.floats(values.length);
    array.set(values);
    return array;
  };
  const layer = golden.parameters;
  const H = floats(layer.H.flat());
  const x = floats(golden.x.flat());
  const parameters: GdnParameters = {
    form,
    dimension: n,
    H,
    // In the diagonal form only α_ii matters.
    alpha: floats(form === "general" ? layer.alpha.flat() : diagonalOf(layer.alpha)),
    beta: floats(layer.beta),
    gamma: floats(form === "diagonal" ? diagonalOf(layer.gamma) : layer.gamma.flat()),
    epsilon: floats(layer.epsilon),
  };

  // zᵀ = H xᵀ
  const transposed = floats(golden.x[0].flatMap((_, j) => golden.x.map((row) => row[j])));
  const z = kernels.floats(n * count);
  kernels.multiply(H, transposed, z, { rows: n, inner: n, columns: count });
  expectGolden(
    "z",
    z,
    golden.z[0].flatMap((_, i) => golden.z.map((row) => row[i])),
  );

  const inverse = kernels.floats(n * n);
  const logDetH = kernels.invert(H, n, inverse);
  const values = gaussianize(kernels, { parameters, x, count, upstream: x });
  const gradients = backpropagate(kernels, { parameters, x, count }, null);
  for (const results of [values, gradients]) {
    expect([...results.failedPivot]).toEqual(golden.x.map(() => -1));
    expectGolden("y", results.y as FloatArray, golden.y.flat());
    const logDeterminants = results.logDeterminant.map((value) => value + logDetH);
    expectGolden("log |det ∂y/∂x|", logDeterminants, [...golden.logAbsDetJacobian]);
    const constant = (n / 2) * Math.log(2 * Math.PI);
    const logProb = logDeterminants.map((value, s) => value - results.energy[s] - constant);
    expectGolden("log p", logProb, [...golden.logProb]);
    // ΔJ is the mean of −log p minus that of a standard normal density at x.
    const mean = (array: ArrayLike<number>): number =>
      Array.from(array).reduce((sum, value) => sum + value, 0) / count;
    const ofNormal = golden.x.map((row) => row.reduce((sum, v) => sum - (v * v) / 2, -constant));
    const scale = largest(golden.logProb);
    const deltaJ = mean(ofNormal) - mean(logProb);
    expectGolden("ΔJ", [deltaJ, scale], [golden.deltaJ, scale]);
  }

  expectGolden(
    "score",
    (gradients.xGradient as FloatArray).map((value) => -value),
    golden.score.flat(),
  );
  const wanted = golden.gradientOfMeanNegativeLogProb;
  const meanOf = (sum: FloatArray): Float64Array =>
    Float64Array.from(sum, (value) => value / count);
  // The sums do not include −H⁻ᵀ.
  const ofH = meanOf(gradients.sums.H as FloatArray).map(
    (value, k) => value - inverse[(k % n) * n + Math.floor(k / n)],
  );
  expectGolden("∂/∂H", ofH, wanted.H.flat());
  const ofAlpha = form === "general" ? wanted.alpha.flat() : columnSums(wanted.alpha);
  expectGolden("∂/∂α", meanOf(gradients.sums.alpha), ofAlpha);
  expectGolden("∂/∂β", meanOf(gradients.sums.beta), [...wanted.beta]);
  const ofGamma = form === "diagonal" ? diagonalOf(wanted.gamma) : wanted.gamma.flat();
  expectGolden("∂/∂γ", meanOf(gradients.sums.gamma), ofGamma);
  expectGolden("∂/∂ε", meanOf(gradients.sums.epsilon), [...wanted.epsilon]);
}
