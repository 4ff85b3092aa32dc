/** GDN passes compared with the specification on the same Float32 values. */
import { describe, expect, test } from "vitest";
import type {
  FloatArray,
  GdnForm,
  GdnParameters,
  GradientResults,
  SampleResults,
} from "../../src/kernels/kernels.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose, largest, smallestFloat32 } from "../support/expect-close.js";
import {
  type GdnCase,
  backpropagate,
  gaussianize,
  gdnForms,
  groupsOf,
  inputGradient,
  poolsOf,
  randomCase,
  randomParameters,
  type FullResults,
} from "../support/gdn-layers.js";
import { type GdnMagnitudes, gdnMagnitudes } from "./gdn-magnitudes.js";
import { seed } from "../support/seed.js";
import { type KernelsUnderTest, testSizes } from "./kernels-under-test.js";

export function describeGdnAccuracy(subject: KernelsUnderTest): void {
  for (const form of gdnForms) {
    for (const linear of [false, true]) {
      describe(`GDN, ${form} form, ${linear ? "with" : "without"} H: agreement with the specification`, () => {
        test.each(testSizes)(
          "n = %d: results and all gradients, within the rounding bound",
          (n) => {
            // The specification takes n³ steps for a sample.
            const count = n < 60 ? 13 : n < 100 ? 5 : n < 256 ? 3 : 1;
            const random = createRandom(seed, "accuracy", form, n, linear ? "H" : "");
            expectAgreement(subject, randomCase(random, { form, n, linear, count }));
          },
        );

        test.each([1, 3, 5, 13])("%d samples in leaves of 4, the last not full", (count) => {
          const random = createRandom(seed, "counts", form, count, linear ? "H" : "");
          expectAgreement(subject, randomCase(random, { form, n: 7, linear, count }));
        });
      });
    }
    describe(`GDN, ${form} form: extreme inputs agree with the specification`, () => {
      describeExtremes(subject, form);
    });
  }
}

function expectAgreement(subject: KernelsUnderTest, gdnCase: GdnCase): void {
  const kernels = subject.kernels();
  for (const upstream of [null, gdnCase.upstream]) {
    const expected = backpropagate(referenceKernels, gdnCase, upstream);
    expect([...expected.failedPivot], "the case itself is sound").toEqual(
      Array.from({ length: gdnCase.count }, () => -1),
    );
    const magnitudes = gdnMagnitudes(gdnCase, upstream);
    const actual = backpropagate(kernels, gdnCase, upstream);
    expectSamples(subject, gdnCase, actual, expected, magnitudes);
    expectSums(subject, gdnCase, actual, expected, magnitudes);
    expectInputGradient(subject, gdnCase, actual, expected, magnitudes);
    const score = inputGradient(kernels, gdnCase, upstream);
    expectSamples(subject, gdnCase, score, expected, magnitudes);
    expectInputGradient(subject, gdnCase, score, expected, magnitudes);
    if (upstream) continue;
    expectSamples(subject, gdnCase, gaussianize(kernels, gdnCase), expected, magnitudes);
  }
}

function expectSamples(
  { epsilon }: KernelsUnderTest,
  { parameters, count }: GdnCase,
  actual: SampleResults,
  expected: SampleResults,
  { condition }: GdnMagnitudes,
): void {
  const n = parameters.dimension;
  expect([...actual.failedPivot]).toEqual([...expected.failedPivot]);
  // z and D are sums of n terms, whose roundings add up like their square root; D^−ε adds two
  // roundings.
  const relative = (2 + Math.sqrt(n)) * epsilon;
  for (let s = 0; s < count; s += 1) {
    const row = (results: SampleResults): FloatArray =>
      (results.y as FloatArray).subarray(s * n, (s + 1) * n);
    // The terms of z = Hx may cancel; without H every y_i is accurate.
    const scale = parameters.H ? largest(row(expected)) : 0;
    const tolerance = { relative, scale, absolute: smallestFloat32 };
    expectClose(row(actual), row(expected), tolerance, `y of sample ${s}`);
  }
  // Energies are sums of squares, all positive, so they have twice the relative error of y.
  const ofEnergy = { relative: 2 * relative, absolute: smallestFloat32 };
  expectClose(actual.energy, expected.energy, ofEnergy, "½‖y‖²");
  // n logarithms of pivots, each with about n roundings of either sign, amplified by the
  // elimination.
  const absolute = 0.5 * (n + 4) * condition * epsilon;
  expectClose(actual.logDeterminant, expected.logDeterminant, { absolute }, "log-determinant");
}

/**
 * About eight roundings of the terms, amplified by the elimination. H adds those of z, which matter
 * most for z near 0, where |z|^(α − 1) is steep.
 */
function relativeErrorOf(
  { epsilon }: KernelsUnderTest,
  { H }: GdnParameters,
  { condition }: GdnMagnitudes,
): number {
  return (H ? 32 : 8) * condition * epsilon;
}

function expectInputGradient(
  subject: KernelsUnderTest,
  { parameters, count }: GdnCase,
  actual: GradientResults<unknown>,
  expected: FullResults,
  magnitudes: GdnMagnitudes,
): void {
  const n = parameters.dimension;
  const relative = relativeErrorOf(subject, parameters, magnitudes);
  for (let s = 0; s < count; s += 1) {
    const row = (values: FloatArray | null): FloatArray =>
      (values as FloatArray).subarray(s * n, (s + 1) * n);
    const scale = scaleOf(parameters, row(magnitudes.xGradient));
    const tolerance = { relative, scale, absolute: smallestFloat32 };
    const what = `∂L/∂x of sample ${s}`;
    expectClose(row(actual.xGradient), row(expected.xGradient), tolerance, what);
  }
}

