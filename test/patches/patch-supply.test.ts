import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import type { GreyImage } from "../../src/images/grey-image.js";
import { patchesToSamples } from "../../src/patches/patch-layout.js";
import { PatchSupply, type PatchSupplyOptions } from "../../src/patches/patch-supply.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectError } from "../support/expect-error.js";
import { seed } from "../support/seed.js";
import { standardizedChiSquare } from "../support/statistics.js";

/** A constant image of value k: a patch tells its image. */
const flat = (k: number, side = 6): GreyImage => ({
  width: side,
  height: side - 1,
  pixels: new Float32Array(side * (side - 1)).fill(k),
});

function supply(options: Partial<PatchSupplyOptions> = {}) {
  const loads: number[] = [];
  const { load = (index: number) => Promise.resolve(flat(index)), ...others } = options;
  const patches = new PatchSupply({
    images: 12,
    layout: { size: 2, removeMean: false },
    batch: 200,
    seed,
    ...others,
    load: (index, round) => {
      loads.push(index);
      return load(index, round);
    },
  });
  return { patches, loads };
}

/** Waits until images are loaded ahead. */
const idle = (): Promise<unknown> => setImmediate();
const ascending = (values: Iterable<number>): number[] => [...values].sort((a, b) => a - b);
const imagesIn = (batch: Float32Array): number[] => ascending(new Set(batch));
const all = Array.from({ length: 12 }, (_, k) => k);

/** Returns the first batch of each block. */
async function firstBatches(patches: PatchSupply, blocks: number): Promise<Float32Array[]> {
  const batches: Float32Array[] = [];
  for (let block = 0; block < blocks; block += 1) {
    batches.push(await patches.batchAt(block * patches.stepsPerBlock));
    await idle();
  }
  return batches;
}

describe("patches of images that all fit in", () => {
  test("are from all images in each step, each image loaded once", async () => {
    const { patches, loads } = supply();
    for (const step of [0, 1, 50, 1000]) {
      const batch = await patches.batchAt(step);
      expect(batch).toHaveLength(200 * 4);
      expect(imagesIn(batch)).toEqual(all);
    }
    expect(ascending(loads)).toEqual(all);
  });

  test("have equal shares of each image, up to one patch in a block and a few in a step", async () => {
    const { patches } = supply({ batch: 50 });
    const inBlock = new Map<number, number>();
    for (let step = 0; step < patches.stepsPerBlock; step += 1) {
      const inStep = new Map<number, number>();
      const batch = await patches.batchAt(step);
      for (let k = 0; k < batch.length; k += 4) {
        for (const counts of [inStep, inBlock]) {
          counts.set(batch[k], (counts.get(batch[k]) ?? 0) + 1);
        }
      }
      // An image has four rows of the block and parts of two: the step has one patch of each of the
      // four, at most one of a part.
      for (const index of all) expect(Math.abs((inStep.get(index) ?? 0) - 50 / 12)).toBeLessThan(2);
    }
    const share = (50 * patches.stepsPerBlock) / 12;
    for (const index of all) expect(Math.abs(inBlock.get(index)! - share)).toBeLessThan(1);
  });

  test(`are uniform over images and places in every row (seed ${seed})`, async () => {
    // Pixel p of image k is 100 k + p; 3×4 places for each of 5 images.
    const load = (k: number) =>
      Promise.resolve({
        width: 5,
        height: 4,
        pixels: Float32Array.from({ length: 20 }, (_, p) => 100 * k + p),
      });
    const { patches } = supply({ images: 5, load, batch: 3 });
    const cells = new Map<string, number>();
    for (let block = 0; block < 4000; block += 1) {
      const batch = await patches.batchAt(block * patches.stepsPerBlock + (block % 7));
      for (const row of [0, 2]) {
        const cell = `${row} ${batch[4 * row]}`;
        cells.set(cell, (cells.get(cell) ?? 0) + 1);
      }
    }
    expect(cells.size).toBe(2 * 5 * 12);
    // Cells of mean 67. The shares being equal takes no randomness away from single rows.
    expect(Math.abs(standardizedChiSquare([...cells.values()]))).toBeLessThan(5);
  });

  test("are from other images in the next step, however small the batch", async () => {
    const { patches } = supply({ batch: 4 });
    let repeated = 0;
    for (let step = 0; step < 60; step += 1) {
      const [now, next] = [await patches.batchAt(step), await patches.batchAt(step + 1)];
      const isRepeated = imagesIn(now).join() === imagesIn(next).join();
      repeated += isRepeated ? 1 : 0;
    }
    // Each row of the batch is from one of three images: once in 81 steps.
    expect(repeated).toBeLessThan(10);
  });

  test("lose their mean as in patchesToSamples", async () => {
    const noise = all.map((k) => ({
      width: 9,
      height: 7,
      pixels: createRandom(seed, "image", k).normalFill(new Float32Array(63)),
    }));
    const load = (index: number) => Promise.resolve(noise[index]);
    const raw = supply({ load, layout: { size: 3, removeMean: false } });
    const layout = { size: 3, removeMean: true };
    const centred = supply({ load, layout });
    expect(raw.patches.stepsPerBlock).toBe(centred.patches.stepsPerBlock);
    for (const step of [0, 70]) {
      const expected = patchesToSamples(await raw.patches.batchAt(step), layout);
      expect(await centred.patches.batchAt(step)).toEqual(expected);
    }
  });
});

