/** Transforms of every kind with samples, for the contract of all transforms. */
import type { FloatArray } from "../../src/kernels/kernels.js";
import { type RandomStream, createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { type Half, coupling, couplingLengths } from "../../src/transforms/coupling.js";
import { type UntypedGdnInput, gdnOfAnyStructure } from "../../src/transforms/gdn.js";
import type { GdnStructure } from "../../src/transforms/gdn-structures.js";
import { linear } from "../../src/transforms/linear.js";
import { type Pointwise, pointwise } from "../../src/transforms/pointwise.js";
import type { Transform } from "../../src/transforms/transform.js";
import { randomLinearPart } from "./gdn-layers.js";
import { seed } from "./seed.js";

/**
 * A transform with samples; all values are Float32 numbers, so that both precisions compute with
 * the same.
 */
export interface TransformCase {
  readonly name: string;
  readonly transform: Transform;
  /** Samples of up to 10 standard deviations, with zeros if the domain includes them. */
  readonly x: Float64Array;
  /** Samples of moderate size. Central differences do not work near a kink of the transform. */
  readonly moderate: Float64Array;
  /** Values to invert; default: the outputs for `moderate`. */
  readonly y?: Float64Array;
}

/** Several leaves of the reduction tree, the last one not full. */
export const caseSamples = 45;

export const asFloat32 = (values: ArrayLike<number>): Float64Array =>
  Float64Array.from(Float32Array.from(values));

/** Returns a separate random stream for every case. */
export const randomOf = (...purpose: (string | number)[]): RandomStream =>
  createRandom(seed, "transform case", ...purpose);

/** Returns normal values. */
export function normals(random: RandomStream, length: number): Float64Array {
  return Float64Array.from(random.normalFill(new Float32Array(length)));
}

/**
 * Returns normal samples; every eighth value is 0 or −0. Sample 1 is all 0, sample 2 has one
 * component of 10 standard deviations, and sample 3 many large ones.
 */
export function hardSamples(random: RandomStream, n: number, count = caseSamples): Float64Array {
  const x = normals(random, count * n);
  for (let k = 0; k < x.length; k += 1) {
    const sample = Math.floor(k / n);
    if (sample === 1 || random.integer(8) === 0) x[k] = random.integer(2) === 0 ? 0 : -0;
    if (sample === 3) x[k] = Math.fround(Math.max(-10, Math.min(10, 5 * x[k])));
  }
  if (count > 2) x[2 * n + random.integer(n)] = random.integer(2) === 0 ? 10 : -10;
  return x;
}

/** Returns a well conditioned, asymmetric matrix: the identity with noise. */
export function mixing(random: RandomStream, n: number): Float64Array {
  return Float64Array.from(randomLinearPart(random, n));
}

/** α_ii ε_i of row i: from 0 to nearly 1, where the map is barely onto. */
const shares = [0.6, 0.999, 0, 0.85, 0.4];
/** Three interleaved subspaces, for four or more components. */
const interleaved = (n: number): number[] =>
  Array.from({ length: n }, (_, i) => [0, 1, 0, 2, 1][i % 5]);

/**
 * Parameters without any symmetry that the structure does not impose: γ asymmetric with some
 * entries 0, such as γ_33; α fractional, also exactly 1 and 2. ε_i α_ij < 1 for all j, so that
 * every input has a density and every y in the range a unique preimage. β is not small: at 10
 * standard deviations, ‖(I − M)⁻¹‖∞, which amplifies the residual of an inversion, stays below 200.
 */
const parametersOf: Record<
  GdnStructure,
  (random: RandomStream, n: number) => Partial<UntypedGdnInput>
> = {
  general(random, n) {
    const own = Array.from({ length: n }, (_, i) => [1.6, 2, 1.3, 1, 2.4][i % 5]);
    return {
      alpha: square(n, (i, j) => (i === j ? own[i] : 1 + random.uniform() * (own[i] - 1))),
      beta: positive(random, n),
      gamma: weights(random, n),
      epsilon: own.map((alpha, i) => shares[i % 5] / alpha),
    };
  },
  column: (random, n) => ({
    alpha: Array.from({ length: n }, (_, j) => [1.3, 2, 1, 1.7, 1.45][j % 5]),
    beta: positive(random, n),
    gamma: weights(random, n),
    // Divided by the largest α_j.
    epsilon: Array.from({ length: n }, (_, i) => shares[i % 5] / 2),
  }),
  marginal(random, n) {
    const alpha = Array.from({ length: n }, (_, i) => [1.6, 2, 1.3, 1, 2.4][i % 5]);
    return {
      alpha,
      beta: positive(random, n),
      gamma: positive(random, n).map((value, i) => (i === 3 ? 0 : 0.5 * value)),
      epsilon: alpha.map((value, i) => shares[i % 5] / value),
    };
  },
  radial: (random) => ({
    beta: positive(random, 1),
    gamma: positive(random, 1).map((value) => 0.3 * value),
    epsilon: [0.999 / 2],
  }),
  lp: (random) => ({
    alpha: [1.37],
    beta: positive(random, 1),
    gamma: positive(random, 1).map((value) => 0.3 * value),
    epsilon: [0.9 / 1.37],
  }),
  subspace: (random, n) => ({
    partition: interleaved(n),
    beta: positive(random, 3),
    gamma: [0.4, 0.7, 0],
    epsilon: [0.35, 0.999 / 2, 0.45],
  }),
  classic: (random) => ({ beta: positive(random, 1) }),
  "weighted-l2": (random, n) => ({
    beta: positive(random, 1),
    gamma: positive(random, n).map((value, j) => (j === 3 ? 0 : 0.2 * value)),
  }),
  "low-rank": (random, n) => ({
    rank: testRank,
    alpha: Array.from({ length: n }, (_, j) => [1.3, 2, 1, 1.7, 1.45][j % 5]),
    beta: positive(random, n),
    gamma: Float64Array.from({ length: (2 * testRank + 1) * n }, (_, k) => {
      if (k < n) return k === 3 ? 0 : 0.3 + 0.5 * random.uniform();
      return random.integer(5) === 0 ? 0 : (1.2 * random.uniform()) / Math.sqrt(n);
    }),
    epsilon: Array.from({ length: n }, (_, i) => shares[i % 5] / 2),
  }),
};

/** Rank of the low-rank cases. */
const testRank = 3;

function positive(random: RandomStream, length: number): Float64Array {
  return Float64Array.from({ length }, () => 0.6 + random.uniform());
}

function square(n: number, entry: (i: number, j: number) => number): Float64Array {
  return Float64Array.from({ length: n * n }, (_, k) => entry(Math.floor(k / n), k % n));
}

function weights(random: RandomStream, n: number): Float64Array {
  return square(n, (i, j) => {
    if (i === j) return i === 3 ? 0 : 0.3 + 0.5 * random.uniform();
    return random.integer(5) === 0 ? 0 : random.uniform() / n;
  });
}

export interface GdnCaseOptions {
  readonly n: number;
  readonly hasH: boolean;
  /** Replaces some of the default parameters. */
  readonly parameters?: Partial<UntypedGdnInput>;
  readonly name?: string;
}

export function gdnCase(structure: GdnStructure, options: GdnCaseOptions): TransformCase {
  const { n, hasH, parameters, name = structure } = options;
  const random = randomOf(name, n, hasH ? "H" : "");
  const free = { ...parametersOf[structure](random, n), ...parameters };
  const layer = gdnOfAnyStructure({
    structure,
    dimension: n,
    ...Object.fromEntries(
      Object.entries(free).map(([group, values]) => [
        group,
        group === "partition" || group === "rank" ? values : asFloat32(values as ArrayLike<number>),
      ]),
    ),
    H: hasH ? mixing(random, n) : null,
  });
  return {
    name: `${name}, n = ${n}${hasH ? ", with H" : ""}`,
    transform: layer,
    x: hardSamples(random, n),
    moderate: normals(random, 30 * n),
    // With α ε = 0.9 every normal vector has a preimage in Float32; with 0.999 few have.
    ...(structure === "lp" ? { y: normals(random, 30 * n) } : {}),
  };
}

export function linearCase(name: string, n: number, H: ArrayLike<number>): TransformCase {
  const random = randomOf("linear", name, n);
  return {
    name: `${name}, n = ${n}`,
    transform: linear({ dimension: n, H: asFloat32(H) }),
    x: hardSamples(random, n),
    moderate: normals(random, 30 * n),
    y: normals(random, 30 * n),
  };
}

/** Returns an affine case with scales of both signs and several sizes. */
export function affineCase(n: number): TransformCase {
  const random = randomOf("affine", n);
  const scale = Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 1 : -1) * 10 ** ((i % 3) - 1));
  return {
    name: `affine, n = ${n}`,
    transform: affine({ dimension: n, scale: asFloat32(scale), shift: normals(random, n) }),
    x: hardSamples(random, n),
    moderate: normals(random, 30 * n),
    y: normals(random, 30 * n),
  };
}

