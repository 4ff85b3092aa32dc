import type { CostConstants } from "./cost-model.js";

/**
 * Constants measured by `node dist/bench/main.js --only-mpi` (for low rank by `--only-low-rank`) on
 * the machine of docs/performance.md.
 */
export const measuredCosts: CostConstants = {
  secondsPerSampleAndSquare: 3.01e-9,
  secondsPerSampleAndCube: 4.07e-11,
  // From 26,643 samples/s at N = 256 and 2,991 at N = 1024, R = 16, without H⁻¹ (2 and 54 µs per
  // sample).
  lowRankSecondsPerSampleAndSquare: 1.75e-10,
  lowRankSecondsPerSampleAndRank: 3.67e-10,
  serialSecondsPerSquare: 9.06e-8,
  serialSecondsPerCube: 5.91e-11,
  latencyHere: 2.93e-6,
  bandwidthHere: 1e10,
};
