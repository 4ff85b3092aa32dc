/**
 * Inversions of GDN layers: parameters with a unique solution, points to recover, result arrays.
 */
import type {
  FloatArray,
  GdnForm,
  GdnParameters,
  InversionMethod,
  InversionResults,
  InversionSettings,
  Kernels,
} from "../../src/kernels/kernels.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import type { RandomStream } from "../../src/random/random-stream.js";
import { gaussianize, kernelFor, randomParameters } from "./gdn-layers.js";

export const inversionMethods: readonly InversionMethod[] = ["newton", "fixed-point"];

/**
 * Returns parameters with a unique inverse: D is the fixed point of β_i + Σ_j γ_ij |y_j|^α_ij
 * D_j^(α_ij ε_j), which is concave if all α_ij ε_j ≤ 1. In the general form this needs smaller ε
 * than ε_i ≤ 1/α_ii.
 */
export function invertibleParameters(
  random: RandomStream,
  form: GdnForm,
  n: number,
  linear = false,
): GdnParameters {
  const parameters = randomParameters(random, { form, n, linear });
  if (form !== "general") return parameters;
  const { alpha, epsilon } = parameters;
  const column = (j: number): number[] => Array.from({ length: n }, (_, i) => alpha[i * n + j]);
  const lowered = epsilon.map((value, j) => {
    const largest = Math.max(...column(j));
    return (value * alpha[j * (n + 1)]) / largest;
  });
  return { ...parameters, epsilon: lowered };
}

/**
 * Returns a layer as from a fit to images: weights of many sizes, exponents near their bound. One
 * in a hundred of its samples has components thousands of times larger than the others.
 */
export function heavyTailedParameters(random: RandomStream, n: number): GdnParameters {
  const values = (length: number, value: (k: number) => number): Float32Array =>
    Float32Array.from({ length }, (_, k) => value(k));
  const alpha = values(n, () => 1.3 + 0.8 * random.uniform());
  return {
    form: "column",
    dimension: n,
    H: null,
    alpha,
    beta: values(n, () => 0.02 + 0.1 * random.uniform()),
    gamma: values(n * n, (k) => {
      if (k % (n + 1) === 0) return 0.05 + 0.2 * random.uniform();
      return random.uniform() < 0.4 ? 0 : 0.1 * random.uniform() ** 6;
    }),
    epsilon: values(n, (i) => (0.8 + 0.18 * random.uniform()) / alpha[i]),
  };
}

/**
 * Returns samples alternating between 1 and 10 standard deviations; every eighth value is 0 or −0,
 * every eighth tiny, and the second sample all 0.
 */
export function pointsToFind(random: RandomStream, n: number, count: number): Float32Array {
  return Float32Array.from({ length: count * n }, (_, k) => {
    const sample = Math.floor(k / n);
    const value = random.normal() * (sample % 2 === 0 ? 1 : 10);
    const kind = random.integer(8);
    if (sample === 1 || kind === 0) return random.integer(2) === 0 ? 0 : -0;
    return kind === 1 ? 1e-30 * value : value;
  });
}

/** Returns y = g(z) by the specification, in the precision of the kernels. */
export function imagesOf(kernels: Kernels, parameters: GdnParameters, z: FloatArray): FloatArray {
  const count = z.length / parameters.dimension;
  const x = Float64Array.from(z);
  const layer = { ...parameters, H: null };
  const { y } = gaussianize(referenceKernels, { parameters: layer, x, count, upstream: x });
  const rounded = kernels.floats(z.length);
  rounded.set(y as FloatArray);
  return rounded;
}

export function inversionResults(kernels: Kernels, n: number, count: number): InversionResults {
  return {
    // Values that no inversion produces.
    z: kernels.floats(count * n).fill(NaN),
    converged: new Uint8Array(count).fill(7),
    iterations: new Int32Array(count).fill(-1),
    residual: new Float64Array(count).fill(NaN),
  };
}

export function settingsFor(
  kernels: Kernels,
  method: InversionMethod = "newton",
  // The fixed point needs many iterations for α_ii ε_i just below 1.
  maximumIterations = method === "newton" ? 60 : 40_000,
): InversionSettings {
  return { method, tolerance: kernels.tolerance, maximumIterations };
}

export function synthesize(
  kernels: Kernels,
  parameters: GdnParameters,
  y: FloatArray,
  settings = settingsFor(kernels),
  leafSize?: number,
): InversionResults {
  const n = parameters.dimension;
  const count = y.length / n;
  const results = inversionResults(kernels, n, count);
  kernelFor(kernels, parameters, count, leafSize).synthesize(y, count, settings, results);
  return results;
}

/** Returns max_i |log(g(z)_i / y_i)| over y_i ≠ 0 of every sample, from a pass of the kernels. */
export function residualsOf(
  kernels: Kernels,
  parameters: GdnParameters,
  z: FloatArray,
  y: FloatArray,
): number[] {
  const n = parameters.dimension;
  const count = y.length / n;
  const layer = { ...parameters, H: null };
  const found = gaussianize(kernels, { parameters: layer, x: z, count, upstream: z });
  const errors = Array.from(y, (value, k) =>
    value === 0 ? 0 : Math.abs(Math.log((found.y as FloatArray)[k] / value)),
  );
  return Array.from({ length: count }, (_, s) => Math.max(...errors.slice(s * n, (s + 1) * n)));
}
