import { describe, expect, test } from "vitest";
import { ScaleMixture, scaleWeights, scales } from "../../src/denoising/scale-mixture.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import { createRandom } from "../../src/random/random-stream.js";
import { symmetricEigen } from "../../src/transforms/symmetric-eigen.js";
import { expectClose } from "../support/expect-close.js";
import { seed } from "../support/seed.js";

const random = createRandom(seed, "scale mixture");

/** A covariance without symmetries, its eigenvalues at least `least`. */
function covarianceOf(n: number, least: number): Float64Array {
  const factor = random.stream("factor", n).normalFill(new Float64Array(n * n));
  return Float64Array.from({ length: n * n }, (_, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    let sum = i === j ? least : 0;
    for (let k = 0; k < n; k++) sum += factor[i * n + k] * factor[j * n + k];
    return sum;
  });
}

const withDiagonal = (matrix: Float64Array, n: number, value: number): Float64Array =>
  matrix.map((entry, at) => entry + (at % (n + 1) === 0 ? value : 0));
const quadratic = (matrix: Float64Array, y: Float64Array): number => {
  const n = y.length;
  return y.reduce(
    (sum, yi, i) => sum + yi * y.reduce((row, yj, j) => row + matrix[i * n + j] * yj, 0),
    0,
  );
};

/** E(x_c | y) by the definition: inverse and determinant of z C_u + σ² I for every z. */
function byInverses(signal: Float64Array, sigma: number, center: number, y: Float64Array): number {
  const n = y.length;
  let [total, sum] = [0, 0];
  scales.forEach((z, k) => {
    const scaled = signal.map((value) => z * value);
    const noisy = withDiagonal(scaled, n, sigma ** 2);
    const inverse = new Float64Array(n * n);
    const { values } = symmetricEigen(noisy, n);
    referenceKernels.invert(noisy, n, inverse);
    const logDeterminant = values.reduce((logs, value) => logs + Math.log(value), 0);
    const p = scaleWeights[k] * Math.exp(-0.5 * (quadratic(inverse, y) + logDeterminant));
    for (let j = 0; j < n; j++) {
      for (let i = 0; i < n; i++) {
        sum += p * scaled[center * n + i] * inverse[i * n + j] * y[j];
      }
    }
    total += p;
  });
  return sum / total;
}

describe(`the posterior mean of a neighbourhood (seed ${seed})`, () => {
  test.each([1, 2, 9, 10])("of %i coefficients equals that by inverse matrices to 1e-10", (n) => {
    const sigma = 0.7;
    const signal = covarianceOf(n, 0.1);
    const covariance = withDiagonal(signal, n, sigma ** 2);
    const center = n >> 1;
    const mixture = new ScaleMixture({ covariance, dimension: n, sigma, center });
    for (const size of [0.1, 1, 4]) {
      const y = random.stream("y", n, size).normalFill(new Float64Array(n));
      y.forEach((value, i) => (y[i] = size * value));
      const expected = byInverses(signal, sigma, center, y);
      expectClose(mixture.estimate(y), expected, { absolute: 1e-10 }, `size ${size}`);
    }
  });

  test("of two coefficients is that by integration over all clean neighbourhoods to 1e-10", () => {
    const sigma = 0.8;
    const signal = Float64Array.of(1, 0.3, 0.3, 0.5);
    const covariance = withDiagonal(signal, 2, sigma ** 2);
    const mixture = new ScaleMixture({ covariance, dimension: 2, sigma, center: 1 });
    for (const y of [Float64Array.of(1.2, -0.7), Float64Array.of(-3, -2.5)]) {
      expectClose(mixture.estimate(y), byIntegration(signal, sigma, y), { absolute: 1e-10 });
    }
  });

  test("accepts coefficients of any size, and removes no more than noise from large ones", () => {
    const covariance = Float64Array.of(2);
    const mixture = new ScaleMixture({ covariance, dimension: 1, sigma: 1, center: 0 });
    // At the largest scale, e^3.5, λz/(λz + 1) = 0.9707.
    expectClose(mixture.estimate(Float64Array.of(1e6)), 1e6 * (1 - 1 / (1 + Math.exp(3.5))), {
      relative: 1e-9,
    });
    expect(mixture.estimate(Float64Array.of(0))).toBe(0);
  });

  test("is odd, and shrinks", () => {
    const covariance = covarianceOf(9, 1.5);
    const mixture = new ScaleMixture({ covariance, dimension: 9, sigma: 1, center: 4 });
    const y = random.stream("odd").normalFill(new Float64Array(9));
    expectClose(mixture.estimate(y.map((value) => -value)), -mixture.estimate(y), {});
    const direction = Float64Array.of(0, 0, 0, 0, 2, 0, 0, 0, 0);
    expect(mixture.estimate(direction)).toBeGreaterThan(0);
    expect(mixture.estimate(direction)).toBeLessThan(2);
  });

  test("is 0 if there is less than the noise", () => {
    const covariance = Float64Array.of(0.9, 0, 0, 0.8);
    const mixture = new ScaleMixture({ covariance, dimension: 2, sigma: 1, center: 0 });
    expect(mixture.estimate(Float64Array.of(5, 3))).toBe(0);
  });
});

/**
 * ∫ √z u_1 p(u) p(y | √z u) du, by the trapezoidal rule on a grid, over the same without √z u_1;
 * both summed over the scales.
 */
function byIntegration(signal: Float64Array, sigma: number, y: Float64Array): number {
  const inverse = new Float64Array(4);
  referenceKernels.invert(signal, 2, inverse);
  // The narrowest factor, of the largest scale, has a standard deviation of two steps: the rule is
  // exact to e^−77.
  const [step, reach] = [0.07, 8];
  let [total, sum] = [0, 0];
  scales.forEach((z, k) => {
    const root = Math.sqrt(z);
    for (let a = -reach; a <= reach; a += step) {
      for (let b = -reach; b <= reach; b += step) {
        const prior = inverse[0] * a * a + 2 * inverse[1] * a * b + inverse[3] * b * b;
        const misfit = ((y[0] - root * a) ** 2 + (y[1] - root * b) ** 2) / sigma ** 2;
        const p = scaleWeights[k] * Math.exp(-0.5 * (prior + misfit));
        sum += p * root * b;
        total += p;
      }
    }
  });
  return sum / total;
}
