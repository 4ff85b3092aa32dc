/** A fitted GDN of N = 256, for what depends on the parameters of real fits. */
import { deadLeaves } from "../src/images/dead-leaves.js";
import { randomPatches } from "../src/patches/image-patches.js";
import { createRandom } from "../src/random/random-stream.js";
import { fitTransform } from "../src/training/fit-transform.js";
import { stagesOf } from "../src/transforms/cascade.js";
import { startingGdn } from "../src/transforms/gdn-start.js";
import type { Gdn } from "../src/transforms/gdn.js";
import { zcaWhitening } from "../src/transforms/whitening.js";
import { readPatchModel } from "../node/model-files.js";
import { openRunner } from "../node/worker-threads.js";

const patchSize = 16;
const dimension = patchSize * patchSize;
const batchSize = 128;
/** As in `gaussianize demo`: flat areas have no density without noise. */
const noiseLevel = 0.05;

/**
 * 16×16 patches of synthetic scenes; half a minute on two cores with the default number of steps.
 */
export async function fitLayer(steps = 400): Promise<Gdn> {
  const random = createRandom(1, "bench-fitted");
  const scenes = Array.from({ length: 24 }, (_, k) =>
    deadLeaves(random.stream("scene", k), { width: 201, height: 201, smallestRadius: 3 }),
  );
  const patches = (purpose: string, k: number, count: number): Float32Array => {
    const stream = random.stream(purpose, k);
    const values = randomPatches(stream, scenes, patchSize, count);
    return values.map((v) => (v - 0.5) * Math.sqrt(12) + noiseLevel * stream.normal());
  };
  const H = zcaWhitening(patches("whitening", 0, 20_000), dimension);
  const runner = await openRunner({ workers: 2, callerWorks: true });
  const start = startingGdn({ structure: "column", dimension, H });
  const batchAt = (step: number): Float32Array => patches("batch", step, batchSize);
  const { transform } = await fitTransform(runner, start, { steps, batchAt });
  await runner.close();
  return transform;
}

/** The last GDN of a model file. */
export async function readLayer(file: string): Promise<Gdn> {
  const { transform } = await readPatchModel(file);
  const layer = stagesOf(transform).findLast((stage) => stage.kind === "gdn");
  if (!layer) throw new Error(`${file} has no GDN`);
  return layer;
}
