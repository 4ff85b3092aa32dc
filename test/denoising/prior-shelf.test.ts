import { describe, expect, test } from "vitest";
import {
  type PriorShelf,
  keptShelf,
  nearestOf,
  priorsAmong,
} from "../../src/denoising/prior-shelf.js";
import { expectError } from "../support/expect-error.js";

describe("priorsAmong", () => {
  test("finds the files of a family by their names, the least noise first", () => {
    const paths = ["p/gdn-50.safetensors", "p/gdn-2.5.safetensors", "p/my-gdn-7.safetensors"];
    const others = ["p/guided-15.safetensors", "p/gdn-x.safetensors", "gdn-9.safetensors"];
    expect(priorsAmong([...paths, ...others], "gdn").map(({ sigma }) => sigma)).toEqual([
      2.5, 9, 50,
    ]);
  });
});

describe("nearestOf", () => {
  const priors = [10, 40].map((sigma) => ({ sigma, path: String(sigma) }));

  test("compares noise levels by their ratio", () => {
    expect(nearestOf(priors, 19).sigma).toBe(10);
    expect(nearestOf(priors, 21).sigma).toBe(40);
  });

  test("rejects an empty shelf", () => {
    expectError(() => nearestOf([], 25), { code: "invalid-argument", phrase: "no priors" });
  });
});

describe("keptShelf", () => {
  test("reads a file once, and again only after a failure", async () => {
    let reads = 0;
    const shelf = keptShelf({
      list: () => Promise.resolve([]),
      model: () => (++reads === 1 ? Promise.reject(new Error("away")) : Promise.resolve({})),
      guided: () => Promise.reject(new Error("none")),
    } as unknown as PriorShelf);
    await expect(shelf.model("a")).rejects.toThrow("away");
    expect(await shelf.model("a")).toBe(await shelf.model("a"));
    expect(reads).toBe(2);
  });
});
