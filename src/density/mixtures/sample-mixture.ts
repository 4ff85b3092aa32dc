/**
 * Samples of a mixture. Each draws a leaf by its weight, then z from the transform of the leaf, and
 * is x = g⁻¹ z. Sample s uses row s of the normal vectors, whatever its leaf, so the first samples
 * of a seed do not depend on the count.
 */
import type { FloatArray } from "../../kernels/kernels.js";
import type { TaskRunner } from "../../parallel/job.js";
import { type Seed, createRandom } from "../../random/random-stream.js";
import type { Transform } from "../../transforms/transform.js";
import { checkCall } from "../batch-passes.js";
import { type SampleOptions, normalVectors, sampleAt } from "../synthesis.js";
import { type MixtureLeaf, leavesOf } from "./leaves.js";
import { type AnyMixture, requireMixture } from "./mixture.js";
import { inverseOf, posed } from "./poses.js";

/** Draws `count` independent samples, count×N; the same seed gives the same samples. */
export async function sampleMixture(
  runner: TaskRunner,
  given: AnyMixture,
  count: number,
  seed: Seed,
  options: SampleOptions = {},
): Promise<FloatArray> {
  checkCall(runner, options, "temperature");
  const { temperature = 1, signal, onProgress } = options;
  const mixture = requireMixture(given);
  const n = mixture.dimension;
  const leaves = leavesOf(mixture);
  const y = normalVectors(runner, leaves[0].transform, count, seed, { temperature });
  const chosen = chosenLeaves(leaves, count, seed);
  let done = 0;
  for (const [transform, samples] of samplesByTransform(leaves, chosen)) {
    const rows = runner.kernels.floats(samples.length * n);
    samples.forEach((s, k) => {
      rows.set(y.subarray(s * n, (s + 1) * n), k * n);
    });
    const before = done;
    const z = await sampleAt(runner, transform, rows, {
      signal,
      ...(onProgress && {
        onProgress: (part: number) => {
          onProgress(before + part, count);
        },
      }),
    });
    done += samples.length;
    samples.forEach((s, k) => {
      y.set(z.subarray(k * n, (k + 1) * n), s * n);
    });
  }
  turnBack(y, n, leaves, chosen);
  return y;
}

/** Draws a leaf for each sample. */
function chosenLeaves(leaves: readonly MixtureLeaf[], count: number, seed: Seed): Int32Array {
  const random = createRandom(seed, "sample", "mixture");
  const ends = new Float64Array(leaves.length);
  let sum = 0;
  leaves.forEach(({ weight }, l) => {
    ends[l] = sum += weight;
  });
  return Int32Array.from({ length: count }, () => {
    const draw = random.uniform() * sum;
    const found = ends.findIndex((end) => draw < end);
    return found < 0 ? leaves.length - 1 : found;
  });
}

/** Returns the samples of each transform: all poses of a transform are drawn in one batch. */
function samplesByTransform(
  leaves: readonly MixtureLeaf[],
  chosen: Int32Array,
): ReadonlyMap<Transform, readonly number[]> {
  const groups = new Map<Transform, number[]>();
  chosen.forEach((l, s) => {
    const { transform } = leaves[l];
    const group = groups.get(transform);
    if (group) group.push(s);
    else groups.set(transform, [s]);
  });
  return groups;
}

/** Replaces each z by x = g⁻¹ z. */
function turnBack(
  z: FloatArray,
  n: number,
  leaves: readonly MixtureLeaf[],
  chosen: Int32Array,
): void {
  const inverses = leaves.map(({ pose }) => (pose ? inverseOf(pose) : null));
  chosen.forEach((l, s) => {
    const inverse = inverses[l];
    if (inverse) z.set(posed(z.subarray(s * n, (s + 1) * n), inverse), s * n);
  });
}
