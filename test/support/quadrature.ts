/**
 * Integrals over the real line and over an interval by double exponential rules (Takahasi & Mori
 * 1974).
 */

export interface Node {
  readonly at: number;
  readonly weight: number;
}

export interface LineRule {
  readonly step: number;
  /** Largest |z|; the tails beyond must be small. */
  readonly reach: number;
}

/**
 * Returns nodes for the whole line, for functions with a kink at 0 and heavy tails: z = ±exp(π/2
 * sinh t) on either half.
 */
export function lineNodes({ step, reach }: LineRule): Node[] {
  const nodes: Node[] = [];
  const last = Math.asinh((2 / Math.PI) * Math.log(reach));
  for (let t = -3.4; t <= last; t += step) {
    const z = Math.exp((Math.PI / 2) * Math.sinh(t));
    const weight = step * (Math.PI / 2) * Math.cosh(t) * z;
    nodes.push({ at: z, weight }, { at: -z, weight });
  }
  return nodes;
}

/**
 * Returns nodes between two ends, for functions that vanish there: w = sinh t stretches the ends of
 * (A, K).
 */
export function intervalNodes(lower: number, upper: number, step: number): Node[] {
  const nodes: Node[] = [];
  // No number is closer to the upper end than e^−33.
  const last = Math.asinh(33);
  for (let t = -last; t <= last; t += step) {
    const share = 1 / (1 + Math.exp(-Math.sinh(t)));
    const slope = share / (1 + Math.exp(Math.sinh(t)));
    const weight = step * Math.cosh(t) * (upper - lower) * slope;
    nodes.push({ at: lower + (upper - lower) * share, weight });
  }
  return nodes;
}
