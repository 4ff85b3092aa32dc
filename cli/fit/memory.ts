/** Checks before hours of work that a fit of whole images has enough memory. */
import { GaussianizeError } from "../../src/errors.js";
import type { FitTerms } from "../../src/runs/fit-terms.js";
import {
  type CascadePreset,
  cascadeGeometry,
  cascadePresetNames,
} from "../../src/training/cascade-geometry.js";

/** The program, its threads and the images of a small fit. */
const baseBytes = 300e6;
/**
 * Parameters, gradients, moments of the optimiser, the best model and checkpoints: a fit of
 * `paper`, six million parameters, took 1.33 GB at its peak.
 */
const bytesPerParameter = 170;

/** Throws if a fit of a cascade needs more memory than there is. */
export function requireMemory({ cascade, stages }: FitTerms, availableBytes: number): void {
  if (cascade === undefined) return;
  const needed = memoryFor(cascade, stages);
  if (needed <= availableBytes) return;
  const smaller = cascadePresetNames.findLast(
    (preset) => memoryFor(preset, stages) <= availableBytes,
  );
  const instead =
    smaller === undefined
      ? ""
      : `; --cascade ${smaller} needs ${inGigabytes(memoryFor(smaller, stages))}`;
  throw new GaussianizeError(
    "unavailable",
    `--cascade ${cascade} needs about ${inGigabytes(needed)} of memory, but there is only ${inGigabytes(availableBytes, Math.floor)}${instead}.`,
  );
}

function memoryFor(preset: CascadePreset, stages: FitTerms["stages"]): number {
  const geometry = cascadeGeometry(preset, { stages: stages as 1 | 2 });
  const { stride, filterBlocks, neighbourhood } = geometry;
  const squareOfMaps = stride * stride * stride * stride;
  const first = filterBlocks * filterBlocks + 1;
  const second = geometry.stages === 2 ? neighbourhood * neighbourhood + 1 : 0;
  return baseBytes + bytesPerParameter * squareOfMaps * (first + second);
}

/** Rounds up what is needed and down what there is, so that they never look alike. */
function inGigabytes(bytes: number, round = Math.ceil): string {
  return `${(round(bytes / 1e7) / 100).toFixed(2)} GB`;
}
