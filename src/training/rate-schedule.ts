/** How the learning rate rises and falls during a fit. */
const warmUpSteps = 100;

/**
 * Linear warm-up, then down to 0 like half a cosine, whose last bits would depend on the engine.
 */
export function schedule(step: number, steps: number): number {
  const warmUp = Math.min(1, (step + 1) / warmUpSteps);
  const t = step / steps;
  // The cubic with the cosine's ends and slopes.
  return warmUp * (1 - t * t * (3 - 2 * t));
}