function expectSums(
  subject: KernelsUnderTest,
  { parameters, count }: GdnCase,
  actual: FullResults,
  expected: FullResults,
  magnitudes: GdnMagnitudes,
): void {
  const relative = relativeErrorOf(subject, parameters, magnitudes);
  const wanted = groupsOf(expected.sums);
  const scales = groupsOf(magnitudes.sums);
  groupsOf(actual.sums).forEach(([group, values], k) => {
    // For denormal terms, a few of their roundings per sample.
    const absolute = 8 * count * smallestFloat32;
    const tolerance = { relative, scale: scaleOf(parameters, scales[k][1]), absolute };
    expectClose(values, wanted[k][1], tolerance, `Σ ∂L/∂${group}`);
  });
}

function scaleOf({ H }: GdnParameters, values: FloatArray): number | FloatArray {
  return H ? largest(values) : values;
}

function describeExtremes(subject: KernelsUnderTest, form: GdnForm): void {
  const tiny = [1e-30, -1e-30, 1e-36, -1e-33, 1e-20, 0, -0, 1e-12];
  const huge = [1e4, -1e4, 1e5, -3e5, 1e6, -1e6];
  const one = [1, -1, 0.5, -2];

  /** Returns samples of the given values in random order, without H. */
  const caseOf = (values: readonly number[], n: number): GdnCase => {
    const random = createRandom(seed, "extremes", form, n, values.length);
    const given = randomParameters(random, { form, n, linear: false });
    const alpha = given.alpha.map((value) => Math.max(1, Math.round(value * 2) / 2));
    // ε_i α_ij < 1 for all i, j, because α is at most 2.5: valid for every input.
    const epsilon = given.epsilon.map((value) => 0.4 * value);
    const count = 6;
    const x = Float32Array.from({ length: count * n }, () => values[random.integer(values.length)]);
    const parameters: GdnParameters = { ...given, alpha, epsilon };
    return { parameters, count, x, upstream: random.normalFill(new Float32Array(count * n)) };
  };

  test("tiny inputs", () => {
    for (const n of [1, 3, 17]) expectAgreement(subject, caseOf(tiny, n));
  });

  test("inputs of 1e4 to 1e6", () => {
    for (const n of [1, 3, 17]) expectAgreement(subject, caseOf(huge, n));
  });

  test("tiny, moderate and huge inputs in one vector", () => {
    for (const n of [2, 7, 17]) {
      expectAgreement(subject, caseOf([...tiny, ...one, ...huge], n));
    }
  });

  test("∂L/∂x has |z|^(α − 1) with 1 < α < 1.5 for inputs as small as 1e-30, and 0 at 0", () => {
    const [n, count] = [2, 1];
    const alpha = Float32Array.of(1.05, 1.2, 1.1, 1.3).subarray(0, form === "general" ? 4 : 2);
    const parameters: GdnParameters = {
      form,
      dimension: n,
      H: null,
      alpha,
      ...poolsOf(form, n, (i, j) => [0.7, 0.1, 0.2, 0.5][i * n + j]),
      beta: Float32Array.of(0.5, 1.5),
      epsilon: Float32Array.of(0.4, 0.3),
    };
    const at = (size: number) => ({ parameters, count, x: Float32Array.of(size, -size) });
    const relative = 8 * subject.epsilon;
    for (const size of [1e-18, 1e-30, 0]) {
      const expected = backpropagate(referenceKernels, at(size), null);
      for (const pass of [backpropagate, inputGradient]) {
        const actual = pass(subject.kernels(), at(size), null);
        expectClose(actual.xGradient as FloatArray, expected.xGradient as FloatArray, { relative });
      }
    }
    // Denormals count as 0, except that y_i keeps their sign and size.
    for (const size of [1e-40, 1.4e-45]) {
      const actual = backpropagate(subject.kernels(), at(size), null);
      const { y } = backpropagate(referenceKernels, at(size), null);
      expectClose(actual.y as FloatArray, y as FloatArray, { absolute: smallestFloat32 });
      expectClose(actual.xGradient as FloatArray, [0, 0], { absolute: 4 * size });
    }
  });

  // γ|z|^α does not overflow for any j, but their sum does. A diagonal γ has no sum.
  test.skipIf(form === "diagonal")(
    "reports an overflowing pool D as a failed pivot, not as a finite log-determinant",
    () => {
      const n = 16;
      const dense = (value: number): Float32Array => new Float32Array(n * n).fill(value);
      const parameters: GdnParameters = {
        form,
        dimension: n,
        H: null,
        alpha: form === "general" ? dense(2) : dense(2).subarray(0, n),
        ...poolsOf(form, n, () => 1),
        beta: new Float32Array(n).fill(1),
        epsilon: new Float32Array(n).fill(0.3),
      };
      const x = new Float32Array(n).fill(1e19);
      const { failedPivot } = gaussianize(subject.kernels(), {
        parameters,
        x,
        count: 1,
        upstream: x,
      });
      expect(failedPivot[0]).toBeGreaterThanOrEqual(0);
    },
  );
}
