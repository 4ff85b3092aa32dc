import { portableExp } from "../numbers/exponential.js";
import { portableLog } from "../numbers/logarithm.js";

/**
 * Normal random numbers by the ziggurat of Marsaglia & Tsang (2000), "The ziggurat method for
 * generating random variables", with 256 layers of equal area under f(x) = exp(−x²/2).
 *
 *   layer i ≥ 1 is the rectangle [0, edge_i] × [height_i, height_i+1], height_i = f(edge_i);
 *   layer 0 is the bottom strip with the tail beyond edge_1.
 *
 * Deviation from the paper: layer, sign and position come from separate bits (sharing them
 * correlates the layer with the value), and log and exp are portable, so the bits are the same on
 * every engine. Cost: one multiplication and one comparison for 98.8 % of the numbers.
 */

const layers = 256;
// The tail start for which 256 equal areas end at height 1, and that area, computed with 40 digits
// (checked by test/random/ziggurat.test.ts).
const tailStart = 3.654152885361008771645;
const layerArea = 0.004928673233974655347362;

// 2⁻⁵³ by an exact division, because ECMAScript leaves the last digits of `**` to the engine.
const unit = 1 / 0x20_0000_0000_0000;

export const { edge, height } = createTables();

function createTables(): { edge: Float64Array; height: Float64Array } {
  const edge = new Float64Array(layers + 1);
  const height = new Float64Array(layers + 1);
  edge[0] = layerArea / bell(tailStart); // width of the bottom strip without a tail
  edge[1] = tailStart;
  for (let i = 1; i < layers - 1; i += 1) {
    edge[i + 1] = Math.sqrt(-2 * portableLog(layerArea / edge[i] + bell(edge[i])));
  }
  edge[layers] = 0;
  for (let i = 1; i <= layers; i += 1) height[i] = bell(edge[i]);
  return { edge, height };
}

function bell(x: number): number {
  return portableExp(-0.5 * x * x);
}

/** Returns a uniform number in [0, 1) with 53 bits, from two 32-bit words. */
export function uniformOf(first: number, second: number): number {
  return ((first >>> 5) * 0x4000000 + (second >>> 6)) * unit;
}

interface WordSource {
  next(): number;
}

/** Returns a standard normal number, from two random words (rarely more). */
export function nextNormal(source: WordSource): number {
  for (;;) {
    // The highest bits choose the layer; the lowest, the weakest of xoroshiro128+, are in the
    // middle of the 53-bit position.
    const word = source.next();
    const layer = word >>> 24;
    const position = ((word & 0x7fffff) * 0x40000000 + (source.next() >>> 2)) * unit;
    const x = position * edge[layer];
    const accepted = x < edge[layer + 1] ? x : beyondTheCore(source, layer, x);
    if (accepted >= 0) return (word & 0x800000) === 0 ? accepted : -accepted;
  }
}

/** Handles the tail and the areas between rectangle and curve; returns −1 to reject. */
function beyondTheCore(source: WordSource, layer: number, x: number): number {
  if (layer === 0) return nextOfTail(source);
  const y = height[layer] + nextUniform(source) * (height[layer + 1] - height[layer]);
  return y < bell(x) ? x : -1;
}

/** Draws from the tail beyond tailStart by rejection from an exponential (Marsaglia 1964). */
function nextOfTail(source: WordSource): number {
  for (;;) {
    // 1 − u is in (0, 1], so the logarithm is finite.
    const excess = -portableLog(1 - nextUniform(source)) / tailStart;
    const threshold = -portableLog(1 - nextUniform(source));
    if (threshold + threshold >= excess * excess) return tailStart + excess;
  }
}

function nextUniform(source: WordSource): number {
  const first = source.next();
  return uniformOf(first, source.next());
}
