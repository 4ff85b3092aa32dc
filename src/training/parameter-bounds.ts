/** The constraints of paper §3.2, applied after every step of the optimiser. */
import type { FloatArray, GdnForm } from "../kernels/kernels.js";

/** Parameters that a step of the optimiser has just changed. */
export interface MutableParameters {
  readonly form: GdnForm;
  readonly dimension: number;
  readonly alpha: FloatArray;
  readonly beta: FloatArray;
  readonly gamma: FloatArray;
  readonly epsilon: FloatArray;
}

/** D = β + … must stay clear of 0, where its logarithm ends. */
const smallestBeta = 1e-6;
/** α_ii ε_i = 1 exactly would make |y_i| bounded and the map not onto. */
const largestExponentProduct = 0.999;

/** α ≥ 1, β > 0, γ ≥ 0, 0 ≤ ε_i ≤ 1/α_ii with a margin, in place. */
export function projectOntoBounds(parameters: MutableParameters): void {
  const { form, dimension: n, alpha, beta, gamma, epsilon } = parameters;
  for (let k = 0; k < alpha.length; k++) alpha[k] = Math.max(1, alpha[k]);
  for (let k = 0; k < beta.length; k++) beta[k] = Math.max(smallestBeta, beta[k]);
  for (let k = 0; k < gamma.length; k++) gamma[k] = Math.max(0, gamma[k]);
  for (let i = 0; i < n; i++) {
    const bound = largestExponentProduct / alpha[form === "general" ? i * n + i : i];
    epsilon[i] = Math.min(bound, Math.max(0, epsilon[i]));
  }
}
