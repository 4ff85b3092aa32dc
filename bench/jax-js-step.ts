/**
 * A gradient step of the same layer as a user of jax-js would write it, in Node and in a browser.
 * `jit` fails for it (0.1.25: "routine primitive triangular_solve input is not imm"), so every
 * operation runs on its own. The gradient of the log-determinants comes from
 *
 *   autodiff   automatic differentiation of `slogdet`
 *   inverse    d log |det A| = tr(A⁻¹ dA), by hand, with the inverse held constant
 */
import { type Array, blockUntilReady, grad, init, lax, numpy as np } from "@jax-js/jax";
import { repeatFor } from "./measure.js";
import { type Problem, batchFor, layerFor } from "./problem.js";

/** How the gradient of a log-determinant is written. */
export type JaxJsMethod = "autodiff" | "inverse";
export const jaxJsMethods: readonly JaxJsMethod[] = ["autodiff", "inverse"];

const names = ["H", "alpha", "beta", "gamma", "epsilon"] as const;
export type JaxJsGradient = Record<(typeof names)[number], Array>;

/**
 * Returns a function that computes the gradient of the mean of −log p, without its constant. The
 * caller disposes of the arrays.
 */
export async function jaxJsStep(
  { dimension: n, batch }: Pick<Problem, "dimension" | "batch">,
  method: JaxJsMethod,
): Promise<() => Promise<JaxJsGradient>> {
  // The page is not cross-origin isolated, and Node has no global Worker: this is one thread.
  await init("wasm");
  const layer = layerFor({ structure: "column", dimension: n });
  const x = np.array(batchFor({ dimension: n, batch }), { shape: [batch, n] });
  const shapeOf = (name: (typeof names)[number]): number[] =>
    name === "H" || name === "gamma" ? [n, n] : [n];
  const entries = names.map(
    (name) =>
      [name, np.array(Float32Array.from(layer[name] ?? []), { shape: shapeOf(name) })] as const,
  );
  const gradient = grad((parameters: JaxJsGradient, samples: Array) =>
    energy(parameters, samples, method === "autodiff" ? logDeterminant : traceOfInverse),
  );
  return async () => {
    // A function of jax-js consumes its arguments; `ref` keeps them.
    const parameters = Object.fromEntries(entries.map(([name, value]) => [name, value.ref]));
    return blockUntilReady(gradient(parameters as JaxJsGradient, x.ref));
  };
}

/**
 * Mean of −log p of a GDN layer (paper eqs. 1 and 5) with exponents α_j:
 *
 *   z = H x,  u_j = |z_j|^α_j,  D = β + γ u,  y = z / D^ε,  M_ij = ε_i γ_ij α_j u_j / D_i
 *   −log p = ½ ‖y‖² + Σ_i ε_i log D_i − log |det(I − M)| − log |det H| + const
 */
function energy(
  { H, alpha, beta, gamma, epsilon }: JaxJsGradient,
  x: Array,
  logDeterminantOf: (matrices: Array) => Array,
): Array {
  const [batch, n] = x.shape;
  const z = np.matmul(x, H.ref.transpose());
  const u = np.power(np.absolute(z.ref), alpha.ref);
  const D = np.matmul(u.ref, gamma.ref.transpose()).add(beta);
  const rows = epsilon.ref.div(D.ref).reshape([batch, n, 1]);
  const M = rows.mul(gamma).mul(alpha.mul(u).reshape([batch, 1, n]));
  const y = z.div(np.power(D.ref, epsilon.ref));
  const others = np
    .square(y)
    .mul(0.5)
    .sum(1)
    .add(epsilon.mul(np.log(D)).sum(1));
  return others
    .sum()
    .sub(logDeterminantOf(np.eye(n).sub(M)))
    .div(batch)
    .sub(logDeterminantOf(H));
}

/** Sum of log |det A| over a batch. */
function logDeterminant(matrices: Array): Array {
  return np.linalg.slogdet(matrices)[1].sum();
}

/** A sum with the gradient of {@link logDeterminant}, but another value. */
function traceOfInverse(matrices: Array): Array {
  const inverses = lax.stopGradient(np.linalg.inv(matrices.ref));
  return inverses.mul(np.matrixTranspose(matrices)).sum();
}

/** Computes steps for at least the given milliseconds; returns the number of samples. */
export async function jaxJsSteps(
  problem: Problem,
  method: JaxJsMethod,
  milliseconds: number,
): Promise<number> {
  const step = await jaxJsStep(problem, method);
  const repetitions = await repeatFor(async () => {
    for (const array of Object.values(await step())) array.dispose();
  }, milliseconds);
  return repetitions * problem.batch;
}
