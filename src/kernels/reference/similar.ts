/** Groups of similar patches in Float64, one group and one member after the other. */
import type { FloatArray } from "../kernels.js";
import {
  type SimilarRegion,
  type SimilarSettings,
  type SimilarSums,
  mostSimilar,
} from "../patch-kernels.js";

export function estimateSimilar(
  region: SimilarRegion,
  settings: SimilarSettings,
  sums: SimilarSums,
): void {
  const { size } = settings;
  for (const reference of region.references) {
    const members = similarTo(reference, region, settings);
    const guides = members.map((corner) => patchAt(region.guide, region.width, corner, size));
    const density = groupDensity(guides, settings.uncertainty);
    for (const corner of members) {
      const y = patchAt(region.noisy, region.width, corner, size);
      add(sums, region.width, corner, y, posteriorMean(y, density));
    }
  }
}

/** Returns the corners of a group: the reference first, then by distance and by corner. */
function similarTo(reference: number, region: SimilarRegion, settings: SimilarSettings): number[] {
  const { width, height, guide } = region;
  const { size, reach } = settings;
  const [top, left] = [Math.floor(reference / width), reference % width];
  const own = patchAt(guide, width, reference, size);
  const found: { readonly corner: number; readonly distance: number }[] = [];
  for (let y = Math.max(0, top - reach); y <= Math.min(height - size, top + reach); y++) {
    for (let x = Math.max(0, left - reach); x <= Math.min(width - size, left + reach); x++) {
      const corner = y * width + x;
      const other = patchAt(guide, width, corner, size);
      const distance = other.reduce((sum, value, k) => sum + (value - own[k]) ** 2, 0);
      found.push({ corner, distance: corner === reference ? -1 : distance });
    }
  }
  found.sort((a, b) => a.distance - b.distance);
  return found.slice(0, mostSimilar).map(({ corner }) => corner);
}

function patchAt(image: FloatArray, width: number, corner: number, size: number): Float64Array {
  const at = (k: number): number => corner + Math.floor(k / size) * width + (k % size);
  return Float64Array.from({ length: size * size }, (_, k) => image[at(k)]);
}

interface GroupDensity {
  readonly mean: Float64Array;
  /** Lower triangle L with L Lᵀ = C + I, row by row. */
  readonly factor: Float64Array;
}

function groupDensity(patches: readonly Float64Array[], uncertainty: number): GroupDensity {
  const n = patches[0].length;
  const count = patches.length;
  const mean = new Float64Array(n).map(
    (_, i) => patches.reduce((sum, patch) => sum + patch[i], 0) / count,
  );
  const factor = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const products = patches.reduce((sum, p) => sum + (p[i] - mean[i]) * (p[j] - mean[j]), 0);
      let rest = products / count + (i === j ? 1 + uncertainty : 0);
      for (let k = 0; k < j; k++) rest -= factor[i * n + k] * factor[j * n + k];
      factor[i * n + j] = i === j ? Math.sqrt(rest) : rest / factor[j * n + j];
    }
  }
  return { mean, factor };
}

/** Returns μ + C (C + I)⁻¹ (y − μ) = y − (C + I)⁻¹ (y − μ). */
function posteriorMean(y: Float64Array, { mean, factor }: GroupDensity): Float64Array {
  const n = y.length;
  const z = y.map((value, i) => value - mean[i]);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) z[i] -= factor[i * n + k] * z[k];
    z[i] /= factor[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) z[i] -= factor[k * n + i] * z[k];
    z[i] /= factor[i * n + i];
  }
  return y.map((value, i) => value - z[i]);
}

function add(
  sums: SimilarSums,
  width: number,
  corner: number,
  y: Float64Array,
  estimate: Float64Array,
): void {
  const size = Math.sqrt(y.length);
  estimate.forEach((value, k) => {
    sums.values[corner + Math.floor(k / size) * width + (k % size)] += value;
  });
  sums.counts[corner] += 1;
  const squares = y.reduce((sum, value, k) => sum + (value - estimate[k]) ** 2, 0);
  sums.residuals[corner] += squares / y.length;
}
