/** (e) The time to cut the patches of a step, as a share of the step. */
import type { GreyImage } from "../src/images/grey-image.js";
import { PatchSupply } from "../src/patches/patch-supply.js";
import { createRandom } from "../src/random/random-stream.js";
import { uncheckedNegentropyGradient } from "../src/training/negentropy-gradient.js";
import { openRunner } from "../node/worker-threads.js";
import { rateOf } from "./measure.js";
import { type Problem, batchFor, layerFor } from "./problem.js";

/** Number and size as of the training images of BSDS300: 111 MB, more than any cache. */
const images = 180;
const [width, height] = [481, 321];

export interface SupplyFigures {
  readonly millisecondsPerBatch: number;
  readonly millisecondsPerStep: number;
  readonly shareOfStep: number;
}

export async function measureSupply(
  problem: Problem,
  milliseconds: number,
): Promise<SupplyFigures> {
  const supply = supplyFor(problem);
  const runner = await openRunner({ workers: 2, callerWorks: true });
  const layer = layerFor(problem);
  const x = batchFor(problem);
  let next = 0;
  // Whole blocks: the first step of a block does the work for all of its steps.
  const block = async (): Promise<void> => {
    for (let k = 0; k < supply.stepsPerBlock; k++) await supply.batchAt(next++);
  };
  const step = async (): Promise<void> => {
    await uncheckedNegentropyGradient(runner, layer, x);
  };
  await block();
  await rateOf(step, 500);
  let [batches, steps] = [0, 0];
  // In turns, and the best round of each (measure.ts).
  for (const end = performance.now() + milliseconds; performance.now() < end;) {
    batches = Math.max(batches, (await rateOf(block, 50)) * supply.stepsPerBlock);
    steps = Math.max(steps, await rateOf(step, 150));
  }
  await runner.close();
  return {
    millisecondsPerBatch: 1000 / batches,
    millisecondsPerStep: 1000 / steps,
    shareOfStep: steps / batches,
  };
}

function supplyFor({ dimension, batch }: Problem): PatchSupply {
  const pictures = Array.from({ length: images }, (_, k): GreyImage => {
    const pixels = new Float32Array(width * height);
    return { width, height, pixels: createRandom(1, "bench-supply", k).uniformFill(pixels) };
  });
  return new PatchSupply({
    images,
    load: (index) => Promise.resolve(pictures[index]),
    layout: { size: Math.sqrt(dimension), removeMean: false },
    batch,
    seed: 1,
  });
}
