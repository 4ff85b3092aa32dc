import type { RandomStream } from "../../src/random/random-stream.js";
import type { Gdn } from "../../src/transforms/gdn.js";

/**
 * Normal samples with every |z_i| > 0.05, z = H x: closer to 0, |z|^α bends too sharply for central differences.
 */
export function smoothSamples(
  random: RandomStream,
  { H, dimension: n }: Pick<Gdn, "H" | "dimension">,
  count: number,
): Float64Array {
  const samples: number[] = [];
  while (samples.length < count * n) {
    const x = random.normalFill(new Float64Array(n));
    const z = x.map((value, i) =>
      H ? x.reduce((sum, xj, j) => sum + H[i * n + j] * xj, 0) : value,
    );
    if (z.every((value) => Math.abs(value) > 0.05)) samples.push(...x);
  }
  return Float64Array.from(samples);
}
