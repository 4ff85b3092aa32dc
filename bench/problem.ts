/** The problems of the benchmarks: parameters like those of a fit, data like whitened patches. */
import { createRandom } from "../src/random/random-stream.js";
import { type Gdn, gdn } from "../src/transforms/gdn.js";
import { gdnLengths } from "../src/kernels/kernels.js";

export interface Problem {
  readonly name: "n64" | "n256" | "n64FullAlpha" | "n256FullAlpha";
  readonly structure: "column" | "general";
  readonly dimension: number;
  readonly batch: number;
}

export const problems: readonly Problem[] = [
  { name: "n64", structure: "column", dimension: 64, batch: 512 },
  { name: "n256", structure: "column", dimension: 256, batch: 64 },
  { name: "n64FullAlpha", structure: "general", dimension: 64, batch: 512 },
  { name: "n256FullAlpha", structure: "general", dimension: 256, batch: 64 },
];

/** A layer in Float32, as in a fit. */
export function layerFor({
  structure,
  dimension: n,
}: Pick<Problem, "structure" | "dimension">): Gdn {
  const random = createRandom(1, "bench", n);
  const fill = (length: number, value: (k: number) => number): Float32Array =>
    Float32Array.from({ length }, (_, k) => value(k));
  const onDiagonal = (k: number): number => (k % (n + 1) === 0 ? 1 : 0);
  const lengths = gdnLengths(structure, n);
  return gdn({
    structure,
    dimension: n,
    H: fill(lengths.H, (k) => onDiagonal(k) + (0.1 * random.normal()) / Math.sqrt(n)),
    alpha: fill(lengths.alpha, () => 1.5 + 0.1 * random.uniform()),
    beta: fill(lengths.beta, () => 1),
    gamma: fill(lengths.gamma, (k) => 0.5 * onDiagonal(k) + 0.01 * random.uniform()),
    epsilon: fill(lengths.epsilon, () => 0.45),
  });
}

export function batchFor({ dimension, batch }: Pick<Problem, "dimension" | "batch">): Float32Array {
  return createRandom(1, "bench-data", dimension).normalFill(new Float32Array(batch * dimension));
}
