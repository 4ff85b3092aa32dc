/** Random convolutions and fields, and what a convolution is by its definition. */
import type { Convolution, Taps } from "../../src/transforms/convolution.js";
import { convolution } from "../../src/transforms/convolution.js";
import type { Field, GridSize } from "../../src/transforms/field.js";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "./seed.js";

/** Near enough to the identity to be invertible, with nothing symmetric about it. */
export function randomConvolution(maps: number, taps: Taps, size = 0.4): Convolution {
  const random = createRandom(seed, "convolution", maps, taps.width, taps.height, taps.left);
  const count = taps.width * taps.height;
  const weights = random.normalFill(new Float64Array(count * maps * maps));
  const scale = size / Math.sqrt(count * maps);
  for (let k = 0; k < weights.length; k += 1) weights[k] *= scale;
  const own = Math.floor(count / 2) * maps * maps;
  for (let c = 0; c < maps; c += 1) weights[own + c * (maps + 1)] += 1 + 0.3 * c;
  return convolution({ maps, taps, weights });
}

export function randomField({ width, height }: GridSize, maps: number, label = "field"): Field {
  const random = createRandom(seed, label, width, height, maps);
  return {
    width,
    height,
    maps,
    values: random.normalFill(new Float64Array(width * height * maps)),
  };
}

/** y_p = Σ_q F_q x_{p+q}, place by place. */
export function convolvedByDefinition(
  { maps, taps, weights }: Convolution,
  x: Field,
): Float64Array {
  const { width, height } = x;
  const y = new Float64Array(x.values.length);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      for (let tap = 0; tap < taps.width * taps.height; tap += 1) {
        const r = row + taps.top + Math.floor(tap / taps.width) + 100 * height;
        const c = column + taps.left + (tap % taps.width) + 100 * width;
        const from = ((r % height) * width + (c % width)) * maps;
        for (let o = 0; o < maps; o += 1) {
          for (let i = 0; i < maps; i += 1) {
            y[(row * width + column) * maps + o] +=
              weights[(tap * maps + o) * maps + i] * x.values[from + i];
          }
        }
      }
    }
  }
  return y;
}

/** Rows of the matrix that maps all values of a field to all values, transposed: its columns. */
export function explicitMatrix(given: Convolution, { width, height }: GridSize): Float64Array[] {
  const { maps } = given;
  const n = width * height * maps;
  return Array.from({ length: n }, (_, k) => {
    const values = new Float64Array(n);
    values[k] = 1;
    return convolvedByDefinition(given, { width, height, maps, values });
  });
}

type Case = readonly [name: string, grid: GridSize, given: Convolution];

function caseOf(grid: GridSize, maps: number, taps: Taps): Case {
  const name = `${grid.width}×${grid.height}, ${maps} maps, ${taps.width}×${taps.height} taps`;
  return [name, grid, randomConvolution(maps, taps)];
}

/** What the tests go through: odd and even sizes, taps on one side, taps wider than the field. */
export const convolutionCases: readonly Case[] = [
  caseOf({ width: 5, height: 3 }, 3, { width: 3, height: 2, left: -2, top: 0 }),
  caseOf({ width: 4, height: 6 }, 2, { width: 2, height: 3, left: 1, top: -1 }),
  caseOf({ width: 3, height: 2 }, 2, { width: 5, height: 3, left: -1, top: -2 }),
  caseOf({ width: 1, height: 7 }, 4, { width: 1, height: 3, left: 0, top: -1 }),
];
