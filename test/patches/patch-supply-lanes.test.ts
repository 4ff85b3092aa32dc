import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { GreyImage } from "../../src/images/grey-image.js";
import { leafSizeFor, splitTree } from "../../src/kernels/reduction-tree.js";
import type { LoadImage } from "../../src/patches/image-window.js";
import { PatchSupply, type PatchSupplyOptions } from "../../src/patches/patch-supply.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectError } from "../support/expect-error.js";
import { seed } from "../support/seed.js";

/** A constant image of value k: a patch tells its image. */
const flat = (k: number): GreyImage => ({
  width: 3,
  height: 2,
  pixels: new Float32Array(6).fill(k),
});
/** An image whose patches all differ, also between rounds. */
const noisy = (k: number, round: number): GreyImage => ({
  width: 9,
  height: 8,
  pixels: createRandom(seed, "pixels", k, round).uniformFill(new Float32Array(72)),
});

function supply(options: Partial<PatchSupplyOptions> = {}) {
  const loads: number[] = [];
  const { load = (index: number) => Promise.resolve(flat(index)), ...others } = options;
  const counted: LoadImage = (index, round, until) => {
    loads.push(index);
    return load(index, round, until);
  };
  const patches = new PatchSupply({
    images: 300,
    layout: { size: 2, removeMean: false },
    batch: 64,
    seed,
    window: 64,
    ...others,
    load: counted,
  });
  return { patches, loads };
}

/** Runs of the given lengths. */
function runsOf(lengths: readonly number[]): { images: number; runs: Uint32Array } {
  let images = 0;
  const runs = Uint32Array.from(lengths, (length) => (images += length) - length);
  return { images, runs };
}

const uneven = runsOf([1, 7, 2, 8, 8, 1, 5, 3, 8, 6, 4, 8, 2, 1, 1, 8, 3, 7, 8, 8, 1]);
const loadNoisy = (index: number, round: number) => Promise.resolve(noisy(index, round));

describe("a part of a batch", () => {
  test.each([
    { what: "of images that all fit in", options: { images: 40, window: 40 } },
    { what: "of one lane", options: { window: 9 } },
    { what: "of four lanes", options: { window: 35 } },
    { what: "of eight lanes", options: {} },
    { what: "of lanes with unequal shares", options: { batch: 100, window: 70 } },
    { what: "of uneven runs", options: { ...uneven, window: 70 } },
  ])("has the same bytes as in the whole batch, $what", async ({ options }) => {
    const { patches } = supply({ ...options, load: loadNoisy });
    const { leaves, stepsPerBlock } = patches;
    const batch = "batch" in options ? options.batch : 64;
    for (const step of [0, 3, stepsPerBlock, 5 * stepsPerBlock + 1]) {
      const whole = (await patches.batchAt(step)).slice();
      for (const ranks of [1, 2, 4, leaves]) {
        const pieces: number[] = [];
        for (const part of splitTree(leaves, ranks)) {
          const piece = await supply({ ...options, load: loadNoisy }).patches.batchAt(step, part);
          const rows = Math.min(batch, (part.firstLeaf + part.leaves) * leafSizeFor(batch));
          expect(piece).toHaveLength(4 * (rows - part.firstLeaf * leafSizeFor(batch)));
          pieces.push(...piece);
        }
        expect(Float32Array.from(pieces)).toEqual(whole);
      }
    }
  });

  test("is the same after requests for other parts of other blocks", async () => {
    const { patches } = supply({ load: loadNoisy });
    const [half, last] = [
      { firstLeaf: 0, leaves: 4 },
      { firstLeaf: 7, leaves: 1 },
    ];
    for (const [step, part] of [
      [0, half] as const,
      [0, last] as const,
      [500, half] as const,
      [64, last] as const,
      [64, half] as const,
    ]) {
      const alone = await supply({ load: loadNoisy }).patches.batchAt(step, part);
      expect(await patches.batchAt(step, part)).toEqual(alone);
    }
  });

  test("loads only the images of its lanes, and drops the others", async () => {
    const { patches, loads } = supply();
    await patches.batchAt(0);
    await setImmediate();
    expect(new Set(loads).size).toBe(64);
    const quarter = supply();
    await quarter.patches.batchAt(0, { firstLeaf: 2, leaves: 2 });
    expect(quarter.loads).toHaveLength(16);
    for (let block = 0; block < 20; block += 1) {
      await quarter.patches.batchAt(block * patches.stepsPerBlock, { firstLeaf: 2, leaves: 2 });
      await setImmediate();
    }
    // A 16th of the window by block is for all eight lanes, a quarter of these are here, and one is
    // ahead.
    expect(quarter.loads).toHaveLength(16 + 20);
  });

  test.each([
    [{ firstLeaf: 8, leaves: 1 }, "1 from 8 on"],
    [{ firstLeaf: 0, leaves: 9 }, "9 from 0 on"],
    [{ firstLeaf: -1, leaves: 1 }, "1 from -1 on"],
    [{ firstLeaf: 0, leaves: 0 }, "0 from 0 on"],
    [{ firstLeaf: 0.5, leaves: 1 }, "1 from 0.5 on"],
  ])("%o is rejected", async (part, received) => {
    await expectError(supply().patches.batchAt(0, part), {
      code: "invalid-argument",
      argument: "the part",
      phrase: received,
    });
  });
});

