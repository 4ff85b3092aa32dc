import { expect, test } from "vitest";
import { atMost } from "../../src/parallel/at-most.js";

test("limits the work in progress, keeps the order, and continues after a failure", async () => {
  const gate = atMost(2);
  const begun: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const works = [0, 1, 2, 3].map((k) =>
    gate(() => {
      begun.push(k);
      return new Promise<number>((resolve, reject) => {
        ends[k] = (error) => {
          if (error) reject(error);
          else resolve(k);
        };
      });
    }),
  );
  expect(begun).toEqual([0, 1]);
  ends[1](new Error("broken"));
  await expect(works[1]).rejects.toThrow("broken");
  expect(begun).toEqual([0, 1, 2]);
  ends[0]();
  ends[2]();
  expect(await works[0]).toBe(0);
  expect(await works[2]).toBe(2);
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[3]();
  expect(await works[3]).toBe(3);
  // All are finished: there is room for two again.
  const later = [gate(() => Promise.resolve(4)), gate(() => Promise.resolve(5))];
  expect(await Promise.all(later)).toEqual([4, 5]);
});
