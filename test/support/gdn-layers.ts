/** Shared fixtures: GDN layers of every structure, samples and result arrays. */
import {
  type GdnForm,
  type GdnGradient,
  type GdnParameters,
  type FloatArray,
  type GdnKernel,
  type GradientResults,
  type Kernels,
  type Probes,
  type SampleResults,
  gdnLengths,
} from "../../src/kernels/kernels.js";
import type { RandomStream } from "../../src/random/random-stream.js";
import { type GdnStructure, spreadOverEntries } from "../../src/transforms/gdn-structures.js";
import { type Gdn, gdnOfAnyStructure } from "../../src/transforms/gdn.js";
import type { ParameterGroups } from "../../src/transforms/transform.js";

/** Untied structure of each form. */
export const structureOf: Readonly<Record<GdnForm, GdnStructure>> = {
  general: "general",
  column: "column",
  diagonal: "marginal",
  "low-rank": "low-rank",
};

/** Every structure in a size that shows its ties, with interleaved subspaces of different sizes. */
export const everyStructure: readonly {
  readonly structure: GdnStructure;
  readonly dimension: number;
  readonly partition?: readonly number[];
  readonly rank?: number;
}[] = [
  { structure: "general", dimension: 4 },
  { structure: "column", dimension: 4 },
  { structure: "marginal", dimension: 4 },
  { structure: "radial", dimension: 4 },
  { structure: "lp", dimension: 4 },
  { structure: "subspace", dimension: 6, partition: [0, 1, 0, 2, 1, 0] },
  { structure: "classic", dimension: 4 },
  { structure: "weighted-l2", dimension: 4 },
  { structure: "low-rank", dimension: 4, rank: 2 },
];

/** Whether the structure fixes ε α at 1, so that q = max ε_i α_ij is never below 1. */
export const isNeverCertified = (structure: GdnStructure): boolean =>
  structure === "classic" || structure === "weighted-l2";

export function layerOf({ form, ...parameters }: GdnParameters): Gdn {
  return gdnOfAnyStructure({ structure: structureOf[form], ...parameters });
}

export function randomLayer(random: RandomStream, size: Omit<CaseSize, "count">): Gdn {
  return layerOf(randomParameters(random, size));
}

export interface LayerCase extends Omit<GdnCase, "parameters"> {
  readonly layer: Gdn;
}

export function randomLayerCase(random: RandomStream, size: CaseSize): LayerCase {
  const { parameters, ...samples } = randomCase(random, size);
  return { layer: layerOf(parameters), ...samples };
}

/** Returns the gradient of a single transform. */
export function onlyStage(gradient: readonly ParameterGroups[]): ParameterGroups & GdnGradient {
  if (gradient.length !== 1) throw new Error(`expected 1 stage but received ${gradient.length}`);
  return { H: null, ...gradient[0] } as ParameterGroups & GdnGradient;
}

/**
 * Returns q = max ε_i α_ij over the j that i may pool; below 1 the layer is certainly invertible.
 */
export function largestExponentProduct(layer: Gdn): number {
  const { form, dimension: n, alpha, epsilon } = spreadOverEntries(layer);
  let q = 0;
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < n; j += 1) {
      if (form === "diagonal" && i !== j) continue;
      q = Math.max(q, epsilon[i] * alpha[form === "general" ? i * n + j : j]);
    }
  }
  return q;
}

export const gdnForms: readonly GdnForm[] = ["general", "column", "diagonal", "low-rank"];

/** A layer with samples; all values are Float32, so that all kernels compute with the same. */
export interface GdnCase {
  readonly parameters: GdnParameters;
  readonly count: number;
  readonly x: FloatArray;
  readonly upstream: FloatArray;
}

export interface CaseSize {
  readonly form: GdnForm;
  readonly n: number;
  readonly linear: boolean;
  readonly count: number;
  /** Rank of the form "low-rank"; default: rankFor(n). */
  readonly rank?: number;
}

/** Ranks for the sizes of the tests: 1, odd, whole blocks, more than half of n. */
export const rankFor = (n: number): number =>
  ({ 1: 1, 2: 2, 3: 1, 7: 5, 8: 1, 17: 16 })[n] ?? (n < 60 ? 5 : 16);

