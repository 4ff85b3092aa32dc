import { describe, expect, test } from "vitest";
import { densityOf } from "../../src/density/density-of.js";
import { gaussianizeImage, logProbOfImage } from "../../src/density/images/image-density.js";
import type { ImageModel } from "../../src/density/model-files/model.js";
import { evaluate } from "../../src/evaluation/evaluate.js";
import { cropToBlocks } from "../../src/evaluation/evaluate-whole-images.js";
import type { GreyCodes } from "../../src/evaluation/evaluation.js";
import type { EvaluationImage, ImageSource } from "../../src/evaluation/images-in-turn.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { dequantize } from "../../src/preprocessing/dequantize.js";
import { createRandom } from "../../src/random/random-stream.js";
import { gdn } from "../../src/transforms/gdn.js";
import { imageCascade } from "../../src/transforms/image-cascade.js";
import { expectClose } from "../support/expect-close.js";
import { expectError, refusal } from "../support/expect-error.js";
import { imageModels } from "../support/image-models.js";
import { referenceRunner as runner } from "../support/inline-runners.js";

const { images: model } = imageModels;
const quantization = { levels: 256, spacing: "even" } as const;
const scenes: readonly EvaluationImage[] = [0, 1, 2].map((k) => {
  const random = createRandom(k, "scene");
  const scene = deadLeaves(random, { width: 21 + 4 * k, height: 14 });
  const pixels = scene.pixels.map(
    (value) => Math.round(255 * Math.min(1, Math.max(0, value))) / 255,
  );
  return { ...scene, pixels: dequantize({ pixels, ...quantization }, random), ...quantization };
});
const source = { images: scenes, load: (k: number) => Promise.resolve(scenes[k]) };
const evaluated = (of: ImageModel, from: ImageSource) => evaluate(densityOf(of, runner), from);

