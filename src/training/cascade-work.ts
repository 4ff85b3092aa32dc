/** The relative work of the steps of a fit to whole images, to estimate the time left. */
import type { CascadeGeometry } from "./cascade-geometry.js";
import { sampleSizeFor } from "./crop-gradient.js";
import { type FitPhase, fitPhases } from "./fit-layers.js";

export interface CascadeSteps {
  readonly geometry: CascadeGeometry;
  readonly steps: number;
  /** Locations of a step. */
  readonly batch: number;
  readonly greedy?: number | undefined;
  readonly restarts?: readonly number[] | undefined;
}

/**
 * Returns a function that gives the work of the first n steps, in arbitrary units. Steps that train
 * the large second convolution take ten times as long as those of the first stage.
 */
export function cascadeWork({ geometry, steps, batch, greedy, restarts }: CascadeSteps) {
  const phases = fitPhases(geometry.stages, steps, {
    greedy: geometry.stages > 1 ? greedy : 0,
    restarts,
    startsNarrow: true,
  }).map((phase) => ({ ...phase, work: workOfStep(phase, geometry, batch) }));
  return (done: number): number =>
    phases.reduce(
      (sum, { firstStep, steps: end, work }) =>
        sum + work * Math.max(0, Math.min(done, end) - firstStep),
      0,
    );
}

/**
 * Operations for each weight and location of a trained and of a fixed convolution, and for each
 * weight in the optimiser; for each entry of an eliminated matrix and row; for each entry of γ and
 * location. Rough values, from profiles of the paper's cascade.
 */
const operations = { trained: 12, fixed: 4, optimiser: 30, elimination: 8, pool: 40 };

function workOfStep(
  { layers, isGreedy, isNarrow = false }: FitPhase,
  { stride, filterBlocks, neighbourhood }: CascadeGeometry,
  locations: number,
): number {
  const maps = stride * stride;
  const widths = [filterBlocks, isNarrow ? 1 : neighbourhood].slice(0, layers);
  return widths.reduce((sum, width, k) => {
    const weights = width * width * maps * maps;
    const pools = operations.pool * maps * maps * locations;
    if (isGreedy && k < layers - 1) return sum + operations.fixed * weights * locations + pools;
    const sample = sampleSizeFor({ taps: { width, height: width } });
    const eliminations = sample.width * sample.height * maps * maps * maps;
    const products = weights * (operations.trained * locations + operations.optimiser);
    return sum + products + operations.elimination * eliminations + pools;
  }, 0);
}
