/**
 * Sine and cosine of 2πk/n with the same bits on every engine: ECMAScript leaves the last digits of
 * Math.sin and Math.cos to the engine, but specifies +, −, × and ÷ exactly.
 *
 *   8k = q n + r,  0 ≤ r < n:   2πk/n = (q + r/n) π/4
 *
 *   symbol  meaning
 *   q       the octant, computed with integers, so that large k lose no accuracy
 *   t       the angle from the nearest axis, 0 ≤ t ≤ π/4
 *
 * Exact on the axes. Error elsewhere: test/numbers/unit-root.test.ts.
 */
export interface UnitRoot {
  readonly cosine: number;
  readonly sine: number;
}

/** Returns cos and sin of 2πk/n for integers k ≥ 0 and n ≥ 1, with 8n below 2⁵³. */
export function unitRoot(k: number, n: number): UnitRoot {
  const eighths = 8 * (k % n);
  const r = eighths % n;
  const octant = (eighths - r) / n;
  const t = ((octant % 2 === 0 ? r : n - r) / n) * (Math.PI / 4);
  const [near, far] = [cosineOf(t), sineOf(t)];
  // Octants 1, 2, 5 and 6 are nearer to the axis of the sine.
  const isUpright = (octant + 1) % 4 >= 2;
  const [cosine, sine] = isUpright ? [far, near] : [near, far];
  return {
    cosine: octant >= 2 && octant < 6 ? minus(cosine) : cosine,
    sine: octant >= 4 ? minus(sine) : sine,
  };
}

/** Returns −value, but 0 for 0, to avoid −0. */
function minus(value: number): number {
  return 0 - value;
}

/**
 * sin t = t − t³/6 (1 − t²/20 (1 − …)) for 0 ≤ t ≤ π/4, where the terms after t¹⁹ are below 2⁻⁷⁰.
 */
function sineOf(t: number): number {
  const t2 = t * t;
  let rest = 1;
  for (let n = 18; n >= 4; n -= 2) rest = 1 - (t2 / (n * (n + 1))) * rest;
  return t - ((t * t2) / 6) * rest;
}

/**
 * cos t = 1 − t²/2 + t⁴/24 (1 − t²/30 (1 − …)) for 0 ≤ t ≤ π/4, where the terms after t¹⁸ are below
 * 2⁻⁶⁵.
 */
function cosineOf(t: number): number {
  const t2 = t * t;
  let rest = 1;
  for (let n = 17; n >= 5; n -= 2) rest = 1 - (t2 / (n * (n + 1))) * rest;
  const half = t2 / 2;
  const most = 1 - half;
  // The rounding error of 1 − half is added with the small terms.
  return most + (1 - most - half + ((t2 * t2) / 24) * rest);
}
