import { describe, expect, test } from "vitest";
import { logProb } from "../../src/density/induced-density.js";
import type { Model } from "../../src/density/model-files/model.js";
import { densityOf } from "../../src/density/density-of.js";
import { evaluate } from "../../src/evaluation/evaluate.js";
import { likelihoodMap } from "../../src/evaluation/likelihood-map.js";
import { logProbOfImage } from "../../src/density/images/image-density.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { centralCrop } from "../../src/images/grey-image.js";
import { gridPatches } from "../../src/patches/image-patches.js";
import { patchesToSamples } from "../../src/patches/patch-layout.js";
import { createRandom } from "../../src/random/random-stream.js";
import { cascade } from "../../src/transforms/cascade.js";
import { imageCascade } from "../../src/transforms/image-cascade.js";
import { pointwise } from "../../src/transforms/pointwise.js";
import { expectClose } from "../support/expect-close.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";
import { smallCascade } from "../support/image-models.js";
import { randomLayer } from "../support/models.js";
import { seed } from "../support/seed.js";
import { sentenceOf } from "../support/expect-error.js";

const random = createRandom(seed, "likelihood map");
const image = deadLeaves(random.stream("scene"), { width: 23, height: 14 });
const modelOf = (removeMean: boolean): Model => ({
  transform: randomLayer(random.stream("layer"), "column", {
    n: removeMean ? 15 : 16,
    precision: "Float64",
  }),
  about: { patch: { width: 4, height: 4, removeMean } },
});

describe("a likelihood map of whole images", () => {
  const { stride } = smallCascade;
  const model = { transform: smallCascade, about: {} };
  const picture = centralCrop(image, { width: 22, height: 14 });

  test("has shares of blocks whose sum is log p of the image", async () => {
    const map = await likelihoodMap(referenceRunner, model, picture);
    expect([map.columns, map.rows, map.stride, map.size]).toEqual([11, 7, stride, stride]);
    const whole = await logProbOfImage(referenceRunner, smallCascade, picture);
    const sum = map.natsPerDimension.reduce((a, b) => a + b, 0) * stride * stride;
    expect(sum).toBeCloseTo(whole, 8);
    const load = () => Promise.resolve(image);
    const density = densityOf(model, referenceRunner);
    const { natsPerDimension } = await evaluate(density, { images: 1, load });
    // `evaluate` crops to whole blocks, too.
    expect(map.mean).toBeCloseTo(natsPerDimension, 12);
  });

  test("is that of a density of blocks if there are no convolutions", async () => {
    const layer = randomLayer(random.stream("block"), "column", { n: 4, precision: "Float64" });
    const transform = imageCascade({ stride: 2, stages: [layer] });
    const blocks = { transform: layer, about: { patch: { width: 2, height: 2 } } };
    const ofImage = await likelihoodMap(referenceRunner, { transform, about: {} }, picture);
    const ofBlocks = await likelihoodMap(referenceRunner, blocks, picture, { stride: 2 });
    expectClose(ofImage.natsPerDimension, ofBlocks.natsPerDimension, { relative: 1e-12 });
  });

  test("reports progress, can be cancelled, and rejects other strides and sizes", async () => {
    const parts: number[] = [];
    const onProgress = (done: number, total: number) => parts.push(done / total);
    const fresh = { ...model, transform: imageCascade({ stride, stages: smallCascade.stages }) };
    const first = await likelihoodMap(simdRunner, fresh, picture, { onProgress });
    expect(parts).toEqual([...parts].sort((a, b) => a - b));
    expect(parts.at(-1)).toBe(1);
    expect(await likelihoodMap(simdRunner, fresh, picture)).toEqual(first);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(likelihoodMap(simdRunner, model, picture, { signal })).rejects.toThrow("enough");
    expect(await sentenceOf(likelihoodMap(simdRunner, model, picture, { stride: 3 }))).toContain(
      "stride",
    );
    expect(await sentenceOf(likelihoodMap(simdRunner, model, image))).toContain(
      "be a multiple of the stride, 2",
    );
  });
});

describe("a likelihood map", () => {
  test.each([false, true])(
    "has log p / N of every patch of the grid, without its mean: %s",
    async (removeMean) => {
      const model = modelOf(removeMean);
      const n = model.transform.dimension;
      const map = await likelihoodMap(referenceRunner, model, image, { stride: 3 });
      expect([map.columns, map.rows, map.stride, map.size]).toEqual([7, 4, 3, 4]);
      const x = patchesToSamples(gridPatches(image, 4, 3), { size: 4, removeMean });
      const direct = await logProb(referenceRunner, model.transform, x);
      // The same sums in the same order.
      expect(Array.from(map.natsPerDimension)).toEqual(Array.from(direct, (value) => value / n));
      const load = () => Promise.resolve(image);
      const { natsPerDimension } = await evaluate(
        densityOf(model, referenceRunner),
        { images: 1, load },
        { grid: 3 },
      );
      expect(map.mean).toBeCloseTo(natsPerDimension, 12);
    },
  );

  test("does not depend on the number of patches in memory, and reports progress", async () => {
    const model = modelOf(false);
    const whole = await likelihoodMap(simdRunner, model, image);
    expect(whole.stride).toBe(2);
    const seen: [number, number][] = [];
    const parts = await likelihoodMap(simdRunner, model, image, {
      patchesAtOnce: 7,
      onProgress: (done, total) => seen.push([done, total]),
    });
    expect(parts).toEqual(whole);
    expect(seen.at(-1)).toEqual([60, 60]);
    expect(seen.map(([done]) => done)).toEqual(
      [...seen.map(([done]) => done)].sort((a, b) => a - b),
    );
    const exact = await likelihoodMap(referenceRunner, model, image);
    // Float32 against Float64, 16 dimensions.
    expectClose(whole.natsPerDimension, exact.natsPerDimension, { relative: 1e-4 });
  });

  test("is NaN for a patch without a density, which the mean skips", async () => {
    const curve = pointwise({
      dimension: 4,
      lower: -0.1,
      upper: 1.1,
      rate: 1,
      asymmetry: 1,
      center: 0,
    });
    const model = { transform: cascade([curve]), about: { patch: { width: 2, height: 2 } } };
    const pixels = Float32Array.of(0.2, 0.4, 0.5, 0.1, 0.7, 0.3, 0.9, 2);
    const map = await likelihoodMap(simdRunner, model, { width: 4, height: 2, pixels });
    expect(map.columns).toBe(3);
    expect(Array.from(map.natsPerDimension, Number.isNaN)).toEqual([false, false, true]);
    expect(map.mean).toBe((map.natsPerDimension[0] + map.natsPerDimension[1]) / 2);
  });

  test("can be cancelled, and rejects images smaller than a patch", async () => {
    const model = modelOf(false);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(likelihoodMap(simdRunner, model, image, { signal })).rejects.toThrow("enough");
    const small = { width: 3, height: 9, pixels: new Float32Array(27) };
    expect(await sentenceOf(likelihoodMap(simdRunner, model, small))).toContain("4");
  });
});
