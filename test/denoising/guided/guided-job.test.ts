import { describe, expect, test } from "vitest";
import {
  type ExpertField,
  type GuidedExpert,
  limits,
} from "../../../src/denoising/guided/guided-density.js";
import { estimateJob } from "../../../src/denoising/guided/estimate-job.js";
import {
  expertOfParameters,
  parametersOf,
} from "../../../src/denoising/guided/guided-parameters.js";
import type { FloatArray } from "../../../src/kernels/kernels.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { referenceRunner, simdRunner } from "../../support/inline-runners.js";
import { seed } from "../../support/seed.js";

const n = 4;
const count = 5;
const variance = 0.25;
const random = createRandom(seed, "guided job");
/**
 * Steps of the differences are powers of two, which these values can be changed by without
 * rounding.
 */
const step = 2 ** -9;
const exactly = (value: number): number => Math.round(value / step) * step;
const normals = (length: number): Float32Array =>
  random.normalFill(new Float32Array(length)).map(exactly);

// γ is not symmetric, no exponent is whole, inputs are of both signs.
const expert: GuidedExpert = {
  H: normals(n * n),
  G: normals(n * n),
  gamma: normals(n * n).map((value) => Math.abs(value) + 0.125),
  alpha: Float32Array.from([1.5, 1.25, 2.375, 2.75]),
  beta: Float32Array.from([0.5, 0.75, 1.25, 0.25]),
};
const [noisy, guide, errors] = [normals(count * n), normals(count * n), normals(count * n)];

const shared = {
  size: 2,
  experts: [expert],
  variance,
  bounds: { strengths: [], coherences: [] },
};

/** The patches lie one below the other. */
function estimates(of: GuidedExpert, runner = referenceRunner): FloatArray {
  const session = estimateJob.open(runner.kernels);
  session.share({ ...shared, experts: [of] });
  const corners = Int32Array.from({ length: count }, (_, k) => k * n);
  const kinds = new Uint16Array(count);
  const task = { width: 2, height: 2 * count, noisy, guide, corners, kinds };
  const { sums, counts } = session.perform(task).result;
  expect(counts.every((covering) => covering === 1)).toBe(true);
  return sums;
}

/** Computes the formula of guided-density.ts entry by entry. */
function estimateOf({ H, G, gamma, alpha, beta }: GuidedExpert, sample: number): number[] {
  const dot = (matrix: FloatArray, row: number, x: FloatArray): number => {
    let sum = 0;
    for (let k = 0; k < n; k++) sum += matrix[row * n + k] * x[sample * n + k];
    return sum;
  };
  const ratio = Array.from({ length: n }, (_, i) => {
    let D = beta[i];
    for (let j = 0; j < n; j++) D += gamma[i * n + j] * Math.abs(dot(G, j, guide)) ** alpha[j];
    return dot(H, i, noisy) / D;
  });
  return Array.from({ length: n }, (_, k) => {
    const pulled = ratio.reduce((sum, value, i) => sum + H[i * n + k] * value, 0);
    return noisy[sample * n + k] - variance * pulled;
  });
}

describe("the estimates of a guided density", () => {
  const expectedEstimates = Array.from({ length: count }, (_, s) => estimateOf(expert, s)).flat();

  test.each([
    ["reference", referenceRunner, 12],
    ["simd", simdRunner, 4],
  ] as const)("follow the formula, %s", (_, runner, digits) => {
    Array.from(estimates(expert, runner)).forEach((value, k) => {
      expect(value).toBeCloseTo(expectedEstimates[k], digits);
    });
  });

  test("equal the noisy patch plus σ² ∇ log p", () => {
    const found = estimates(expert);
    // log p(x̃ | x̂) = −½ Σ u² / D + what does not depend on x̃
    const energy = (x: Float64Array): number => {
      const moved = { ...expert };
      let sum = 0;
      for (let i = 0; i < n; i++) {
        let [u, D] = [0, moved.beta[i]];
        for (let j = 0; j < n; j++) {
          let v = 0;
          for (let k = 0; k < n; k++) v += moved.G[j * n + k] * guide[k];
          D += moved.gamma[i * n + j] * Math.abs(v) ** moved.alpha[j];
          u += moved.H[i * n + j] * x[j];
        }
        sum -= (u * u) / D / 2;
      }
      return sum;
    };
    for (let k = 0; k < n; k++) {
      const at = (t: number): number =>
        energy(Float64Array.from({ length: n }, (_, j) => noisy[j] + (j === k ? t : 0)));
      const slope = (at(step) - at(-step)) / (2 * step);
      expect(found[k]).toBeCloseTo(noisy[k] + variance * slope, 9);
    }
  });
});

