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

const fields: readonly string[] = ["form", "dimension", "H", "alpha", "beta", "gamma", "epsilon"];
const forms: readonly GdnForm[] = ["general", "column", "diagonal"];
const largestDimension = 4096;
const largestFloat32 = 3.4028234663852886e38;
/** The smallest normal Float32: below, the kernels would compute with 0. */
const smallestBeta = 1.1754943508222875e-38;
/** ε_i = 1/α_ii may be one Float32 rounding above the bound. */
const roundingSlack = 1 + 2 ** -22;

/**
 * A checked record of the parameters of paper eq. (5), in Float64 copies, not to be changed afterwards. Throws an error
 * that names the parameter, the index, the value and the rule.
 */
export function gdnParameters(input: GdnInput): GdnParameters {
  if (typeof input !== "object" || (input as GdnInput | null) === null) {
    throw expected("the parameters of a layer", "be a record", input);
  }
  const unknown = Object.keys(input).find((key) => !fields.includes(key));
  if (unknown !== undefined)
    throw expected("the parameters of a layer", `have the fields ${fields.join(", ")}`, unknown);
  const { form, dimension } = input;
  if (!forms.includes(form)) throw expected("form", `be one of ${forms.join(", ")}`, form);
  if (!Number.isInteger(dimension) || dimension < 1 || dimension > largestDimension) {
    throw expected("dimension", `be an integer from 1 to ${largestDimension}`, dimension);
  }
  const take = (name: keyof GdnGradient, values: ArrayLike<number>): Float64Array =>
    finiteCopy(name, values, form, dimension);
  const parameters = {
    form,
    dimension,
    H: input.H ? take("H", input.H) : null,
    alpha: take("alpha", input.alpha),
    beta: take("beta", input.beta),
    gamma: take("gamma", input.gamma),
    epsilon: take("epsilon", input.epsilon),
  };
  requireEvery(parameters, "alpha", "be at least 1", (value) => value >= 1);
  requireEvery(parameters, "beta", "be greater than 0", (value) => value > 0);
  requireEvery(parameters, "beta", `be at least ${smallestBeta}`, (value) => value >= smallestBeta);
  requireEvery(parameters, "gamma", "be at least 0", (value) => value >= 0);
  requireExponentBound(parameters);
  if (parameters.H) requireNonSingular(parameters.H, dimension);
  checked.add(parameters);
  return parameters;
}

/** Records that came through here and need no second look. */
const checked = new WeakSet<GdnParameters>();

/** Refuses parameters that `gdnParameters` would refuse, wherever they come from. */
export function requireChecked(parameters: GdnParameters): void {
  if (!checked.has(parameters)) gdnParameters(parameters);
}

/** Checks a batch: a whole number of samples, all values finite. Returns how many samples. */
export function checkSamples(x: FloatArray, dimension: number, name = "x"): number {
  if (!(x instanceof Float32Array || x instanceof Float64Array)) {
    throw expected(name, "be a Float32Array or Float64Array", x);
  }
  if (x.length === 0 || x.length % dimension !== 0) {
    throw expected(name, `hold a whole number of samples of ${dimension} values`, x.length);
  }
  // A plain loop: this runs on every batch of a fit.
  for (let k = 0; k < x.length; k++) {
    if (Math.abs(x[k]) <= largestFloat32) continue;
    const place = `${name}[${Math.floor(k / dimension)}][${k % dimension}]`;
    throw expected(place, finiteRule(x[k]), x[k]);
  }
  return x.length / dimension;
}

function finiteCopy(
  name: keyof GdnGradient,
  values: ArrayLike<number>,
  form: GdnForm,
  n: number,
): Float64Array {
  const length = gdnLengths(form, n)[name];
  if (!isListOfNumbers(values)) throw expected(name, "be an array of numbers", values);
  if (values.length !== length) {
    const shape = isMatrix(name, form) ? ` (${n}×${n})` : "";
    const noun = length === 1 ? "value" : "values";
    throw expected(name, `hold ${length} ${noun}${shape}`, values.length);
  }
  const copy = Float64Array.from(values);
  const bad = copy.findIndex((value) => !(Math.abs(value) <= largestFloat32));
  if (bad >= 0) throw expected(entryName(name, bad, form, n), finiteRule(copy[bad]), copy[bad]);
  return copy;
}

function isListOfNumbers(values: unknown): values is ArrayLike<number> {
  return Array.isArray(values) || (ArrayBuffer.isView(values) && !(values instanceof DataView));
}

function finiteRule(value: number): string {
  return Number.isFinite(value)
    ? `lie within ±${largestFloat32}, the range of Float32`
    : "be finite";
}

function requireEvery(
  parameters: GdnParameters,
  name: "alpha" | "beta" | "gamma",
  rule: string,
  isAllowed: (value: number) => boolean,
): void {
  const values = parameters[name];
  const bad = values.findIndex((value) => !isAllowed(value));
  if (bad < 0) return;
  const { form, dimension } = parameters;
  throw expected(entryName(name, bad, form, dimension), rule, values[bad]);
}

function requireExponentBound({ form, dimension: n, alpha, epsilon }: GdnParameters): void {
  for (let i = 0; i < n; i++) {
    const own = form === "general" ? i * n + i : i;
    const bound = 1 / alpha[own];
    if (epsilon[i] >= 0 && epsilon[i] <= bound * roundingSlack) continue;
    const rule = `lie from 0 to 1/${entryName("alpha", own, form, n)} = ${bound}`;
    throw expected(`epsilon[${i}]`, rule, epsilon[i]);
  }
}

function isMatrix(name: keyof GdnGradient, form: GdnForm): boolean {
  return (
    name === "H" ||
    (name === "alpha" && form === "general") ||
    (name === "gamma" && form !== "diagonal")
  );
}

function entryName(name: keyof GdnGradient, index: number, form: GdnForm, n: number): string {
  return isMatrix(name, form)
    ? `${name}[${Math.floor(index / n)}][${index % n}]`
    : `${name}[${index}]`;
}

/**
 * Elimination with row pivoting in Float64 on rows scaled to a largest entry of 1. A pivot at the level of rounding, which
 * grows with every step of the elimination, counts as 0.
 */
function requireNonSingular(H: Float64Array, n: number): void {
  const a = H.slice();
  for (let i = 0; i < n; i++) {
    const row = a.subarray(i * n, (i + 1) * n);
    const largest = row.reduce((size, value) => Math.max(size, Math.abs(value)), 0);
    for (let j = 0; j < n; j++) row[j] /= largest || 1;
  }
  for (let p = 0; p < n; p++) {
    let best = p;
    for (let i = p + 1; i < n; i++) {
      if (Math.abs(a[i * n + p]) > Math.abs(a[best * n + p])) best = i;
    }
    const pivot = a[best * n + p];
    if (!(Math.abs(pivot) > n * n * Number.EPSILON)) {
      const rule = `be non-singular (column ${p} must not depend on those before it)`;
      throw expected("H", rule, `a pivot of ${pivot}`);
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
