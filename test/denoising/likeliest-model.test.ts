import { describe, expect, it } from "vitest";
import { likeliestModel } from "../../src/denoising/likeliest-model.js";
import type { Model } from "../../src/density/model-files/model.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { seed } from "../support/seed.js";
import { referenceRunner } from "../support/inline-runners.js";
import { sentenceOf } from "../support/sentence-of.js";

const mean = 0.5;

/** Independent pixels of this standard deviation around mid-grey, noise of `noiseLevel` in them. */
function normalModel(size: number, deviation: number, noiseLevel: number): Model {
  const n = size * size;
  return {
    transform: affine({
      dimension: n,
      scale: new Float32Array(n).fill(1 / deviation),
      shift: new Float32Array(n).fill(-mean / deviation),
    }),
    about: { patch: { width: size, height: size }, preprocessing: { noiseLevel } },
  };
}

const image = (deviation: number) => {
  const pixels = createRandom(seed, "likeliest").normalFill(new Float32Array(40 * 40));
  return { width: 40, height: 40, pixels: pixels.map((value) => mean + deviation * value) };
};

describe("likeliestModel", () => {
  it("is the one with the variance of the patches", async () => {
    const models = [0.1, 0.2, 0.4].map((deviation) => normalModel(2, deviation, 0.05));
    for (const [k, deviation] of [0.1, 0.2, 0.4].entries()) {
      expect(await likeliestModel(referenceRunner, models, image(deviation), 0.05)).toBe(k);
    }
  });

  it("counts the contrast: a model of twice the noise knows twice the deviation", async () => {
    // At σ = 0.1 an image of deviation 0.2 is to the second one of deviation 0.4, exactly its own. Without the term N log c, the
    // first would win: its density is higher, as all densities of narrower things are.
    const models = [normalModel(2, 0.25, 0.1), normalModel(2, 0.4, 0.2)];
    expect(await likeliestModel(referenceRunner, models, image(0.2), 0.1)).toBe(1);
  });

  it("compares patches of different sizes by the pixel", async () => {
    const models = [normalModel(2, 0.3, 0.1), normalModel(4, 0.2, 0.1)];
    expect(await likeliestModel(referenceRunner, models, image(0.2), 0.1)).toBe(1);
    expect(await likeliestModel(referenceRunner, models, image(0.3), 0.1)).toBe(0);
  });

  it("refuses no models and no noise", async () => {
    expect(await sentenceOf(likeliestModel(referenceRunner, [], image(1), 0.1))).toBe(
      "Expected models to hold at least one model but received 0.",
    );
    const models = [normalModel(2, 1, 1)];
    expect(await sentenceOf(likeliestModel(referenceRunner, models, image(1), 0))).toBe(
      "Expected sigma to be above 0 but received 0.",
    );
  });
});