/** Returns γ with the given entries in the storage of a form; low-rank with R = N and V = I. */
export function poolsOf(
  form: GdnForm,
  n: number,
  entry: (i: number, j: number) => number,
): { gamma: Float32Array; rank?: number } {
  const matrix = (value: (i: number, j: number) => number): number[] =>
    Array.from({ length: n * n }, (_, k) => value(Math.floor(k / n), k % n));
  const diagonal = Array.from({ length: n }, (_, i) => entry(i, i));
  if (form === "diagonal") return { gamma: Float32Array.from(diagonal) };
  if (form !== "low-rank") return { gamma: Float32Array.from(matrix(entry)) };
  const beside = matrix((r, i) => (i === r ? 0 : entry(i, r)));
  const identity = matrix((r, j) => (j === r ? 1 : 0));
  return { gamma: Float32Array.from([...diagonal, ...beside, ...identity]), rank: n };
}

/** Returns g, U and V with zeros; rows of γ have about the same sum as in the other forms. */
function randomFactors(random: RandomStream, n: number, rank: number): Float32Array {
  const size = 2 / Math.sqrt(n * rank);
  return Float32Array.from({ length: (2 * rank + 1) * n }, (_, k) => {
    const isOfRow = k < (rank + 1) * n;
    if ((isOfRow && (k % n) % 7 === 5) || random.integer(6) === 0) return 0;
    return k < n ? 0.3 + random.uniform() : size * random.uniform();
  });
}

/**
 * Returns parameters without any symmetry: γ asymmetric with rows and entries of 0; α fractional,
 * also exactly 1 and 2; one in four rows has ε = 0, one ε just below 1/α_ii.
 */
export function randomParameters(
  random: RandomStream,
  { form, n, linear, rank = rankFor(n) }: Omit<CaseSize, "count">,
): GdnParameters {
  const lengths = gdnLengths(form, n, rank);
  const alpha = new Float32Array(lengths.alpha);
  for (let k = 0; k < alpha.length; k += 1) {
    const kind = random.integer(5);
    alpha[k] = kind === 0 ? 1 : kind === 1 ? 2 : 1 + 1.5 * random.uniform();
  }
  const isLowRank = form === "low-rank";
  const gamma = isLowRank ? randomFactors(random, n, rank) : new Float32Array(lengths.gamma);
  for (let k = 0; !isLowRank && k < gamma.length; k += 1) {
    const i = form === "diagonal" ? k : Math.floor(k / n);
    const onDiagonal = form === "diagonal" || k % n === i;
    if (i % 7 === 5 || random.integer(6) === 0) continue;
    gamma[k] = onDiagonal ? 0.3 + random.uniform() : (2 * random.uniform()) / n;
  }
  const diagonalAlpha = (i: number): number => alpha[form === "general" ? i * n + i : i];
  const epsilon = Float32Array.from({ length: n }, (_, i) => {
    if (i % 4 === 1) return 0;
    const share = i % 4 === 3 ? 0.999 : 0.2 + 0.6 * random.uniform();
    return share / diagonalAlpha(i);
  });
  const beta = Float32Array.from({ length: n }, () => 0.2 + random.uniform());
  return {
    form,
    dimension: n,
    ...(isLowRank && { rank }),
    H: linear ? randomLinearPart(random, n) : null,
    alpha,
    beta,
    gamma,
    epsilon,
  };
}

/** Returns a well conditioned, asymmetric matrix: the identity with noise. */
export function randomLinearPart(random: RandomStream, n: number): Float32Array {
  const H = random.normalFill(new Float32Array(n * n));
  for (let k = 0; k < H.length; k += 1) {
    H[k] = H[k] / (3 * Math.sqrt(n)) + (k % (n + 1) === 0 ? 1 : 0);
  }
  return H;
}

/** Returns normal samples; every eighth value is 0 or −0, and the second sample all 0. */
export function randomCase(random: RandomStream, size: CaseSize): GdnCase {
  const { n, count } = size;
  const x = random.normalFill(new Float32Array(count * n));
  for (let k = 0; k < x.length; k += 1) {
    const sample = Math.floor(k / n);
    if (sample === 1 || random.integer(8) === 0) x[k] = random.integer(2) === 0 ? 0 : -0;
  }
  return {
    parameters: randomParameters(random, size),
    count,
    x,
    upstream: random.normalFill(new Float32Array(count * n)),
  };
}

