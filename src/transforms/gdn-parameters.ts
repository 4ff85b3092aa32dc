/** The border of the library: parameters and data are checked here once, and trusted below. */
import { expected } from "../errors.js";
import {
  type FloatArray,
  type GdnForm,
  type GdnGradient,
  type GdnParameters,
  gdnLengths,
} from "../kernels/kernels.js";

/** Parameters as a caller writes them: any array of numbers. */
export interface GdnInput {
  readonly form: GdnForm;
  readonly dimension: number;
  /** Left out: the identity. */
  readonly H?: ArrayLike<number> | null;
  readonly alpha: ArrayLike<number>;
  readonly beta: ArrayLike<number>;
  readonly gamma: ArrayLike<number>;
  readonly epsilon: ArrayLike<number>;
}

const forms: readonly GdnForm[] = ["general", "column", "diagonal"];
const largestDimension = 4096;
/** ε_i = 1/α_ii may be one Float32 rounding above the bound. */
const roundingSlack = 1 + 2 ** -22;

/**
 * A checked, immutable-by-convention record of the parameters of paper eq. (5), in Float64 copies.
 * Throws an error that names the parameter, the index, the value and the rule.
 */
export function gdnParameters(input: GdnInput): GdnParameters {
  const { form, dimension: n } = input;
  if (!forms.includes(form)) throw expected("form", `be one of ${forms.join(", ")}`, form);
  if (!Number.isInteger(n) || n < 1 || n > largestDimension) {
    throw expected("dimension", `be an integer from 1 to ${largestDimension}`, n);
  }
  const lengths = gdnLengths(form, n);
  const take = (name: keyof GdnGradient, values: ArrayLike<number>): Float64Array => {
    const length = lengths[name];
    if (values.length !== length) {
      const shape = length === n ? "" : ` (${n}×${n})`;
      throw expected(name, `hold ${length} values${shape}`, values.length);
    }
    const copy = Float64Array.from(values);
    const bad = copy.findIndex((value) => !Number.isFinite(value));
    if (bad >= 0) throw expected(entryName(name, bad, length, n), "be finite", copy[bad]);
    return copy;
  };
  const H = input.H ? take("H", input.H) : null;
  const alpha = take("alpha", input.alpha);
  const beta = take("beta", input.beta);
  const gamma = take("gamma", input.gamma);
  const epsilon = take("epsilon", input.epsilon);

  const require = (
    name: keyof GdnGradient,
    values: Float64Array,
    rule: string,
    ok: (v: number) => boolean,
  ): void => {
    const bad = values.findIndex((value) => !ok(value));
    if (bad >= 0) throw expected(entryName(name, bad, lengths[name], n), rule, values[bad]);
  };
  require("alpha", alpha, "be at least 1", (value) => value >= 1);
  require("beta", beta, "be greater than 0", (value) => value > 0);
  require("gamma", gamma, "be at least 0", (value) => value >= 0);
  for (let i = 0; i < n; i++) {
    const bound = 1 / alpha[form === "general" ? i * n + i : i];
    if (!(epsilon[i] >= 0 && epsilon[i] <= bound * roundingSlack)) {
      throw expected(`epsilon[${i}]`, `lie from 0 to 1/alpha[${i}][${i}] = ${bound}`, epsilon[i]);
    }
  }
  if (H) requireNonSingular(H, n);
  return { form, dimension: n, H, alpha, beta, gamma, epsilon };
}

/** Checks a batch: a whole number of samples, all values finite. Returns how many samples. */
export function checkSamples(x: FloatArray, dimension: number): number {
  if (x.length === 0 || x.length % dimension !== 0) {
    throw expected("x", `hold a whole number of samples of ${dimension} values`, x.length);
  }
  const bad = x.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) {
    const [sample, component] = [Math.floor(bad / dimension), bad % dimension];
    throw expected(`x[${sample}][${component}]`, "be finite", x[bad]);
  }
  return x.length / dimension;
}

function entryName(name: string, index: number, length: number, n: number): string {
  return length === n && n > 1
    ? `${name}[${index}]`
    : `${name}[${Math.floor(index / n)}][${index % n}]`;
}

/** Elimination with row pivoting in Float64; a pivot at the level of rounding counts as 0. */
function requireNonSingular(H: Float64Array, n: number): void {
  const a = H.slice();
  const scale = a.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  for (let p = 0; p < n; p++) {
    let best = p;
    for (let i = p + 1; i < n; i++) {
      if (Math.abs(a[i * n + p]) > Math.abs(a[best * n + p])) best = i;
    }
    const pivot = a[best * n + p];
    if (!(Math.abs(pivot) > n * Number.EPSILON * scale)) {
      throw expected(
        "H",
        `be non-singular (column ${p} must not depend on those before it)`,
        `a pivot of ${pivot}`,
      );
    }
    for (let j = p; j < n; j++) {
      [a[p * n + j], a[best * n + j]] = [a[best * n + j], a[p * n + j]];
    }
    for (let i = p + 1; i < n; i++) {
      const factor = a[i * n + p] / pivot;
      for (let j = p; j < n; j++) a[i * n + j] -= factor * a[p * n + j];
    }
  }
}
