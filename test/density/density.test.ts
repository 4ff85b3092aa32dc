import { describe, expect, test } from "vitest";
import { densityOf } from "../../src/density/density-of.js";
import { gaussianizeImage, logProbOfImage } from "../../src/density/images/image-density.js";
import { imageScore } from "../../src/density/images/image-score.js";
import { sampleImage } from "../../src/density/images/image-synthesis.js";
import { gaussianize, logProb, score } from "../../src/density/induced-density.js";
import { sample, synthesize } from "../../src/density/synthesis.js";
import { verifyImageCascade } from "../../src/density/verification/verify-image-cascade.js";
import { verify } from "../../src/density/verification/verify.js";
import { cascade } from "../../src/transforms/cascade.js";
import { affine } from "../../src/transforms/affine.js";
import { gdn } from "../../src/transforms/gdn.js";
import { expectClose } from "../support/expect-close.js";
import { expectError } from "../support/expect-error.js";
import { noiseImage, smallCascade } from "../support/image-models.js";
import { referenceRunner as runner } from "../support/inline-runners.js";

const transform = cascade([
  affine({ dimension: 2, scale: [2, 0.5], shift: [0.1, -0.2] }),
  gdn({
    structure: "general",
    dimension: 2,
    H: [1, 0.2, -0.3, 1],
    alpha: [2, 1.5, 2, 2],
    beta: [1, 0.8],
    gamma: [0.3, 0.1, 0.2, 0.4],
    epsilon: [0.4, 0.5],
  }),
]);
const rows = [
  [0.2, -0.4],
  [1.3, 0.6],
  [-2, 0.1],
];
const x = Float64Array.from(rows.flat());

describe("a density of patches", () => {
  const density = densityOf({ transform, about: { name: "two numbers" } }, runner);

  test("computes like its transform, for arrays and for rows", async () => {
    expect([density.kind, density.dimension]).toEqual(["patches", 2]);
    expect(density.model).toEqual({ transform, about: { name: "two numbers" } });
    for (const given of [x, rows, rows.map((row) => Float64Array.from(row))]) {
      expect(await density.logProb(given)).toEqual(await logProb(runner, transform, x));
      expect(await density.score(given)).toEqual((await score(runner, transform, x)).score);
      expect(await density.gaussianize(given)).toEqual(await gaussianize(runner, transform, x));
    }
  });

  test("recovers x from rows of y", async () => {
    const { y } = await density.gaussianize(rows);
    const found = await density.synthesize([y.subarray(0, 2), y.subarray(2, 4), y.subarray(4)]);
    expect(found).toEqual(await synthesize(runner, transform, y));
    expectClose(found.x, x, { absolute: 1e-12 });
  });

  test("draws the same samples as the transform; the seed defaults to 1", async () => {
    expect(await density.sample(5)).toEqual(await sample(runner, transform, 5, 1));
    const drawn = await density.sample(5, { seed: 7, temperature: 0.5 });
    expect(drawn).toEqual(await sample(runner, transform, 5, 7, { temperature: 0.5 }));
    expect(await density.logProb(drawn)).toHaveLength(5);
  });

  test("is verified with samples and without", async () => {
    expect(await density.verify()).toEqual(await verify(runner, transform, null));
    expect(await density.verify(rows)).toEqual(await verify(runner, transform, x));
    const grid = { width: 16, height: 16 };
    expect(await density.verify(null, { grid })).toEqual(await verify(runner, transform, null));
  });

  test("rejects anything but samples of its dimension", async () => {
    const flat = [0.2, -0.4] as unknown as number[][];
    await expectError(density.logProb(flat), { code: "invalid-argument", argument: "x" });
    await expectError(density.score([[1, 2], [3]]), { code: "invalid-argument", argument: "x[1]" });
    await expectError(density.logProb(noiseImage(4, 4)), {
      code: "invalid-argument",
      argument: "x",
    });
    const size = { width: 4, height: 4 };
    await expect(density.sample(1, { size })).rejects.toThrow("models of whole images only");
  });
});

