/** Estimates of patches by a density in Float64, one patch after the other. */
import type { PatchDensity, PatchKernel, PatchSettings } from "../patch-kernels.js";
import { multiplied } from "./matrix.js";

export function referencePatches(size: number): PatchKernel {
  let density: PatchDensity | undefined;
  const n = size * size;
  return {
    load({ H, gamma, c, alpha, beta, epsilon }) {
      const copies = [H, gamma, c, alpha, beta, epsilon].map((values) => values.slice());
      const [ownH, ownGamma, ownC, ...others] = copies;
      const [ownAlpha, ownBeta, ownEpsilon] = others;
      density = {
        H: ownH,
        gamma: ownGamma,
        c: ownC,
        alpha: ownAlpha,
        beta: ownBeta,
        epsilon: ownEpsilon,
      };
    },
    estimate({ width, noisy, corners }, settings, sums) {
      if (!density) throw new Error("Call load() before estimate().");
      for (const corner of corners) {
        const at = (k: number): number => corner + Math.floor(k / size) * width + (k % size);
        const x = Float64Array.from({ length: n }, (_, k) => noisy[at(k)]);
        const { gradient } = negativeLogProbability(density, x);
        const noise = gradient.map((value) => settings.sigma * settings.sigma * value);
        const kept = settings.isBounded ? bounded(noise, x, settings) : noise;
        kept.forEach((value, k) => {
          sums[at(k)] += x[k] - value;
        });
      }
    },
  };
}

/** Returns −log p(x) up to a constant, with the expansion of PatchKernel, and its gradient. */
export function negativeLogProbability(
  { H, gamma, c, alpha, beta, epsilon }: PatchDensity,
  x: Float64Array,
): { readonly value: number; readonly gradient: Float64Array } {
  const n = x.length;
  const z = multiplied(H, x).map((value, i) => value + c[i]);
  const u = z.map((value, i) => Math.abs(value) ** alpha[i]);
  const D = multiplied(gamma, u).map((value, i) => value + beta[i]);
  const y = z.map((value, i) => value * D[i] ** -epsilon[i]);
  const p = u.map((value, i) => (epsilon[i] * alpha[i] * value) / D[i]);
  const s = p.map((value, i) => 1 / (1 - gamma[i * n + i] * value));
  const q = p.map((value, i) => value * s[i]);
  const coupled = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (i !== j) coupled[i] += gamma[i * n + j] * gamma[j * n + i] * q[j];
    }
  }
  let value = 0;
  for (let i = 0; i < n; i++) {
    value += (y[i] * y[i]) / 2 + epsilon[i] * Math.log(D[i]) + Math.log(s[i]);
    value += (q[i] * coupled[i]) / 2;
  }
  const r = q.map((each, i) => each * (gamma[i * n + i] + s[i] * coupled[i]));
  const byD = D.map((each, i) => (epsilon[i] * (1 - y[i] * y[i]) - r[i]) / each);
  const byZ = z.map((each, j) => {
    let pulled = 0;
    for (let i = 0; i < n; i++) pulled += gamma[i * n + j] * byD[i];
    const inner = each === 0 ? 0 : (alpha[j] * (pulled * u[j] + r[j])) / each;
    return y[j] * D[j] ** -epsilon[j] + inner;
  });
  const gradient = x.map((_, k) => byZ.reduce((sum, each, i) => sum + H[i * n + k] * each, 0));
  return { value, gradient };
}

/** Limits the noise of a patch as src/denoising/empirical-bayes.ts tells. */
function bounded(noise: Float64Array, x: Float64Array, { sigma }: PatchSettings): Float64Array {
  const n = x.length;
  const meanOf = (values: Float64Array): number =>
    values.reduce((sum, value) => sum + value, 0) / n;
  const [meanX, meanN] = [meanOf(x), meanOf(noise)];
  const squaresOf = (values: Float64Array, mean: number): number =>
    values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const most = Math.min(squaresOf(x, meanX), 1.25 * 1.25 * sigma * sigma * n);
  const squares = squaresOf(noise, meanN);
  const factor = squares > most ? Math.sqrt(most / squares) : 1;
  const mostMean = (5 * sigma) / Math.sqrt(n);
  const kept = Math.max(-mostMean, Math.min(mostMean, meanN));
  return noise.map((value) => kept + factor * (value - meanN));
}
