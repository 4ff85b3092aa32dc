/** The problems that everything here is measured on: parameters like those of a fit, data like whitened patches. */
import { type GdnForm, type GdnParameters, createRandom } from "../src/index.js";
import { gdnLengths } from "../src/kernels/kernels.js";
import { requireChecked } from "../src/transforms/gdn-parameters.js";

export interface Problem {
  readonly name: "n64" | "n256" | "n64FullAlpha" | "n256FullAlpha";
  readonly form: GdnForm;
  readonly dimension: number;
  readonly batch: number;
}

export const problems: readonly Problem[] = [
  { name: "n64", form: "column", dimension: 64, batch: 512 },
  { name: "n256", form: "column", dimension: 256, batch: 64 },
  { name: "n64FullAlpha", form: "general", dimension: 64, batch: 512 },
  { name: "n256FullAlpha", form: "general", dimension: 256, batch: 64 },
];

/** In Float32, as a fit has them. */
export function parametersFor({ form, dimension: n }: Problem): GdnParameters {
  const random = createRandom(1, "bench", n);
  const fill = (length: number, value: (k: number) => number): Float32Array =>
    Float32Array.from({ length }, (_, k) => value(k));
  const onDiagonal = (k: number): number => (k % (n + 1) === 0 ? 1 : 0);
  const lengths = gdnLengths(form, n);
  const parameters = {
    form,
    dimension: n,
    H: fill(lengths.H, (k) => onDiagonal(k) + (0.1 * random.normal()) / Math.sqrt(n)),
    alpha: fill(lengths.alpha, () => 1.5 + 0.1 * random.uniform()),
    beta: fill(lengths.beta, () => 1),
    gamma: fill(lengths.gamma, (k) => 0.5 * onDiagonal(k) + 0.01 * random.uniform()),
    epsilon: fill(lengths.epsilon, () => 0.45),
  };
  requireChecked(parameters);
  return parameters;
}

export function batchFor({ dimension, batch }: Problem): Float32Array {
  return createRandom(1, "bench-data", dimension).normalFill(new Float32Array(batch * dimension));
}
