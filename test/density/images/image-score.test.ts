import { describe, expect, test } from "vitest";
import { gaussianizeImage, logProbOfImage } from "../../../src/density/images/image-density.js";
import { imageGradients } from "../../../src/density/images/image-gradients.js";
import { imageResponses } from "../../../src/density/images/image-responses.js";
import { imageScore } from "../../../src/density/images/image-score.js";
import { imageCascade } from "../../../src/transforms/image-cascade.js";
import { expectClose, expectSameBits, largest } from "../../support/expect-close.js";
import { expectError } from "../../support/expect-error.js";
import { noiseImage, smallCascade } from "../../support/image-models.js";
import { referenceRunner, simdRunner } from "../../support/inline-runners.js";
import { seed } from "../../support/seed.js";

const image = noiseImage(6, 4);
const { stages, stride } = smallCascade;

describe(`the score of an image (seed ${seed})`, () => {
  test.each([
    ["a cascade that ends with a normalization", smallCascade],
    ["one that ends with a convolution", imageCascade({ stride, stages: stages.slice(0, 3) })],
    ["a convolution alone", imageCascade({ stride, stages: [stages[0]] })],
    ["a normalization alone", imageCascade({ stride, stages: [stages[1]] })],
  ])("is the gradient of log p by central differences: %s", async (_, cascade) => {
    const { pixels, width, height } = await imageScore(referenceRunner, cascade, image);
    expect([width, height]).toEqual([6, 4]);
    for (const k of image.pixels.keys()) {
      const at = (t: number) =>
        logProbOfImage(referenceRunner, cascade, {
          ...image,
          pixels: image.pixels.map((value, j) => (j === k ? value + t : value)),
        });
      // Ten digits of a difference, divided by a step of 1e-5.
      expectClose(pixels[k], ((await at(1e-5)) - (await at(-1e-5))) / 2e-5, { absolute: 1e-7 });
    }
  });

  test("is minus the gradient by pixels that comes with those by parameters, also in Float32", async () => {
    for (const [runner, relative] of [
      [referenceRunner, 1e-13],
      [simdRunner, 1e-5],
    ] as const) {
      const { imageGradients: found } = await imageGradients(runner, smallCascade, [image]);
      const wanted = found[0].pixels.map((value) => -value);
      const { pixels } = await imageScore(runner, smallCascade, image);
      expectClose(pixels, wanted, { relative, scale: largest(wanted) });
    }
  });

  test("has the same responses as the density, bit for bit", async () => {
    const { y } = await gaussianizeImage(simdRunner, smallCascade, image);
    const responses = await imageResponses(simdRunner, smallCascade, image);
    expect(responses.length).toBe(stages.length);
    expectSameBits(responses[stages.length - 1].values, y.values);
  });

  test("can be stopped, and rejects unknown options", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(imageScore(simdRunner, smallCascade, image, { signal })).rejects.toThrow("enough");
    await expectError(imageScore(simdRunner, smallCascade, noiseImage(5, 4)), {
      code: "invalid-argument",
      argument: "the width of the image",
    });
    await expectError(imageScore(simdRunner, smallCascade, image, { sigma: 1 } as object), {
      code: "invalid-argument",
      argument: "the options",
    });
  });
});
