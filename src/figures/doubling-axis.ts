import { expected } from "../errors.js";
import { portableLog2 } from "../numbers/extended-logarithm.js";
import { fontSizes } from "./chart-theme.js";
import { textWidth } from "./text-layout.js";

/** Pixels between the numbers below ticks. */
const numberGap = 10;

/**
 * An abscissa on which each doubling is as wide: a tick at each power of two, a number below as many as have room, counted
 * from 1 where it is there.
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
