/**
 * Frequencies ω = 2π (u/w, v/h) of a field of w×h locations. Weights are real, so F̂(−ω) is the
 * conjugate of F̂(ω): one of the two is enough, and counts twice. The half grid has u = 0 … w/2,
 * and for u = 0 or w/2 only v = 0 … h/2.
 */
import { expected } from "../../errors.js";
import { type UnitRoot, unitRoot } from "../../numbers/unit-root.js";
import type { RandomStream } from "../../random/random-stream.js";
import { checkFields } from "../checks.js";
import type { GridSize } from "../field.js";

export interface Frequency {
  /** Cycles along the width. */
  readonly u: number;
  /** Cycles along the height. */
  readonly v: number;
  /** Weight in a sum over all frequencies. */
  readonly weight: number;
  /** Additional weight in gradients alone; default 0. */
  readonly additionalWeight?: number;
}

/**
 * Sample of the frequencies at equal distances, moved by a random offset along each axis. Every
 * frequency is as likely as any other, and sums over the sample are weighted to be unbiased. The
 * spectra of short filters are smooth, so such sums vary far less than those over independent
 * frequencies.
 */
export interface FrequencySample {
  /** Frequencies along the width. */
  readonly width: number;
  /** Frequencies along the height. */
  readonly height: number;
  readonly random: RandomStream;
}

/** Returns half of the grid, sorted by u, then v. */
export function halfGrid({ width, height }: GridSize): Frequency[] {
  const frequencies: Frequency[] = [];
  for (let u = 0; 2 * u <= width; u++) {
    const isOwnOpposite = (2 * u) % width === 0;
    for (let v = 0; v < height && !(isOwnOpposite && 2 * v > height); v++) {
      const weight = isOwnOpposite && (2 * v) % height === 0 ? 1 : 2;
      frequencies.push({ u, v, weight });
    }
  }
  return frequencies;
}

/** Returns all frequencies of the half grid, or a sample of them, sorted by u, then v. */
export function frequenciesOf(grid: GridSize, sample?: FrequencySample): readonly Frequency[] {
  if (!sample) return halfGrid(grid);
  checkFields("frequencies", sample, ["width", "height", "random"]);
  const { random, ...size } = sample;
  for (const axis of ["width", "height"] as const) {
    if (Number.isInteger(size[axis]) && size[axis] >= 1) continue;
    throw expected(`the ${axis} of the frequencies`, "be a positive integer", size[axis]);
  }
  const [across, down] = (["width", "height"] as const).map((axis) =>
    spacedAlong(grid[axis], Math.min(size[axis], grid[axis]), random),
  );
  const drawn = new Set(across.flatMap((u) => down.map((v) => keyOf({ u, v }, grid))));
  const share = (grid.width * grid.height) / (across.length * down.length);
  return halfGrid(grid).flatMap(({ u, v, weight }) => {
    const own = [{ u, v }, oppositeOf({ u, v }, grid)].slice(0, weight);
    const found = own.filter((one) => drawn.has(keyOf(one, grid))).length;
    return found === 0 ? [] : [{ u, v, weight: share * found }];
  });
}

/** Returns the frequencies with an additional weight of frequency 0 in gradients. */
export function withMeans(
  frequencies: readonly Frequency[],
  additionalWeight: number,
): readonly Frequency[] {
  const isMean = ({ u, v }: Frequency): boolean => u === 0 && v === 0;
  if (!frequencies.some(isMean)) {
    return [{ u: 0, v: 0, weight: 0, additionalWeight }, ...frequencies];
  }
  return frequencies.map((one) => (isMean(one) ? { ...one, additionalWeight } : one));
}

/** Draws `count` of n integers at equal distances; each is as likely as any other. */
function spacedAlong(n: number, count: number, random: RandomStream): readonly number[] {
  const offset = random.integer(n);
  return Array.from({ length: count }, (_, k) => Math.floor((k * n + offset) / count));
}

type Place = Pick<Frequency, "u" | "v">;

function keyOf({ u, v }: Place, { height }: GridSize): number {
  return u * height + v;
}

/** Returns −ω. */
function oppositeOf({ u, v }: Place, { width, height }: GridSize): Place {
  return { u: wrapped(-u, width), v: wrapped(-v, height) };
}

/** Returns e^(2πi k q/n) for `count` integers q from `first` on. */
export function phasesOf(k: number, n: number, first: number, count: number): UnitRoot[] {
  return Array.from({ length: count }, (_, t) => unitRoot(wrapped(k * (first + t), n), n));
}

/** Returns k modulo n, from 0 to n − 1. */
export function wrapped(k: number, n: number): number {
  return ((k % n) + n) % n;
}
