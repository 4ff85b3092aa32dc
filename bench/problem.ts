/** The problems that everything here is measured on: parameters like those of a fit, data like whitened patches. */
import { type GdnForm, type GdnParameters, createRandom, gdnParameters } from "../src/index.js";

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

export function parametersFor({ form, dimension: n }: Problem): GdnParameters {
  const random = createRandom(1, "bench", n);
  const fill = (length: number, value: (k: number) => number): Float32Array =>
    Float32Array.from({ length }, (_, k) => value(k));
  const onDiagonal = (k: number): number => (k % (n + 1) === 0 ? 1 : 0);
  return gdnParameters({
    form,
    dimension: n,
    H: fill(n * n, (k) => onDiagonal(k) + (0.1 * random.normal()) / Math.sqrt(n)),
    alpha: fill(form === "general" ? n * n : n, () => 1.5 + 0.1 * random.uniform()),
    beta: fill(n, () => 1),
    gamma: fill(n * n, (k) => 0.5 * onDiagonal(k) + 0.01 * random.uniform()),
    epsilon: fill(n, () => 0.45),
  });
}

export function batchFor({ dimension, batch }: Problem): Float32Array {
  return createRandom(1, "bench-data", dimension).normalFill(new Float32Array(batch * dimension));
}