/** 2×2 patches with a ring of eight blocks. */
const settings = { size: 2, rings: 1 };
const cells = 12;
const wide: Required<GuidedExpert> = {
  ...expert,
  G: normals(n * cells),
  M: normals(n * cells),
  omega: new Float32Array(n).fill(1),
};
const around = normals(count * cells);

/** Passes of one class; `guiding` has all cells. */
function fitOf(of: GuidedExpert, runner = referenceRunner, guiding = around) {
  const kernel = runner.kernels.guidedFit({ pixels: n, cells, classes: 1, patches: count });
  const parameters = parametersOf(of, settings);
  kernel.load([parameters], variance);
  const found = runner.kernels.floats(count * n);
  kernel.estimate([count], noisy, guiding, found);
  const gradient = runner.kernels.floats(parameters.length);
  kernel.gradient(errors, [gradient]);
  return { estimates: found, gradient };
}

describe("the last round's density", () => {
  test("has the estimates of the others without means and blocks", () => {
    const plain = new Float32Array(count * cells);
    for (let k = 0; k < count; k++) plain.set(guide.subarray(k * n, (k + 1) * n), k * cells);
    const G = new Float32Array(n * cells);
    for (let i = 0; i < n; i++) G.set(expert.G.subarray(i * n, (i + 1) * n), i * cells);
    const same = { ...wide, G, M: new Float32Array(n * cells) };
    const expected = estimates(expert);
    fitOf(same, referenceRunner, plain).estimates.forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k], 12);
    });
  });

  test("subtracts the mean M x̂ from the responses", () => {
    // One noisy patch, and its change by M alone: σ² Hᵀ (M x̂ / D).
    const [moved, still] = [wide, { ...wide, M: new Float32Array(n * cells) }].map(fitOf1);
    const mean = Array.from({ length: n }, (_, i) => {
      let sum = 0;
      for (let k = 0; k < cells; k++) sum += wide.M[i * cells + k] * around[k];
      return sum;
    });
    const D = Array.from({ length: n }, (_, i) => {
      let sum = wide.beta[i];
      for (let j = 0; j < n; j++) {
        let v = 0;
        for (let k = 0; k < cells; k++) v += wide.G[j * cells + k] * around[k];
        sum += wide.gamma[i * n + j] * Math.abs(v) ** wide.alpha[j];
      }
      return sum;
    });
    for (let k = 0; k < n; k++) {
      const change = mean.reduce((sum, value, i) => sum + (wide.H[i * n + k] * value) / D[i], 0);
      expect(moved[k] - still[k]).toBeCloseTo(variance * change, 9);
    }
  });

  const fields: readonly Exclude<ExpertField, "omega">[] = [
    "H",
    "M",
    "G",
    "gamma",
    "alpha",
    "beta",
  ];
  test.each(fields)("has the gradient of finite differences: %s", (field) => {
    const lossOf = (of: GuidedExpert): number =>
      Array.from(fitOf(of).estimates).reduce((sum, value, k) => sum + errors[k] * value, 0);
    const own = expertOfParameters(Float32Array.from(fitOf(wide).gradient), settings)[field];
    wide[field].forEach((value, k) => {
      const at = (t: number): number => {
        const values = wide[field].slice();
        values[k] = value + t;
        return lossOf({ ...wide, [field]: values });
      };
      const slope = (h: number): number => (at(h) - at(-h)) / (2 * h);
      const expected = (4 * slope(step / 2) - slope(step)) / 3;
      const error = Math.abs((own as Float32Array)[k] - expected);
      expect(error).toBeLessThan(1e-5 * (1 + Math.abs(expected)));
    });
  });
});

function fitOf1(of: GuidedExpert): FloatArray {
  return fitOf(of).estimates;
}

test("limits of parameters are exact in Float32", () => {
  for (const limit of Object.values(limits).flat()) expect(Math.fround(limit)).toBe(limit);
});
