import { portableExp } from "../../numbers/exponential.js";
import { portableLog } from "../../numbers/logarithm.js";

/**
 * The largest geometric mean of weights along a cycle of a graph (R. M. Karp 1978). With F_k(v) the
 * logarithm of the largest product along a walk of k edges that ends in v:
 *
 *   F_0 = 0,   F_k(v) = max_u F_{k−1}(u) + log a_uv,
 *   log μ = max_v min_{k<N} (F_N(v) − F_k(v)) / (N − k)
 *
 * The walk of F_N(v) for this v contains such a cycle.
 */
export interface CycleMean {
  /** μ; 0 without a cycle. */
  readonly mean: number;
  /** Components along the cycle: each pools the next, and the last pools the first. */
  readonly cycle: readonly number[];
}

interface Walks {
  /** F_k(v), (N + 1)×N; −∞ if no walk of k edges ends in v. */
  readonly F: Float64Array;
  /** The component before v on that walk, (N + 1)×N. */
  readonly from: Int32Array;
}

/** Finds the cycle; a_uv ≥ 0 is the weight of the edge u → v, or 0. Cost: N³ comparisons. */
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

/** Returns the v of the maximum; −1 if no walk has N edges, so that there is no cycle. */
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

/** Returns a cycle of the walk: its N edges visit N + 1 components, so one of them twice. */
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
