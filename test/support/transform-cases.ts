/** Transforms of every kind, with samples, for the contract that all of them keep. */
import type { FloatArray } from "../../src/kernels/kernels.js";
import { type RandomStream, createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { type UntypedGdnInput, gdnOfAnyStructure } from "../../src/transforms/gdn.js";
import type { GdnStructure } from "../../src/transforms/gdn-structures.js";
import { linear } from "../../src/transforms/linear.js";
import { type Pointwise, pointwise } from "../../src/transforms/pointwise.js";
import type { Transform } from "../../src/transforms/transform.js";
import { seed } from "./seed.js";

/**
 * A transform with samples to pass through it; every value is a Float32 in Float64, so that both
 * precisions see the same.
 */
export interface TransformCase {
  readonly name: string;
  readonly transform: Transform;
  /** Up to 10 standard deviations, with zeros where they are in the domain. */
  readonly x: Float64Array;
  /** Of moderate size; those near a kink of the transform are not for central differences. */
  readonly moderate: Float64Array;
  /** Values to come back from; left out: what gaussianize makes of `moderate`. */
  readonly y?: Float64Array;
}

/** Enough for several leaves of the reduction tree, the last one not full. */
export const caseSamples = 45;

export const asFloat32 = (values: ArrayLike<number>): Float64Array =>
  Float64Array.from(Float32Array.from(values));

/** A generator of its own for every case. */
export const randomOf = (...purpose: (string | number)[]): RandomStream =>
  createRandom(seed, "transform case", ...purpose);

/** Normal values. */
export function normals(random: RandomStream, length: number): Float64Array {
  return Float64Array.from(random.normalFill(new Float32Array(length)));
}

/**
 * Normal samples, every eighth value 0 or −0. Sample 1 is 0 throughout, sample 2 has one component
 * of 10 standard deviations and sample 3 many large ones.
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

/** Well conditioned and not symmetric: the identity with noise. */
export function mixing(random: RandomStream, n: number): Float64Array {
  const H = normals(random, n * n);
  return asFloat32(H.map((value, k) => value / (3 * Math.sqrt(n)) + (k % (n + 1) === 0 ? 1 : 0)));
}

/** α_ii ε_i of row i: from none to nearly 1, where the map is hardly onto. */
const shares = [0.6, 0.999, 0, 0.85, 0.4];
/** Three subspaces that lie interleaved, for four components or more. */
const interleaved = (n: number): number[] =>
  Array.from({ length: n }, (_, i) => [0, 1, 0, 2, 1][i % 5]);

/**
 * Parameters that break every symmetry the structure leaves: γ asymmetric with entries of 0, γ_33 =
 * 0 among them; α fractional, with exact 1 and 2. ε_i α_ij < 1 for all j, so that every input has a
 * density and every y in the range one preimage. β is not small: at 10 standard deviations, ‖(I −
 * M)⁻¹‖∞, which amplifies the residual of an inversion, stays below 200.
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
    // By the largest α_j. Of one component, which has the first, as much is left as it takes.
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

/** Of pools of low rank, in the cases here. */
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
  /** In place of the usual ones. */
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
    // With α ε = 0.9 every normal vector has a preimage within the range of Float32; with 0.999 few
    // have.
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

/** Scales of both signs and several sizes. */
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
 * Intensities between the ends of a curve, (x − A)/(K − A) = 1/(1 + e^−w) for w up to ±`reach`:
 * closer to the ends, Float32 has too few values to tell one y from the next.
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

/** A runner's results in Float64, whatever its precision. */
export const inFloat64 = (values: FloatArray): Float64Array => Float64Array.from(values);
