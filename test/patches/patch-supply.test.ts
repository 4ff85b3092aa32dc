import { describe, expect, test } from "vitest";
import { PatchSupply, type PatchSupplyOptions } from "../../src/patches/patch-supply.js";
import { seed } from "../support/seed.js";

/** Image k is k throughout, so that a patch says where it comes from. */
function supply(options: Partial<PatchSupplyOptions> = {}) {
  const loads: number[] = [];
  const patches = new PatchSupply({
    images: 12,
    load: (index) => {
      loads.push(index);
      return Promise.resolve({ width: 6, height: 5, pixels: new Float32Array(30).fill(index) });
    },
    layout: { size: 2, removeMean: false },
    batch: 200,
    seed,
    ...options,
  });
  return { patches, loads };
}

const imagesIn = (batch: Float32Array): number[] => [...new Set(batch)].sort((a, b) => a - b);

describe("PatchSupply", () => {
  test("draws from all images where all fit in, each loaded once", async () => {
    const { patches, loads } = supply();
    for (const step of [0, 1, 50, 1000]) {
      const batch = await patches.batchAt(step);
      expect(batch).toHaveLength(200 * 4);
      expect(imagesIn(batch)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    }
    expect(loads).toHaveLength(12);
  });

  test("draws from a sliding window otherwise, and every image has its turn", async () => {
    const { patches, loads } = supply({ window: 4, stepsPerImage: 3 });
    const seen = new Set<number>();
    for (let step = 0; step < 40; step += 1) {
      const images = imagesIn(await patches.batchAt(step));
      expect(images.length).toBeLessThanOrEqual(4);
      for (const index of images) seen.add(index);
    }
    expect(seen.size).toBe(12);
    // 13 moves, four at the start, one ahead.
    expect(loads).toHaveLength(13 + 4 + 1);
  });

  test("a step has the same patches whether or not the steps before were asked for", async () => {
    const { patches } = supply({ window: 3, stepsPerImage: 2 });
    const all: Float32Array[] = [];
    for (let step = 0; step < 30; step += 1) all.push(await patches.batchAt(step));
    for (const step of [29, 7, 18, 0]) {
      expect(await supply({ window: 3, stepsPerImage: 2 }).patches.batchAt(step)).toEqual(
        all[step],
      );
    }
    expect(all[3]).not.toEqual(all[4]);
  });

  test("keeps no more images than the window and the one ahead", async () => {
    let inMemory = 0;
    const { patches } = supply({
      images: 500,
      window: 5,
      stepsPerImage: 1,
      load: (index) => {
        inMemory += 1;
        return Promise.resolve({ width: 4, height: 4, pixels: new Float32Array(16).fill(index) });
      },
    });
    for (let step = 0; step < 100; step += 1) await patches.batchAt(step);
    expect(inMemory).toBe(100 + 5);
  });

  test("an image that cannot be loaded fails the step that needs it, and not before", async () => {
    const { patches } = supply({
      images: 4,
      window: 1,
      stepsPerImage: 1,
      load: (index) =>
        index === 2
          ? Promise.reject(new Error("the file is gone"))
          : Promise.resolve({ width: 4, height: 4, pixels: new Float32Array(16).fill(index) }),
    });
    const outcomes: string[] = [];
    for (let step = 0; step < 4; step += 1) {
      outcomes.push(
        await patches.batchAt(step).then(
          () => "fine",
          (error: unknown) => (error as Error).message,
        ),
      );
    }
    expect(outcomes.sort()).toEqual(["fine", "fine", "fine", "the file is gone"]);
  });

  test("refuses counts that make no sense", () => {
    expect(() => supply({ batch: 0 })).toThrow("Expected batch to be a positive integer");
    expect(() => supply({ images: 0 })).toThrow("Expected images to be a positive integer");
    expect(() => supply({ layout: { size: 0, removeMean: false } })).toThrow("side of a patch");
  });
});
