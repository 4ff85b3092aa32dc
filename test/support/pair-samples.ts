/** Pairs with known mutual information. */
import { createRandom } from "../../src/random/random-stream.js";
import { logGamma } from "../../src/numbers/incomplete-gamma.js";
import { seed } from "./seed.js";
import { lineNodes } from "./quadrature.js";

/** √z (u1, ρ u1 + √(1 − ρ²) u2) with u normal; z ≡ 1 is a normal distribution. */
export function scaledPairs(
  name: string,
  count: number,
  correlation: number,
  scale: (normal: () => number) => number = () => 1,
): Float64Array {
  const random = createRandom(seed, "pairs", name, count);
  const normal = (): number => random.normal();
  const pairs = new Float64Array(2 * count);
  for (let k = 0; k < pairs.length; k += 2) {
    const root = Math.sqrt(scale(normal));
    const [first, second] = [normal(), normal()];
    pairs[k] = root * first;
    pairs[k + 1] = root * (correlation * first + Math.sqrt(1 - correlation ** 2) * second);
  }
  return pairs;
}

/** z of Student's t: ν/χ²_ν. */
export function studentScale(freedom: number) {
  return (normal: () => number): number => {
    let squares = 0;
    for (let k = 0; k < freedom; k++) squares += normal() ** 2;
    return freedom / squares;
  };
}

/** Draws z with ln z normal, of this deviation. */
export function logNormalScale(deviation: number) {
  return (normal: () => number): number => Math.exp(deviation * normal());
}

/** Part due to correlation, for every elliptical density: −½ log2 (1 − ρ²). */
export function gaussianInformation(correlation: number): number {
  return -0.5 * Math.log2(1 - correlation ** 2);
}

/**
 * 2 h_1 − h_2 for the d-dimensional Student t of unit scatter: h_d = ln((νπ)^(d/2)
 * Γ(ν/2)/Γ((ν+d)/2)) + (ν+d)/2 (ψ((ν+d)/2) − ψ(ν/2)).
 */
export function studentInformation(freedom: number, correlation: number): number {
  const entropy = (d: number): number => {
    const [a, b] = [freedom / 2, (freedom + d) / 2];
    const normalizer = (d / 2) * Math.log(freedom * Math.PI) + logGamma(a) - logGamma(b);
    return normalizer + b * (digamma(b) - digamma(a));
  };
  return (2 * entropy(1) - entropy(2)) / Math.LN2 + gaussianInformation(correlation);
}

function digamma(x: number): number {
  let sum = 0;
  for (; x < 12; x++) sum -= 1 / x;
  const s = 1 / (x * x);
  return sum + Math.log(x) - 0.5 / x - s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s / 240)));
}

/** 2 h_1 − h_2 for √z u, ln z normal, by quadrature over z and over the radius. */
export function logNormalInformation(deviation: number): number {
  const scales = lineNodes({ step: 0.05, reach: 8 }).map(({ at, weight }) => ({
    z: Math.exp(deviation * at),
    share: (weight * Math.exp(-0.5 * at * at)) / Math.sqrt(2 * Math.PI),
  }));
  const densityAt = (r: number, d: number): number =>
    scales.reduce(
      (sum, { z, share }) =>
        sum + (share * Math.exp((-0.5 * r * r) / z)) / (2 * Math.PI * z) ** (d / 2),
      0,
    );
  const radii = lineNodes({ step: 0.05, reach: 1000 }).filter(({ at }) => at > 0);
  const entropy = (d: 1 | 2): number =>
    radii.reduce((sum, { at, weight }) => {
      const p = densityAt(at, d);
      const surface = d === 1 ? 2 : 2 * Math.PI * at;
      return p > 0 ? sum - weight * surface * p * Math.log(p) : sum;
    }, 0);
  return (2 * entropy(1) - entropy(2)) / Math.LN2;
}

/** Independent pairs: Laplacian, and Student's t with three degrees of freedom. */
export function independentPairs(name: string, count: number): Float64Array {
  const random = createRandom(seed, "independent pairs", name, count);
  const scale = studentScale(3);
  return Float64Array.from({ length: 2 * count }, (_, k) => {
    if (k % 2 === 1) return random.normal() * Math.sqrt(scale(() => random.normal()));
    return Math.log(1 - random.uniform()) * (random.uniform() < 0.5 ? 1 : -1);
  });
}
