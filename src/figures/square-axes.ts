import type { Grid } from "../evaluation/histogram-2d.js";
import { portableLog10 } from "../numbers/extended-logarithm.js";
import { portablePow } from "../numbers/power.js";

/** So many ticks at least. */
const fewestTicks = 3;
/** Numbers nearer to the ends than this part of the axis would run into those of the next panel. */
const freeEnds = 0.06;

/** The part of a square where contour lines can be: between the centres of the outermost cells. */
export function contourDomain({ width, from, to }: Grid): [number, number] {
  const half = (to - from) / width / 2;
  return [from + half, to - half];
}

/** The same scale and ticks on both axes, in the widest steps of 1, 2 or 5 times a power of ten that are close enough. */
export function squareAxes([low, high]: readonly [number, number]) {
  const [first, last] = [low + freeEnds * (high - low), high - freeEnds * (high - low)];
  let ticks: number[] = [];
  for (let power = Math.ceil(portableLog10(high - low)); ticks.length < fewestTicks; power--) {
    for (const digit of [5, 2, 1]) {
      if (ticks.length < fewestTicks) ticks = multiplesWithin(digit, power, first, last);
    }
  }
  const scale = { domain: [low, high] };
  return { scale, ticks: { xTicks: ticks, yTicks: ticks } };
}

function multiplesWithin(digit: number, power: number, first: number, last: number): number[] {
  const multiples: number[] = [];
  // Dividing by a power of ten rounds once: 0.3, not 0.30000000000000004.
  const valueOf = (k: number): number =>
    power < 0 ? (k * digit) / portablePow(10, -power) : k * digit * portablePow(10, power);
  for (let k = Math.ceil(first / valueOf(1)); valueOf(k) <= last; k++) multiples.push(valueOf(k));
  return multiples;
}