export type CurveSettings = Readonly<
  Record<"lower" | "upper" | "rate" | "asymmetry" | "center", number>
>;

export function curveOf(n: number, settings: CurveSettings): Pointwise {
  const rounded = Object.entries(settings).map(([name, value]) => [name, Math.fround(value)]);
  return pointwise({ dimension: n, ...(Object.fromEntries(rounded) as CurveSettings) });
}

/**
 * Returns intensities between the ends of a curve, (x − A)/(K − A) = 1/(1 + e^−w) for w up to
 * ±`reach`: closer to the ends, Float32 is too coarse.
 */
export function intensities(
  random: RandomStream,
  { lower, upper }: Pointwise,
  length: number,
  reach: number,
): Float64Array {
  return asFloat32(
    Float64Array.from({ length }, () => {
      const w = reach * (2 * random.uniform() - 1);
      return lower[0] + (upper[0] - lower[0]) / (1 + Math.exp(-w));
    }),
  );
}

export function pointwiseCase(name: string, n: number, settings: CurveSettings): TransformCase {
  const random = randomOf("pointwise", name, n);
  const curve = curveOf(n, settings);
  return {
    name: `${name}, n = ${n}`,
    transform: curve,
    x: intensities(random, curve, caseSamples * n, 8),
    moderate: intensities(random, curve, 30 * n, 3),
    y: normals(random, 30 * n),
  };
}

/** A coupling whose shifts and scales depend on all kept components. */
export function couplingCase(
  name: string,
  shape: { readonly dimension: number; readonly hidden: number; readonly given: Half },
): TransformCase {
  const random = randomOf("coupling", name);
  const lengths = couplingLengths(shape);
  const draw = (group: keyof typeof lengths): Float64Array =>
    asFloat32(normals(random, lengths[group]).map((value) => 0.5 * value));
  const { dimension: n } = shape;
  return {
    name,
    transform: coupling({
      ...shape,
      inputWeights: draw("inputWeights"),
      inputBias: draw("inputBias"),
      hiddenWeights: draw("hiddenWeights"),
      hiddenBias: draw("hiddenBias"),
      outputWeights: draw("outputWeights"),
      outputBias: draw("outputBias"),
    }),
    x: hardSamples(random, n),
    moderate: normals(random, 30 * n),
  };
}

/** Converts results of any precision to Float64. */
export const inFloat64 = (values: FloatArray): Float64Array => Float64Array.from(values);