describe("a window that slides over more images", () => {
  const sliding = { window: 4, imagesPerBlock: 2 };

  test("has patches of all its images in a step, and every image once in each round", async () => {
    const { patches, loads } = supply(sliding);
    const batches = await firstBatches(patches, 12);
    for (const round of [0, 1]) {
      expect(ascending(loads.slice(12 * round, 12 * (round + 1)))).toEqual(all);
    }
    batches.forEach((batch, block) => {
      // An image that ends a round and begins the next occurs twice.
      const window = new Set(loads.slice(2 * block, 2 * block + 4));
      expect(imagesIn(batch)).toEqual(ascending(window));
    });
  });

  test("passes the loader the number of complete rounds", async () => {
    const rounds: number[] = [];
    const load = (index: number, round: number) => {
      rounds.push(round);
      return Promise.resolve(flat(index));
    };
    await firstBatches(supply({ ...sliding, load }).patches, 11);
    // Four, and two more for each block and the one ahead.
    const expected = Array.from({ length: 4 + 2 * 11 }, (_, place) => Math.floor(place / 12));
    expect(rounds).toEqual(expected);
  });

  test("loads the images of the next block while this one is used", async () => {
    const { patches, loads } = supply(sliding);
    await patches.batchAt(0);
    await idle();
    expect(loads).toHaveLength(4 + 2);
    await patches.batchAt(patches.stepsPerBlock - 1);
    await idle();
    expect(loads).toHaveLength(4 + 2);
    await patches.batchAt(patches.stepsPerBlock);
    expect(loads).toHaveLength(4 + 2 + 2);
  });

  test("moves by a 16th of itself by default", async () => {
    const { patches, loads } = supply({ images: 100, window: 33, lanes: 1 });
    await firstBatches(patches, 3);
    expect(loads).toHaveLength(33 + 3 * 3);
  });

  test("keeps no more images than its own and those of the next block", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const loaded: WeakRef<GreyImage>[] = [];
    const load = (index: number) => {
      const image = flat(index, 100);
      loaded.push(new WeakRef(image));
      return Promise.resolve(image);
    };
    const { patches } = supply({ images: 500, window: 5, imagesPerBlock: 2, load });
    for (const blocks of [[0, 1, 2, 3, 4, 5, 6], [90], [11]]) {
      for (const block of blocks) await patches.batchAt(block * patches.stepsPerBlock);
      // Weak references hold until the end of the turn that made them.
      await idle();
      collectGarbage();
      expect(loaded.filter((image) => image.deref()).length).toBeLessThanOrEqual(5 + 2);
      await idle();
    }
    expect(loaded).toHaveLength(5 + 7 * 2 + (5 + 2) + (5 + 2));
  });
});

