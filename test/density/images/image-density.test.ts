import { describe, expect, test } from "vitest";
import { gaussianizeImage, logProbOfImage } from "../../../src/density/images/image-density.js";
import { imageGradients } from "../../../src/density/images/image-gradients.js";
import { sampleImage, synthesizeImage } from "../../../src/density/images/image-synthesis.js";
import { parametersOf } from "../../../src/transforms/parameters.js";
import { convolution } from "../../../src/transforms/convolution.js";
import { imageCascade } from "../../../src/transforms/image-cascade.js";
import { logAbsDeterminant } from "../../support/differences.js";
import { expectClose, expectSameBits, largest } from "../../support/expect-close.js";
import { noiseImage, parameterGradients, smallCascade } from "../../support/image-models.js";
import { expectRightOnAverage } from "../../support/statistics.js";
import { referenceRunner, simdRunner } from "../../support/inline-runners.js";
import { seed } from "../../support/seed.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { expectError, refusal } from "../../support/expect-error.js";

const image = noiseImage(6, 4);
const logTwoPi = Math.log(2 * Math.PI);

describe(`a density of whole images (seed ${seed})`, () => {
  test("has the log-determinant of the Jacobian by central differences", async () => {
    const { logDeterminant, y } = await gaussianizeImage(referenceRunner, smallCascade, image);
    const step = 1e-4;
    const columns = await Promise.all(
      Array.from(image.pixels.keys(), async (k) => {
        const at = async (t: number) => {
          const pixels = image.pixels.slice();
          pixels[k] += t;
          return (await gaussianizeImage(referenceRunner, smallCascade, { ...image, pixels })).y
            .values;
        };
        const slope = async (h: number) => {
          const [after, before] = [await at(h), await at(-h)];
          return Float64Array.from(after, (value, j) => (value - before[j]) / (2 * h));
        };
        const half = await slope(step / 2);
        const whole = await slope(step);
        return half.map((value, j) => (4 * value - whole[j]) / 3);
      }),
    );
    // Differences have about ten digits, and 24 columns of them are eliminated.
    expectClose(logDeterminant, logAbsDeterminant(columns), { absolute: 1e-7 });
    const energy = Array.from(y.values).reduce((sum, value) => sum + value ** 2, 0) / 2;
    expectClose(
      await logProbOfImage(referenceRunner, smallCascade, image),
      logDeterminant - energy - 12 * logTwoPi,
      { relative: 1e-14 },
    );
  });

  test("is inverted, to 1e-10 in Float64 and 1e-5 in Float32", async () => {
    for (const [runner, absolute] of [
      [referenceRunner, 1e-10],
      [simdRunner, 1e-5],
    ] as const) {
      const { y } = await gaussianizeImage(runner, smallCascade, image);
      const back = await synthesizeImage(runner, smallCascade, y);
      expect(back.unconverged).toBe(0);
      expect([back.image.width, back.image.height]).toEqual([6, 4]);
      expectClose(back.image.pixels, image.pixels, { absolute });
    }
  });

  test("has the gradients of central differences, by all parameters and pixels", async () => {
    const found = await imageGradients(referenceRunner, smallCascade, [image]);
    expectClose(found.logProb[0], await logProbOfImage(referenceRunner, smallCascade, image), {
      relative: 1e-13,
    });
    const loss = async (cascade = smallCascade, pixels = image.pixels) =>
      -(await logProbOfImage(referenceRunner, cascade, { ...image, pixels }));
    const wanted = await parameterGradients(smallCascade, loss);
    expect(found.gradient.map((groups) => Object.keys(groups))).toEqual(
      smallCascade.stages.map((stage) =>
        stage.kind === "convolution" ? ["weights"] : Object.keys(parametersOf(stage)[0]),
      ),
    );
    wanted.forEach(({ stage, name, values }) => {
      const what = `${name} of stage ${stage}`;
      const tolerance = { relative: 1e-6, scale: largest(values) };
      expectClose(found.gradient[stage][name], values, tolerance, what);
    });
    const [{ pixels }] = found.imageGradients;
    for (const k of image.pixels.keys()) {
      const at = (t: number) =>
        loss(
          smallCascade,
          image.pixels.map((v, j) => (j === k ? v + t : v)),
        );
      expectClose(pixels[k], ((await at(1e-5)) - (await at(-1e-5))) / 2e-5, { absolute: 1e-7 });
    }
  });

  test("has gradients by the weights that are right on average with some frequencies", async () => {
    const exact = await imageGradients(referenceRunner, smallCascade, [image]);
    const random = createRandom(seed, "some");
    const draw = async () => {
      const options = { frequencies: { width: 2, height: 1, random } };
      const some = await imageGradients(referenceRunner, smallCascade, [image], options);
      return some.gradient[0].weights;
    };
    await expectRightOnAverage(300, draw, exact.gradient[0].weights);
  });

  test("has gradients of several images that are the sums of those of each", async () => {
    const images = [
      image,
      { ...image, pixels: image.pixels.map((v) => 0.5 - v) },
      noiseImage(6, 4),
    ];
    const all = await imageGradients(referenceRunner, smallCascade, images);
    const each = await Promise.all(
      images.map((one) => imageGradients(referenceRunner, smallCascade, [one])),
    );
    all.gradient.forEach((groups, stage) => {
      for (const [name, values] of Object.entries(groups)) {
        const sums = Float64Array.from(values, (_, k) =>
          each.reduce((sum, { gradient }) => sum + gradient[stage][name][k], 0),
        );
        expectClose(values, sums, { relative: 1e-12, scale: largest(sums) }, name);
      }
    });
    each.forEach(({ logProb, imageGradients: [{ pixels }] }, k) => {
      expectClose(all.logProb[k], logProb[0], { relative: 1e-13 });
      expectClose(all.imageGradients[k].pixels, pixels, {
        relative: 1e-12,
        scale: largest(pixels),
      });
    });
  });

  test("gives the images of normal fields as samples, the same for the same seed", async () => {
    const options = { width: 6, height: 4, seed: 5 };
    const drawn = await sampleImage(referenceRunner, smallCascade, options);
    expectSameBits(
      (await sampleImage(referenceRunner, smallCascade, options)).pixels,
      drawn.pixels,
    );
    const { y } = await gaussianizeImage(referenceRunner, smallCascade, drawn);
    const normal = createRandom(5, "sample-image").normalFill(new Float64Array(24));
    expectClose(y.values, normal, { absolute: 1e-10 });
  });

  test("notices weights that were changed in place", async () => {
    const weights = Float64Array.of(2);
    const taps = { width: 1, height: 1, left: 0, top: 0 };
    const one = imageCascade({ stride: 1, stages: [convolution({ maps: 1, taps, weights })] });
    const before = await gaussianizeImage(referenceRunner, one, image);
    expectClose(before.logDeterminant, 24 * Math.log(2), { relative: 1e-14 });
    const [stage] = one.stages;
    if (stage.kind === "convolution") stage.weights[0] = 3;
    const after = await gaussianizeImage(referenceRunner, one, image);
    expectClose(after.logDeterminant, 24 * Math.log(3), { relative: 1e-14 });
  });

  test("rejects images of other sizes, singular convolutions and misspelt options", async () => {
    const narrow = { ...image, width: 3, height: 8 };
    await expectError(gaussianizeImage(referenceRunner, smallCascade, narrow), {
      code: "invalid-argument",
      argument: "the width of the image",
    });
    const taps = { width: 2, height: 1, left: 0, top: 0 };
    const difference = convolution({ maps: 1, taps, weights: [1, -1] });
    const singular = imageCascade({ stride: 1, stages: [difference] });
    await expectError(logProbOfImage(referenceRunner, singular, image), {
      code: "not-invertible",
      phrase: "(0, 0)",
    });
    await expect(
      sampleImage(referenceRunner, smallCascade, { width: 6, height: 5, seed: 1 }),
    ).rejects.toThrow("the height of the image");
    await expectError(
      imageGradients(referenceRunner, smallCascade, [image], { frequency: 1 } as never),
      { code: "invalid-argument", phrase: '"frequency"' },
    );
    await expectError(imageGradients(referenceRunner, smallCascade, []), {
      code: "invalid-argument",
      argument: "images",
    });
    const other = noiseImage(4, 6);
    await expect(imageGradients(referenceRunner, smallCascade, [image, other])).rejects.toThrow(
      refusal("image 1", "have the 6×4 pixels of image 0", "4×6"),
    );
    const lost = await imageGradients(referenceRunner, singular, [image]);
    expect([lost.logProb[0], lost.smallestSingularValue]).toEqual([-Infinity, 0]);
    await expectError(
      synthesizeImage(referenceRunner, smallCascade, {
        width: 2,
        height: 2,
        maps: 1,
        values: new Float64Array(4),
      }),
      { code: "invalid-argument", argument: "the maps of y" },
    );
  });

  test("stops when its signal aborts", async () => {
    const signal = AbortSignal.abort();
    await expect(
      gaussianizeImage(referenceRunner, smallCascade, image, { signal }),
    ).rejects.toThrow("aborted");
  });
});
