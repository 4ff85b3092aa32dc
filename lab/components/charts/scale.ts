/** Scales of a chart: from values to places between 0 and 1, with ticks. */
import { portableLog10 } from "../../../src/numbers/extended-logarithm.js";
import { fixed, significant, thousands } from "../../../src/numbers/format-number.js";
import { portablePow } from "../../../src/numbers/power.js";
import type { Interval } from "./series.js";

export type ScaleKind = "even" | "log";

export interface Tick {
  readonly value: number;
  readonly text: string;
}

export interface Scale {
  readonly domain: Interval;
  /** Returns a place from 0 to 1 for values of the domain; NaN for values without a place. */
  readonly placeOf: (value: number) => number;
  readonly valueAt: (place: number) => number;
  /** Returns about `count` ticks or fewer. */
  readonly ticks: (count: number) => readonly Tick[];
}

export function scaleOf(kind: ScaleKind, domain: Interval): Scale {
  return kind === "log" && domain[0] > 0 ? logScale(domain) : evenScale(domain);
}

function evenScale(domain: Interval): Scale {
  const [low, high] = domain;
  return {
    domain,
    placeOf: (value) => (value - low) / (high - low),
    valueAt: (place) => low + place * (high - low),
    ticks: (count) => evenTicks(domain, count),
  };
}

function logScale(domain: Interval): Scale {
  const [low, high] = domain.map(portableLog10);
  return {
    domain,
    placeOf: (value) => (value > 0 ? (portableLog10(value) - low) / (high - low) : NaN),
    valueAt: (place) => portablePow(10, low + place * (high - low)),
    ticks: (count) => logTicks(domain, count),
  };
}

/** Steps of 1, 2 or 5 times a power of ten. */
export function evenTicks([low, high]: Interval, count: number): Tick[] {
  const least = (high - low) / Math.max(1, count);
  let power = Math.floor(portableLog10(least));
  const size = (digit: number): number => digit * Number(`1e${power}`);
  let digit = [1, 2, 5].find((each) => size(each) >= least * (1 - 1e-9));
  if (digit === undefined) {
    digit = 1;
    power++;
  }
  const step = size(digit);
  const digits = Math.max(0, -power);
  const ticks: Tick[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
    // Through text, so that the tick is 0.3 and not 0.30000000000000004.
    const value = Number((k * step).toFixed(Math.min(100, digits)));
    ticks.push({ value, text: tickText(value, digits) });
  }
  return ticks;
}

function tickText(value: number, digits: number): string {
  if (digits > 6) return significant(value, 4);
  return digits === 0 ? thousands(value) : fixed(value, digits);
}

/** Powers of ten, or their multiples by 2 and 5 if there are few. */
export function logTicks([low, high]: Interval, count: number): Tick[] {
  const [first, last] = [Math.floor(portableLog10(low)), Math.ceil(portableLog10(high))];
  const step = Math.max(1, Math.ceil((last - first) / Math.max(1, count)));
  const digits = last - first <= Math.max(1, count / 3) ? [1, 2, 5] : [1];
  const ticks: Tick[] = [];
  for (let power = first; power <= last; power++) {
    if (Math.abs(power) % step !== 0) continue;
    for (const digit of digits) {
      const value = Number(`${digit}e${power}`);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) {
        ticks.push({ value, text: logText(digit, power) });
      }
    }
  }
  return ticks.length >= 2 || high / low > 20 ? ticks : evenTicks([low, high], count);
}

function logText(digit: number, power: number): string {
  if (power >= -2 && power <= 5) return thousands(Number(`${digit}e${power}`));
  const raised = String(power).replace(/./g, (sign) =>
    sign === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(sign)],
  );
  return digit === 1 ? `10${raised}` : `${digit}·10${raised}`;
}

/** Adds room above and below, so that lines do not touch the edges. */
export function padded([low, high]: Interval, kind: ScaleKind): Interval {
  if (kind === "log" && low > 0)
    return low < high ? [low / 1.15, high * 1.15] : [low / 2, high * 2];
  const room = low < high ? 0.05 * (high - low) : 0.05 * Math.max(Math.abs(low), 1);
  return [low - room, high + room];
}
