/** A density of small patches of one picture, fitted in about a second. */
import type { GreyImage } from "../../../src/images/grey-image.js";
import type { TaskRunner } from "../../../src/parallel/job.js";
import { randomPatches } from "../../../src/patches/image-patches.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { fitSamples } from "../../../src/training/fit-samples.js";
import type { Cascade } from "../../../src/transforms/transform.js";

/** Side of a patch in pixels. */
export const patchSide = 6;
export const patchArea = patchSide * patchSide;
const patchCount = 8000;
const steps = 160;
const batch = 256;
const seed = 1;

export function fitPatches(
  runner: TaskRunner,
  image: GreyImage,
  signal: AbortSignal,
): Promise<Cascade> {
  const patches = randomPatches(
    createRandom(seed, "start page", "patches"),
    [image],
    patchSide,
    patchCount,
  );
  return fitSamples(runner, patches, {
    dimension: patchArea,
    model: "gdn",
    steps,
    batch,
    seed,
    signal,
  });
}
