/**
 * Where a fit of guided densities begins: each as the Wiener filter along the principal axes of the
 * patches of its class.
 */
import { copyPatch } from "../../patches/patch-layout.js";
import { type Seed, createRandom } from "../../random/random-stream.js";
import { symmetricEigen } from "../../transforms/symmetric-eigen.js";
import type { GuidedExpert } from "./guided-density.js";
import { classOfKind, poseMaps, poseOfKind } from "./patch-classes.js";
import type { Scene } from "./training-scenes.js";

/**
 * Of γ on its diagonal, and of a row beside it: what is 0 in the beginning learns as well, but
 * later.
 */
const [own, others] = [0.9, 0.1];

export function startExperts(
  scenes: readonly Scene[],
  { size, classes, variance, seed }: StartOptions,
): readonly GuidedExpert[] {
  const n = size * size;
  return secondMoments(scenes, size, classes, seed).map((moment) => {
    const axes = Float32Array.from(symmetricEigen(moment, n).vectors);
    const share = (k: number): number => (k % (n + 1) === 0 ? own : others / n);
    return {
      H: axes,
      G: axes.slice(),
      gamma: Float32Array.from({ length: n * n }, (_, k) => share(k)),
      alpha: new Float32Array(n).fill(2),
      beta: new Float32Array(n).fill(variance),
    };
  });
}

export interface StartOptions {
  readonly size: number;
  readonly classes: number;
  /** σ², standardized. */
  readonly variance: number;
  readonly seed: Seed;
}

/**
 * Patches of each class, and how many are drawn at most for each of them, lest the rarest class has
 * too few.
 */
const [samples, tries] = [4096, 16];

/** Of the patches of the guides, in their pose. */
function secondMoments(
  scenes: readonly Scene[],
  size: number,
  classes: number,
  seed: Seed,
): Float64Array[] {
  const n = size * size;
  const moments = Array.from({ length: classes }, () => new Float64Array(n * n));
  const counts = new Uint32Array(classes);
  const maps = poseMaps(size);
  const patch = new Float32Array(n);
  const layout = { size, removeMean: false };
  const random = createRandom(seed, "guided start");
  for (let k = 0; k < tries * classes * samples; k++) {
    const { guide, kinds } = scenes[random.integer(scenes.length)];
    const left = random.integer(guide.width - size + 1);
    const corner = random.integer(guide.height - size + 1) * guide.width + left;
    const kind = kinds[corner];
    const expert = classOfKind(kind);
    if (counts[expert] >= samples) continue;
    counts[expert]++;
    copyPatch(guide.pixels, guide.width, corner, layout, patch, 0);
    addSquare(moments[expert], patch, maps[poseOfKind(kind)]);
  }
  return moments.map((moment) => completed(moment, n));
}

/** Of a patch in its pose, the part at and below the diagonal. */
function addSquare(moment: Float64Array, patch: Float32Array, map: Uint16Array): void {
  const n = patch.length;
  for (let i = 0; i < n; i++) {
    const value = patch[map[i]];
    for (let j = 0; j <= i; j++) moment[i * n + j] += value * patch[map[j]];
  }
}

function completed(moment: Float64Array, n: number): Float64Array {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) moment[j * n + i] = moment[i * n + j];
  }
  return moment;
}