describe("a step", () => {
  const options = { window: 3, imagesPerBlock: 2, batch: 20 };

  test("has the same patches after any other requests", async () => {
    const { patches } = supply(options);
    const steps = Array.from({ length: 3 * patches.stepsPerBlock }, (_, step) => step);
    const batches: Float32Array[] = [];
    for (const step of steps) batches.push(await patches.batchAt(step));
    for (const step of [191, 64, 63, 7, 128, 0]) {
      expect(await patches.batchAt(step)).toEqual(batches[step]);
      expect(await supply(options).patches.batchAt(step)).toEqual(batches[step]);
    }
    const atOnce = await Promise.all(steps.map((step) => patches.batchAt(step)));
    expect(atOnce).toEqual(batches);
    for (const step of [3, 63]) expect(batches[step]).not.toEqual(batches[step + 1]);
  });

  test("keeps its patches while others are made", async () => {
    const { patches } = supply(options);
    const batch = await patches.batchAt(patches.stepsPerBlock - 1);
    const copy = batch.slice();
    await firstBatches(patches, 5);
    expect(batch).toEqual(copy);
  });

  test.each([-1, 0.5, NaN, Infinity])("of number %d is rejected", async (step) => {
    await expectError(supply().patches.batchAt(step), {
      code: "invalid-argument",
      argument: "step",
    });
  });

  test("of many patches is a block, of few patches one of 64 steps", () => {
    expect(supply({ batch: 3_000_000 }).patches.stepsPerBlock).toBe(1);
    expect(supply({ batch: 1 }).patches.stepsPerBlock).toBe(64);
    // 8 MiB.
    expect(
      supply({ batch: 1024, layout: { size: 8, removeMean: false } }).patches.stepsPerBlock,
    ).toBe(32);
  });
});

describe("an image that cannot be used", () => {
  const without =
    (...unusable: number[]) =>
    (index: number) =>
      Promise.resolve(unusable.includes(index) ? undefined : flat(index));

  test("is replaced by the next usable one, and not loaded again", async () => {
    const { patches, loads } = supply({ load: without(3, 4, 11) });
    expect(imagesIn(await patches.batchAt(0))).toEqual([0, 1, 2, 5, 6, 7, 8, 9, 10]);
    expect(ascending(loads)).toEqual(all);
  });

  test("is replaced in the same way after any other requests", async () => {
    const options = { load: without(3, 4, 11), window: 4, imagesPerBlock: 3, batch: 20 };
    const { patches, loads } = supply(options);
    const batches = await firstBatches(patches, 9);
    for (const unusable of [3, 4, 11]) {
      expect(loads.filter((index) => index === unusable)).toHaveLength(1);
    }
    for (const block of [8, 0, 5]) {
      const step = block * patches.stepsPerBlock;
      expect(await supply(options).patches.batchAt(step)).toEqual(batches[block]);
    }
  });

  test("fails the step if there is no other, after one try of each", async () => {
    const { patches, loads } = supply({ load: without(...all), window: 2 });
    for (const step of [0, 100]) {
      await expectError(patches.batchAt(step), { code: "unusable-images", phrase: "12" });
    }
    expect(ascending(loads)).toEqual(all);
  });
});

describe("an image that cannot be loaded", () => {
  const gone = new Error("the file is gone");

  test("fails the steps that need it, and not before", async () => {
    const load = (index: number) =>
      index === 2 ? Promise.reject(gone) : Promise.resolve(flat(index));
    const { patches } = supply({ images: 4, window: 1, load });
    const outcomes: string[] = [];
    for (let block = 0; block < 4; block += 1) {
      const batch = patches.batchAt(block * patches.stepsPerBlock);
      outcomes.push(
        await batch.then(
          () => "fine",
          (error: unknown) => (error as Error).message,
        ),
      );
      await idle();
    }
    expect(outcomes.sort()).toEqual(["fine", "fine", "fine", "the file is gone"]);
  });

  test("is tried again at the next request", async () => {
    let isGone = true;
    const load = (index: number) => {
      // Not even a promise: what a loader throws is no different.
      if (isGone && index === 2) throw gone;
      return Promise.resolve(flat(index));
    };
    const { patches, loads } = supply({ load });
    await expect(patches.batchAt(5)).rejects.toThrow(gone);
    await expect(patches.batchAt(5)).rejects.toThrow(gone);
    isGone = false;
    expect(imagesIn(await patches.batchAt(5))).toEqual(all);
    expect(loads).toHaveLength(12 + 2);
  });

  test("is named if it has no room for a patch", async () => {
    const load = (index: number) => Promise.resolve(flat(index, index === 7 ? 2 : 6));
    await expectError(supply({ load }).patches.batchAt(0), {
      code: "invalid-argument",
      argument: "image 7",
      phrase: /2×2.*2×1/,
    });
  });
});

describe("the options", () => {
  test("are checked", () => {
    for (const [argument, options] of [
      ["batch", { batch: 0 }],
      ["images", { images: 0 }],
      ["the side of a patch", { layout: { size: 0, removeMean: false } }],
      ["imagesPerBlock", { window: 4, imagesPerBlock: 5 }],
    ] as const) {
      expectError(() => supply(options), { code: "invalid-argument", argument });
    }
  });
});
