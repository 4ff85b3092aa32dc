/** Scales and ticks that charts choose by themselves. */
import { expected } from "../errors.js";
import type { Grid } from "../evaluation/histogram-2d.js";
import { portableLog10, portableLog2 } from "../numbers/extended-logarithm.js";
import { portablePow } from "../numbers/power.js";
import { fontSizes } from "./chart-theme.js";
import { textWidth } from "./text-layout.js";

const fewestTicks = 3;
/** Share of the axis at each end without numbers, which could touch those of the next panel. */
const freeEnds = 0.06;

/** The domain of contour lines: between the centres of the outermost cells. */
export function contourDomain({ width, from, to }: Grid): [number, number] {
  const half = (to - from) / width / 2;
  return [from + half, to - half];
}

/** The same scale and ticks for both axes, in steps of 1, 2 or 5 times a power of ten. */
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

/** Least distance in pixels between the numbers below ticks. */
const numberGap = 10;

/**
 * A logarithmic abscissa with a tick at each power of two. If there is not room for all numbers, it
 * shows every second, third … counted from 1.
 */
export function doublingAxis([low, high]: readonly [number, number], width: number) {
  if (!(low > 0)) throw expected("x", "be positive where the axis is logarithmic", low);
  const exponents: number[] = [];
  const [first, last] = [Math.ceil(portableLog2(low)), Math.floor(portableLog2(high))];
  for (let exponent = first; exponent <= last; exponent++) exponents.push(exponent);
  const widest = Math.max(0, ...exponents.map((k) => textWidth(String(2 ** k), fontSizes.text)));
  const widthOfDoubling = width / portableLog2(high / low);
  const step = Math.max(1, Math.ceil((widest + numberGap) / widthOfDoubling));
  const origin = first <= 0 && last >= 0 ? 0 : first;
  return {
    x: { type: "log", base: 2, domain: [low, high] },
    xTicks: exponents.map((exponent) => 2 ** exponent),
    xTickFormat: (value: number): string =>
      (Math.round(portableLog2(value)) - origin) % step === 0 ? String(value) : "",
  } as const;
}
