import { describe, expect, test } from "vitest";
import { splitImages, splitUsable } from "../../src/training/held-out.js";
import { expectError } from "../support/expect-error.js";

describe("held-out images", () => {
  test("splits images into the requested numbers, without overlap", () => {
    const { training, heldOut } = splitImages(24, 0.17, 1);
    expect(heldOut).toHaveLength(4);
    expect([...training, ...heldOut].sort((a, b) => a - b)).toEqual([...Array(24).keys()]);
    expect(splitImages(24, 0.17, 1)).toEqual({ training, heldOut });
    expect(splitImages(24, 0.17, 2).heldOut).not.toEqual(heldOut);
  });

  test("holds out at least one image but never all, and none for 0", () => {
    expect(splitImages(5, 0.01, 1).heldOut).toHaveLength(1);
    expect(splitImages(1, 0.5, 1).heldOut).toHaveLength(0);
    expect(splitImages(5, 0, 1).heldOut).toHaveLength(0);
    expect(splitImages(1000, 0.5, 1).heldOut).toHaveLength(64);
    expectError(() => splitImages(5, 0.95, 1), { code: "invalid-argument", argument: "heldOut" });
  });
});

const usableAmong =
  (...usable: readonly number[]) =>
  (index: number): Promise<boolean> =>
    Promise.resolve(usable.includes(index));

describe("splitUsable", () => {
  test("makes the split of splitImages if every image is usable, and reads no more than needed", async () => {
    for (const seed of [1, 2, 3]) {
      const looked: number[] = [];
      const split = await splitUsable(24, 0.17, seed, (index) => {
        looked.push(index);
        return Promise.resolve(true);
      });
      expect(split).toEqual(splitImages(24, 0.17, seed));
      expect(new Set(looked).size).toBe(looked.length);
      expect(looked).toHaveLength(5);
    }
    expect(await splitUsable(24, 0, 1, usableAmong())).toEqual(splitImages(24, 0, 1));
  });

  test("never holds out the only usable image, whatever the seed", async () => {
    for (let seed = 0; seed < 10; seed++) {
      const { training, heldOut } = await splitUsable(3, 0.5, seed, usableAmong(1));
      expect([training.includes(1), heldOut.length]).toEqual([true, 0]);
    }
  });

  test("skips unusable images and holds out others", async () => {
    for (let seed = 0; seed < 10; seed++) {
      const { training, heldOut } = await splitUsable(8, 0.25, seed, usableAmong(0, 2, 3, 6, 7));
      expect([0, 2, 3, 6, 7]).toEqual(expect.arrayContaining([...heldOut]));
      expect(heldOut.length).toBeGreaterThan(0);
      expect(training.some((index) => [0, 2, 3, 6, 7].includes(index))).toBe(true);
      expect(training.some((index) => heldOut.includes(index))).toBe(false);
    }
  });

  test("holds out a fraction of the usable images", async () => {
    let asked = 0;
    // Four unusable ones come after five that are held out, and before the last one.
    const { training, heldOut } = await splitUsable(10, 0.5, 1, () => {
      asked++;
      return Promise.resolve(asked <= 5 || asked === 10);
    });
    expect([training.length, heldOut.length]).toEqual([3, 3]);
  });

  test("says that no image can be used", async () => {
    await expectError(splitUsable(3, 0.5, 1, usableAmong()), { code: "unusable-images" });
  });
});
