/**
 * The noise level that white noise had before an image was stored as JPEG. JPEG rounds the cosine
 * coefficients of blocks of 8×8 pixels to multiples of steps. The steps of high frequencies are the
 * largest: much of their noise becomes 0, the rest grows. But rounding does not change the number
 * of coefficients above the border between two multiples:
 *
 *   P(|c_k| > t) = erfc(t / (σ √2)),   t = (j + ½) q_k, the border nearest to σ
 *
 *   symbol  meaning
 *   c_k     coefficient k of noise: normal, standard deviation σ
 *   q_k     its step
 *
 * Only the 3 % of blocks with the least energy in low frequencies count. Their high frequencies
 * hold little but noise, and this selection does not bias them, because the coefficients of noise
 * are independent. Frequencies are grouped by direction and height. The σ of a group is the one at
 * which the expected number above the borders equals the observed one. Texture can only raise it,
 * so the second smallest σ is the result.
 */
import type { GreyPixels } from "../images/grey-image.js";
import type { JpegBlocks } from "../images/jpeg-tables.js";
import { quickNormalTails } from "../numbers/normal-distribution.js";
import { nthSmallest } from "../numbers/order-statistics.js";
import { square } from "../numbers/square.js";
import { unitRoot } from "../numbers/unit-root.js";

const side = 8;
const greyLevels = 255;

/** Row u holds the cosine of frequency u. */
const cosines = Float64Array.from({ length: side * side }, (_, k) => {
  const [u, x] = [Math.floor(k / side), k % side];
  const { cosine } = unitRoot((2 * x + 1) * u, 4 * side);
  return Math.sqrt((u === 0 ? 1 : 2) / side) * cosine;
});

/** Highest low frequency, as the sum of row and column; low energy there marks flat blocks. */
const highestLow = 3;
const shareOfBlocks = 0.03;
const leastBlocks = 64;
const mostBlocks = 16_384;

/** Factor between steps of the search, and its range in grey levels. */
const factor = 1.05;
const [smallest, largest] = [0.5, 128];
/** Coefficients above the borders that a group needs. */
const leastSeen = 8;

/** Returns σ for pixels from 0 to 1: 0 if no noise is left, undefined for fewer than 8 blocks. */
export function jpegNoise(
  image: GreyPixels,
  { steps, left, top }: JpegBlocks,
  clipped?: Uint8Array,
): number | undefined {
  const blocks = coefficientsOf(image, left, top, clipped);
  if (blocks.length < side) return undefined;
  const flat = flattest(blocks);
  const levels = [...groups.values()]
    .map((places) => levelOf(flat, places, steps))
    .filter(({ seen }) => seen >= leastSeen)
    .map(({ sigma }) => sigma)
    .sort((a, b) => a - b);
  const level = levels.length === 0 ? 0 : levels[Math.min(1, levels.length - 1)];
  return level / greyLevels;
}

/** High frequencies by direction (along rows, along columns, between) and height. */
const groups = new Map<string, number[]>();
for (let place = 0; place < side * side; place++) {
  const [v, u] = [Math.floor(place / side), place % side];
  if (u + v <= highestLow) continue;
  const direction = u >= 2 * v ? "row" : v >= 2 * u ? "column" : "between";
  const name = `${direction} ${u + v >= side ? "high" : "middle"}`;
  groups.set(name, [...(groups.get(name) ?? []), place]);
}

/** Returns the coefficients of unclipped blocks, in grey levels; subsamples large images. */
function coefficientsOf(
  { width, height, pixels }: GreyPixels,
  left: number,
  top: number,
  clipped?: Uint8Array,
): readonly Float64Array[] {
  const columns = Math.floor((width - left) / side);
  const rows = Math.floor((height - top) / side);
  const step = Math.ceil((columns * rows) / mostBlocks);
  const blocks: Float64Array[] = [];
  for (let k = 0; k < columns * rows; k += step) {
    const corner = (top + side * Math.floor(k / columns)) * width + left + side * (k % columns);
    const places = inBlock.map(
      (place) => corner + Math.floor(place / side) * width + (place % side),
    );
    if (places.some((place) => clipped?.[place] === 1)) continue;
    blocks.push(transformed(Float64Array.from(places, (place) => greyLevels * pixels[place])));
  }
  return blocks;
}

const inBlock = Array.from({ length: side * side }, (_, place) => place);

function transformed(block: Float64Array): Float64Array {
  const rows = new Float64Array(side * side);
  const both = new Float64Array(side * side);
  for (let k = 0; k < side * side; k++) {
    const [y, u] = [k - (k % side), side * (k % side)];
    for (let x = 0; x < side; x++) rows[k] += cosines[u + x] * block[y + x];
  }
  for (let k = 0; k < side * side; k++) {
    const [v, u] = [k - (k % side), k % side];
    for (let y = 0; y < side; y++) both[k] += cosines[v + y] * rows[side * y + u];
  }
  return both;
}

function flattest(blocks: readonly Float64Array[]): readonly Float64Array[] {
  const energies = Float64Array.from(blocks, lowEnergy);
  const count = Math.max(leastBlocks, Math.ceil(shareOfBlocks * blocks.length));
  if (count >= blocks.length) return blocks;
  const most = nthSmallest(energies.slice(), count - 1);
  return blocks.filter((_, k) => energies[k] <= most);
}

function lowEnergy(block: Float64Array): number {
  let sum = 0;
  for (let v = 0; v <= highestLow; v++) {
    for (let u = v === 0 ? 1 : 0; u + v <= highestLow; u++) sum += square(block[side * v + u]);
  }
  return sum;
}

/**
 * Finds the σ whose expected number of coefficients above the borders is the observed one. Half a
 * coefficient is added to both numbers, which steadies small ones.
 */
function levelOf(
  blocks: readonly Float64Array[],
  places: readonly number[],
  steps: readonly number[],
): { readonly sigma: number; readonly seen: number } {
  const sizes = places.map((place) =>
    Float64Array.from(blocks, (block) => Math.abs(block[place])).sort(),
  );
  let before = Infinity;
  for (let sigma = smallest; sigma < largest; sigma *= factor) {
    let [seen, awaited] = [0, 0];
    places.forEach((place, k) => {
      const step = steps[place];
      const border = (Math.max(0, Math.round(sigma / step - 0.5)) + 0.5) * step;
      seen += countAbove(sizes[k], border);
      awaited += blocks.length * quickNormalTails(border / sigma);
    });
    const ratio = (seen + 0.5) / (awaited + 0.5);
    if (ratio <= 1) {
      const back = before === Infinity ? 0 : ((factor - 1) * (1 - ratio)) / (before - ratio);
      return { sigma: sigma / (1 + back), seen };
    }
    before = ratio;
  }
  return { sigma: largest, seen: 0 };
}

/** Counts the sorted values above a border. */
function countAbove(sorted: Float64Array, border: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle] > border) to = middle;
    else from = middle + 1;
  }
  return sorted.length - from;
}