/** Counts the patches of each image in a number of blocks. */
async function drawn(options: Partial<PatchSupplyOptions> & { images: number }, blocks: number) {
  const { patches } = supply(options);
  const counts = new Float64Array(options.images);
  for (let block = 0; block < blocks; block += 1) {
    for (let step = 0; step < patches.stepsPerBlock; step += 1) {
      const batch = await patches.batchAt(block * patches.stepsPerBlock + step);
      for (let k = 0; k < batch.length; k += 4) counts[batch[k]] += 1;
    }
  }
  return counts;
}

describe("every image has the same weight", () => {
  test.each([
    { what: "one by one", options: { images: 90 } },
    { what: "in uneven archives", options: uneven },
    {
      what: "in one large archive and small ones",
      options: runsOf([8, 8, 8, 8, 8, 8, 1, 1, 1, 2]),
    },
    { what: "in lanes of unequal rows", options: { ...uneven, batch: 100 } },
  ])("$what", async ({ options }) => {
    const { images } = options;
    const window = 40;
    const imagesPerBlock = 10;
    const rounds = 60;
    const batch = "batch" in options ? options.batch : 64;
    const blocks = (rounds * images) / imagesPerBlock;
    const counts = await drawn({ ...options, window, imagesPerBlock }, blocks);
    const turn = (64 * batch) / imagesPerBlock;
    const total = counts.reduce((sum, count) => sum + count, 0);
    expect(total).toBe(Math.ceil(blocks) * 64 * batch);
    // By its end a lane may be some runs ahead of another, and the first and the last windows are
    // not over.
    for (const count of counts) expect(Math.abs(count / turn - rounds)).toBeLessThan(5);
    const middle = total / images;
    const spread = Math.sqrt(
      counts.reduce((sum, count) => sum + (count - middle) ** 2, 0) / images,
    );
    expect(spread / turn).toBeLessThan(1.5);
  });
});

describe("images that cannot be used", () => {
  const without =
    (isDamaged: (index: number) => boolean): LoadImage =>
    (index, round) =>
      Promise.resolve(isDamaged(index) ? undefined : noisy(index, round));

  test.each([
    { what: "a third of them", isDamaged: (index: number) => index % 3 === 1 },
    { what: "all but one", isDamaged: (index: number) => index !== 123 },
    { what: "all of a lane", isDamaged: (index: number) => index < 200 },
  ])("$what: the others replace them, for any part", async ({ isDamaged }) => {
    const load = without(isDamaged);
    const { patches } = supply({ load });
    for (const step of [0, 5 * patches.stepsPerBlock]) {
      const whole = (await patches.batchAt(step)).slice();
      const pieces: number[] = [];
      for (const part of splitTree(patches.leaves, 4)) {
        pieces.push(...(await supply({ load }).patches.batchAt(step, part)));
      }
      expect(Float32Array.from(pieces)).toEqual(whole);
    }
  });

  test("end the fit only if there is no other", async () => {
    const { patches, loads } = supply({ load: without(() => true) });
    const part = { firstLeaf: 3, leaves: 1 };
    await expectError(patches.batchAt(0, part), { code: "unusable-images", phrase: "300" });
    expect(loads).toHaveLength(300);
  });
});

test("passes the loader the images that come next", async () => {
  const told: [number, number | undefined][] = [];
  const load: LoadImage = (index, _, until) => {
    told.push([index, until]);
    return Promise.resolve(flat(index));
  };
  await supply({ ...uneven, load }).patches.batchAt(0);
  const ends = [...uneven.runs.slice(1), uneven.images];
  expect(told.length).toBeGreaterThan(60);
  for (const [index, until] of told) expect(until).toBe(ends.find((end) => end > index));
});

test("loads no more than 16 images at a time", async () => {
  let [running, most] = [0, 0];
  const load: LoadImage = async (index) => {
    most = Math.max(most, (running += 1));
    await setImmediate();
    running -= 1;
    return flat(index);
  };
  await supply({ load }).patches.batchAt(0);
  expect(most).toBe(16);
});

test.each([
  [{ lanes: 3 }, "lanes", "at most 8"],
  [{ lanes: 16 }, "lanes", "at most 8"],
  [{ runs: Uint32Array.of(1) }, "the first run", "image 0"],
  [{ runs: Uint32Array.of(0, 4, 4) }, "run 2", "before image 300"],
])("rejects %o", (options, argument, phrase) => {
  expectError(() => supply(options), { code: "invalid-argument", argument, phrase });
});
