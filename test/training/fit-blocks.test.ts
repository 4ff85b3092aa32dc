import { describe, expect, test } from "vitest";
import { PatchSupply } from "../../src/patches/patch-supply.js";
import { cascade } from "../../src/transforms/cascade.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { linear } from "../../src/transforms/linear.js";
import { zcaWhitening } from "../../src/transforms/whitening.js";
import { fitBlocks } from "../../src/training/fit-blocks.js";
import { meanLogProbOf } from "../../src/training/validation.js";
import { simdRunner as runner } from "../support/inline-runners.js";
import { texturedScenes } from "../support/scenes.js";
import { seed } from "../support/seed.js";

const scenes = texturedScenes("scenes of blocks", 3, { width: 40, height: 40 });
const patchesOf = (batch: number) =>
  new PatchSupply({
    images: scenes.length,
    load: (index) => Promise.resolve(scenes[index]),
    layout: { size: 3, removeMean: false },
    batch,
    seed,
  });
const blocks = await patchesOf(2000).batchAt(0);
const whitening = zcaWhitening(blocks, 9);
const prepared = { patchesOf, whitening };
const bounds = { certified: true, exponentBound: 0.8 };
const options = { dimension: 9, steps: 60, bounds };

describe(`a fit of blocks (seed ${seed})`, () => {
  test("raises the likelihood above that of whitened blocks, within the bounds", async () => {
    const { H, normalization } = await fitBlocks(runner, prepared, options);
    const start = startingGdn({ structure: "column", dimension: 9, H: whitening });
    const fitted = cascade([linear({ dimension: 9, H }), normalization]);
    const [before, after] = await Promise.all(
      [start, fitted].map((transform) => meanLogProbOf(runner, transform, blocks)),
    );
    expect(after).toBeGreaterThan(before + 0.1);
    expect(normalization.H).toBeNull();
    const largest = Math.max(...normalization.alpha) * Math.max(...normalization.epsilon);
    expect(largest).toBeLessThanOrEqual(0.8 * (1 + 1e-6));
  });

  test("depends on its options alone", async () => {
    const first = await fitBlocks(runner, prepared, options);
    expect(await fitBlocks(runner, prepared, options)).toEqual(first);
    expect(await fitBlocks(runner, prepared, { ...options, steps: 61 })).not.toEqual(first);
  });

  test("stops on request", async () => {
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(fitBlocks(runner, prepared, { ...options, signal })).rejects.toThrow("stopped");
  });
});
