import { portableExp } from "../../numbers/exponential.js";
import { portableLog } from "../../numbers/logarithm.js";

/**
 * The largest geometric mean of the weights along a cycle of a graph (R. M. Karp 1978). With F_k(v)
 * the logarithm of the largest product along a walk of k edges that ends in v:
 *
 *   F_0 = 0,   F_k(v) = max_u F_{k−1}(u) + log a_uv,
 *   log μ = max_v min_{k<N} (F_N(v) − F_k(v)) / (N − k)
 *
 * The walk that F_N of this v stands for goes round such a cycle.
 */
export interface CycleMean {
  /** μ; 0 where there is no cycle. */
  readonly mean: number;
  /** The components along the cycle, each pooling the next one, the last one the first. */
  readonly cycle: readonly number[];
}

interface Walks {
  /** (N + 1)×N: F_k(v), −∞ where no walk of k edges ends in v. */
  readonly F: Float64Array;
  /** (N + 1)×N: where that walk comes from. */
  readonly from: Int32Array;
}

/** a_uv ≥ 0 is the weight of the edge from u to v, 0 where there is none. Cost: N³ comparisons. */
export function largestCycleMean(a: (u: number, v: number) => number, n: number): CycleMean {
  const walks = longestWalks(a, n);
  const end = endOfCriticalWalk(walks.F, n);
  if (end < 0) return { mean: 0, cycle: [] };
  const cycle = cycleOn(walks.from, n, end);
  const logarithm = cycle.reduce(
    (sum, u, k) => sum + portableLog(a(u, cycle[(k + 1) % cycle.length])),
    0,
  );
  return { mean: portableExp(logarithm / cycle.length), cycle };
}

function longestWalks(a: (u: number, v: number) => number, n: number): Walks {
  const weights = new Float64Array(n * n);
  for (let u = 0; u < n; u++) {
    for (let v = 0; v < n; v++) weights[u * n + v] = portableLog(a(u, v));
  }
  const F = new Float64Array((n + 1) * n).fill(-Infinity);
  const from = new Int32Array((n + 1) * n).fill(-1);
  F.fill(0, 0, n);
  for (let k = 1; k <= n; k++) {
    const level = k * n;
    for (let u = 0; u < n; u++) {
      const soFar = F[level - n + u];
      for (let v = 0; v < n; v++) {
        const length = soFar + weights[u * n + v];
        if (!(length > F[level + v])) continue;
        F[level + v] = length;
        from[level + v] = u;
      }
    }
  }
  return { F, from };
}

/**
 * The v at which the maximum over v is attained; −1 where no walk has N edges, and so none a cycle.
 */
function endOfCriticalWalk(F: Float64Array, n: number): number {
  let [best, end] = [-Infinity, -1];
  for (let v = 0; v < n; v++) {
    const whole = F[n * n + v];
    if (whole === -Infinity) continue;
    let least = Infinity;
    for (let k = 0; k < n; k++) least = Math.min(least, (whole - F[k * n + v]) / (n - k));
    if (least > best) [best, end] = [least, v];
  }
  return end;
}

/** N edges meet N + 1 components: one of them twice. */
function cycleOn(from: Int32Array, n: number, end: number): number[] {
  const walk = [end];
  for (let k = n; k > 0; k--) {
    const previous = from[k * n + walk[0]];
    const again = walk.indexOf(previous);
    if (again >= 0) return [previous, ...walk.slice(0, again)];
    walk.unshift(previous);
  }
  return [];
}