describe("a density of whole images", () => {
  const density = densityOf(smallCascade, runner);
  const [image, other] = [noiseImage(6, 4), noiseImage(4, 8)];

  test("computes like its cascade, for one image and for several", async () => {
    expect([density.kind, density.dimension]).toEqual(["images", 4]);
    const ofImage = await logProbOfImage(runner, smallCascade, image);
    expect(await density.logProb(image)).toBe(ofImage);
    const ofOther = await logProbOfImage(runner, smallCascade, other);
    expect(await density.logProb([image, other])).toEqual(Float64Array.of(ofImage, ofOther));
    expect(await density.score(image)).toEqual(await imageScore(runner, smallCascade, image));
    expect(await density.gaussianize([image])).toEqual([
      await gaussianizeImage(runner, smallCascade, image),
    ]);
  });

  test("recovers an image from its field", async () => {
    const { y } = await density.gaussianize(image);
    const { x: back, unconverged } = await density.synthesize(y, { maximumIterations: 50 });
    expect(unconverged).toBe(0);
    expectClose(back.pixels, image.pixels, { absolute: 1e-10 });
    expect(await density.synthesize([y])).toHaveLength(1);
  });

  test("draws the first image with the seed alone, and the others with their number", async () => {
    const size = { width: 6, height: 4 };
    const done: number[] = [];
    const onProgress = (k: number) => done.push(k);
    const drawn = await density.sample(3, { seed: 7, size, onProgress });
    for (const [k, ofImage] of [7, "7 1", "7 2"].entries()) {
      const wanted = await sampleImage(runner, smallCascade, { ...size, seed: ofImage });
      expect(drawn[k]).toEqual(wanted);
    }
    expect(done).toEqual([1, 2, 3]);
    expect(await density.logProb(drawn)).toHaveLength(3);
  });

  test("at a temperature synthesizes the normal field of the seed, scaled", async () => {
    const size = { width: 12, height: 8 };
    const [warm] = await density.sample(1, { seed: 7, size });
    expect(await density.sample(1, { seed: 7, size, temperature: 1 })).toEqual([warm]);
    const { y } = await density.gaussianize(warm);
    const [cool] = await density.sample(1, { seed: 7, size, temperature: 0.5 });
    const half = (await density.gaussianize(cool)).y;
    // Both fields went through the transform and back.
    expectClose(
      half.values,
      y.values.map((value) => value / 2),
      { absolute: 1e-5 },
    );
  });

  test("is verified with an image and without", async () => {
    const grid = { width: 5, height: 3 };
    const alone = await verifyImageCascade(runner, smallCascade, null, { grid });
    expect(await density.verify(null, { grid })).toEqual(alone);
    const onImage = await verifyImageCascade(runner, smallCascade, image);
    expect(await density.verify(image)).toEqual(onImage);
  });

  test("rejects anything but images, and options of patches", async () => {
    await expectError(density.logProb(rows), { code: "invalid-argument", argument: "x" });
    await expectError(density.sample(1), { code: "invalid-argument", argument: "size" });
    const size = { width: 6, height: 4 };
    for (const temperature of [0, -1, NaN]) {
      await expectError(density.sample(1, { size, temperature }), {
        code: "invalid-argument",
        argument: "temperature",
      });
    }
    const unknown = { signals: null } as object;
    await expect(density.logProb(image, unknown)).rejects.toThrow('received "signals"');
  });
});

test("a density opens its runner when it first computes, and takes models and transforms", async () => {
  let opened = 0;
  const density = densityOf(transform, () => {
    opened++;
    return Promise.resolve(runner);
  });
  expect(density.model.about).toEqual({});
  expect(opened).toBe(0);
  await density.logProb(x);
  expect(opened).toBe(1);
  expect(() => densityOf(null as never, runner)).toThrow("to be a model or a transform");
  expectError(() => densityOf(transform, {} as never), {
    code: "invalid-argument",
    argument: "the runner",
  });
});
