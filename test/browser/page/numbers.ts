/** The portable functions, and the functions that are assumed exact in every engine. */
import { linearToSrgb } from "../../../src/images/luminance.js";
import { portableAtan2 } from "../../../src/numbers/arctangent.js";
import { chiQuantile, normalQuantile } from "../../../src/numbers/normal-distribution.js";
import { portableExp } from "../../../src/numbers/exponential.js";
import { portableLog10, portableLog2 } from "../../../src/numbers/extended-logarithm.js";
import { portableHypot } from "../../../src/numbers/hypotenuse.js";
import { incompleteGamma } from "../../../src/numbers/incomplete-gamma.js";
import { portableLog, portableLog1p } from "../../../src/numbers/logarithm.js";
import { portablePow } from "../../../src/numbers/power.js";
import { unitRoot } from "../../../src/numbers/unit-root.js";
import type { Values } from "./digest.js";

const count = 1000;

/** x from 1/count to 1, and the same over many powers of two. */
const near = Float64Array.from({ length: count }, (_, k) => (k + 1) / count);
const far = near.map((x, k) => x * 2 ** ((k % 200) * 10 - 1000));

export function numbers(): Values {
  const both = (of: (x: number) => number): Float64Array =>
    Float64Array.of(...near.map(of), ...far.map(of));
  return {
    exp: both(portableExp),
    log: both(portableLog),
    log1p: both(portableLog1p),
    log2: both(portableLog2),
    log10: both(portableLog10),
    pow: both((x) => portablePow(x, 0.3)),
    atan2: both((x) => portableAtan2(x, 0.7)),
    hypot: both((x) => portableHypot(x, 1, 0.3)),
    "square root": both(Math.sqrt),
    "rounded to Float32": both(Math.fround),
    "unit roots": near.map((_, k) => unitRoot(k, count).sine),
    "normal quantiles": near.subarray(0, count - 1).map(normalQuantile),
    "χ quantiles": [1, 2, 3, 64].map((n) => chiQuantile(0.3, n)),
    "incomplete gamma": near.map((x) => incompleteGamma(7.5, 20 * x).upper),
    "sRGB curve": near.map(linearToSrgb),
    // Lint allows `2 ** k`, so it is compared with products here.
    "powers of two": [powersThatDiffer()],
  };
}

/** Counts the powers 2^−1022 … 2^1023 that differ from products. */
function powersThatDiffer(): number {
  let wrong = 0;
  for (let k = 0, power = 1; k < 1024; k++, power *= 2) {
    // Read from memory, so that no compiler knows the exponent.
    const exponents = Float64Array.of(k, -k);
    if (2 ** exponents[0] !== power) wrong++;
    if (k < 1023 && 2 ** exponents[1] !== 1 / power) wrong++;
  }
  return wrong;
}