describe("whole images under a model", () => {
  test("have the log-likelihood of their central crop to whole blocks", async () => {
    const found = await evaluated(model, source);
    expect(found.images.map(({ part }) => [part?.width, part?.height])).toEqual([
      [20, 12],
      [24, 12],
      [28, 12],
    ]);
    for (const [k, image] of found.images.entries()) {
      const middle = cropToBlocks(scenes[k], 4);
      // The crop skips the first and the last of 14 rows, and the last of 21, 25 or 29 columns.
      expect(middle.pixels[0]).toBe(scenes[k].pixels[scenes[k].width]);
      const logProb = await logProbOfImage(runner, model.transform, middle);
      const n = middle.pixels.length;
      expectClose(image.meanLogLikelihood, logProb, { relative: 1e-12 });
      expectClose(image.natsPerDimension, logProb / n, { relative: 1e-12 });
      expectClose(image.bitsPerPixel, logProb / n / Math.LN2, { relative: 1e-12 });
      // Codes of 8 bits: log₂ of their width is −8.
      expectClose(image.codeLengthInBitsPerPixel ?? NaN, 8 - image.bitsPerPixel, {
        relative: 1e-12,
      });
    }
  });

  test("have the sizes of files with the same codes", async () => {
    const seen: GreyCodes[] = [];
    const found = await evaluate(densityOf(model, runner), source, {
      fileSizesOf: (image) => {
        seen.push(image);
        return Promise.resolve({ half: image.codes.length / 2, row: image.width });
      },
    });
    expect(seen).toHaveLength(scenes.length);
    for (const [k, { width, codes }] of seen.entries()) {
      const { pixels } = cropToBlocks(scenes[k], 4);
      expect(codes).toEqual(Uint8Array.from(pixels, (value) => Math.floor(256 * value)));
      expect(found.images[k].fileBitsPerPixel).toEqual({
        half: 4,
        row: (8 * width) / codes.length,
      });
    }
    // 12 rows each: 8/12 bits per pixel.
    expect(found.fileBitsPerPixel?.half).toBe(4);
    expectClose(found.fileBitsPerPixel?.row ?? NaN, 2 / 3, { relative: 1e-12 });
  });

  test("have no sizes of files without a function, or without codes of 8 bits", async () => {
    expect((await evaluated(model, source)).fileBitsPerPixel).toBeNull();
    const deep = scenes.map((scene) => ({ ...scene, levels: 65536 }));
    const fileSizesOf = () => Promise.reject(new Error("no 8-bit codes"));
    const from = { images: deep, load: (k: number) => Promise.resolve(deep[k]) };
    const found = await evaluate(densityOf(model, runner), from, { fileSizesOf });
    expect(found.fileBitsPerPixel).toBeNull();
    expect(found.codeLengthInBitsPerPixel).not.toBeNull();
  });

  test("have means of the formats that all images have", async () => {
    const sizesWith = (names: (index: number) => readonly string[]) => {
      let index = 0;
      return evaluate(densityOf(model, runner), source, {
        fileSizesOf: () =>
          Promise.resolve(Object.fromEntries(names(index++).map((name) => [name, 10]))),
      });
    };
    const common = await sizesWith((k) => (k === 1 ? ["png"] : ["png", "webp"]));
    expect(Object.keys(common.fileBitsPerPixel ?? {})).toEqual(["png"]);
    const none = await sizesWith((k) => (k === 1 ? ["png"] : ["webp"]));
    expect(none.fileBitsPerPixel).toBeNull();
  });

  test("have ΔJ relative to the output of the preprocessing", async () => {
    const found = await evaluated(model, source);
    expect(found.preprocessingStages).toBe(1);
    const [first, ...rest] = model.transform.stages;
    const middle = cropToBlocks(scenes[1], 4);
    const before = await gaussianizeImage(
      runner,
      imageCascade({ stride: 4, stages: [first] }),
      middle,
    );
    const pixels = middle.pixels.map((x) => 3 * x - 1.5);
    const after = await gaussianizeImage(runner, imageCascade({ stride: 4, stages: rest }), {
      ...middle,
      pixels,
    });
    const half = (values: ArrayLike<number>) =>
      Array.from(values).reduce((sum, v) => sum + v * v, 0) / 2;
    const difference = half(after.y.values) - after.logDeterminant - half(before.y.values);
    // The pixels passed through Float32 on the way.
    expectClose(found.images[1].negentropyDifferencePerDimension, difference / pixels.length, {
      relative: 1e-5,
    });
  });

  test("have means over all pixels, with standard errors over images", async () => {
    const found = await evaluated(model, source);
    const { images } = found;
    const pixels = [240, 288, 336];
    expect(found.values).toBe(240 + 288 + 336);
    const sum = images.reduce((nats, { meanLogLikelihood }) => nats + meanLogLikelihood, 0);
    expectClose(found.meanLogLikelihood, sum / 3, { relative: 1e-12 });
    const mean = sum / found.values;
    expectClose(found.natsPerDimension, mean, { relative: 1e-12 });
    const squares = images.map(
      (image, k) => ((pixels[k] / found.values) * (image.natsPerDimension - mean)) ** 2,
    );
    const error = Math.sqrt(1.5 * squares.reduce((x, y) => x + y));
    expectClose(found.standardErrors.natsPerDimension, error, { relative: 1e-9 });
    const alone = await evaluated(model, { ...source, images: 1 });
    expect(alone.standardErrors.bitsPerPixel).toBeNaN();
  });

  test("have no code length if the model was fitted without codes", async () => {
    const { about, transform } = model;
    const plain: ImageModel = { transform, about: { ...about, preprocessing: {} } };
    const found = await evaluated(plain, source);
    expect([found.dequantization, found.preprocessingStages]).toEqual(["none", 0]);
    expect(found.codeLengthInBitsPerPixel).toBeNull();
  });

  test("are counted and skipped if they have no density", async () => {
    const steep = gdn({
      structure: "general",
      dimension: 4,
      alpha: [1, 3, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
      beta: [1, 1, 1, 1],
      gamma: [0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      epsilon: [0.5, 0.5, 0.5, 0.5],
    });
    const shaky = { transform: imageCascade({ stride: 2, stages: [steep] }), about: {} };
    const flat = (value: number) => ({
      width: 4,
      height: 4,
      pixels: new Float32Array(16).fill(value),
    });
    const images = [flat(0.1), flat(3), flat(0.2)];
    const load = (k: number) => Promise.resolve(images[k]);
    const found = await evaluated(shaky, { images: 3, load });
    expect([found.kind, found.samples, found.failedSamples]).toEqual(["images", 3, 1]);
    expect(found.images[1].failure).toMatch(/^Sample 0 has no density/);
    expect(found.images[1].bitsPerPixel).toBeNaN();
    expect(found.values).toBe(32);
    expect(found.natsPerDimension).toBeLessThan(0);
  });

  test("are rejected if there are none, or if they are smaller than a block", async () => {
    const none = { images: 2, load: () => Promise.resolve(undefined) };
    await expectError(evaluated(model, none), { code: "unusable-images" });
    const small = { width: 8, height: 3, pixels: new Float32Array(24) };
    await expect(
      evaluated(model, { images: 1, load: () => Promise.resolve(small) }),
    ).rejects.toThrow(refusal("the height of image 0", "be at least the stride, 4", 3));
    await expect(evaluated(model, { ...source, images: 0 })).rejects.toThrow(
      refusal("images", "be a positive integer", 0),
    );
    const { transform } = model;
    const wrong = { transform, about: { preprocessing: { stages: 9 } } };
    await expect(evaluated(wrong, source)).rejects.toThrow(
      refusal("about.preprocessing.stages", "be at most 5, all of the cascade", 9),
    );
  });
});