export function sampleResults(kernels: Kernels, n: number, count: number): SampleResults {
  return {
    y: kernels.floats(count * n),
    logDeterminant: new Float64Array(count),
    energy: new Float64Array(count),
    failedPivot: new Int32Array(count).fill(-2),
  };
}

/** Results with all gradients. */
export type FullResults = GradientResults & { readonly sums: GdnGradient };

export function gradientResults(
  kernels: Kernels,
  { form, dimension: n, rank, H }: GdnParameters,
  count: number,
): FullResults {
  const lengths = gdnLengths(form, n, rank);
  // NaN shows values that a pass does not write.
  const unwritten = (length: number): FloatArray => kernels.floats(length).fill(NaN);
  return {
    ...sampleResults(kernels, n, count),
    xGradient: unwritten(count * n),
    sums: {
      H: H ? unwritten(lengths.H) : null,
      alpha: unwritten(lengths.alpha),
      beta: unwritten(lengths.beta),
      gamma: unwritten(lengths.gamma),
      epsilon: unwritten(lengths.epsilon),
    },
  };
}

/** Small, so that the tests have many leaves, some of them not full. */
export const testLeafSize = 4;

/** Returns a kernel with loaded parameters for up to `count` samples. */
export function kernelFor(
  kernels: Kernels,
  parameters: GdnParameters,
  count: number,
  leafSize = testLeafSize,
): GdnKernel {
  const kernel = kernels.gdn({
    form: parameters.form,
    dimension: parameters.dimension,
    ...(parameters.rank !== undefined && { rank: parameters.rank }),
    linear: parameters.H !== null,
    leafSize,
    maximumLeaves: Math.max(1, Math.ceil(count / leafSize)),
  });
  kernel.load(parameters);
  return kernel;
}

export function gaussianize(kernels: Kernels, { parameters, x, count }: GdnCase): SampleResults {
  const results = sampleResults(kernels, parameters.dimension, count);
  kernelFor(kernels, parameters, count).gaussianize(x, count, results);
  return results;
}

export function backpropagate(
  kernels: Kernels,
  { parameters, x, count }: Pick<GdnCase, "parameters" | "x" | "count">,
  upstream: FloatArray | null,
): FullResults {
  const results = gradientResults(kernels, parameters, count);
  kernelFor(kernels, parameters, count).backpropagate(x, upstream, count, results);
  return results;
}

/** Computes ∂L/∂x without the gradients by parameters. */
export function inputGradient(
  kernels: Kernels,
  { parameters, x, count }: Pick<GdnCase, "parameters" | "x" | "count">,
  upstream: FloatArray | null,
): GradientResults<null> {
  const results = { ...gradientResults(kernels, parameters, count), sums: null };
  kernelFor(kernels, parameters, count).backpropagate(x, upstream, count, results);
  return results;
}

/** Computes gradients from random signs; also returns how the iteration of each sample ended. */
export function backpropagateWithProbes(
  kernels: Kernels,
  { parameters, x, count }: Pick<GdnCase, "parameters" | "x" | "count">,
  probeSeed: number,
  { firstLeaf = 0, tolerance = 1e-6, upstream = null as FloatArray | null } = {},
): FullResults & Pick<Probes, "products" | "residual"> {
  const results = gradientResults(kernels, parameters, count);
  const [products, residual] = [new Int32Array(count), new Float64Array(count)];
  const probes = { seed: probeSeed, firstLeaf, tolerance, products, residual };
  kernelFor(kernels, parameters, count).backpropagate(x, upstream, count, results, probes);
  return { ...results, products, residual };
}

/** Returns a case with sample s only. */
export function singleSample({ parameters, x, upstream }: GdnCase, s: number): GdnCase {
  const n = parameters.dimension;
  const row = (values: FloatArray): FloatArray => values.slice(s * n, (s + 1) * n);
  return { parameters, count: 1, x: row(x), upstream: row(upstream) };
}

export const gradientGroups = ["H", "alpha", "beta", "gamma", "epsilon"] as const;

/** Returns the groups of a layer with their values. */
export function groupsOf(
  gradient: GdnGradient | GdnParameters,
): [(typeof gradientGroups)[number], FloatArray][] {
  return gradientGroups.flatMap((group) => {
    const values = gradient[group];
    return values ? [[group, values] as [typeof group, FloatArray]] : [];
  });
}
