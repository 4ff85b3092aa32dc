import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inNaturalOrder } from "../../node/natural-order.js";
import { createRandom } from "../../src/random/random-stream.js";

const ordered = [
  "01/a.png",
  "01/c.png",
  "1/b.png",
  "img1/e1.png",
  "img1/é2.png",
  "img1/E3.png",
  "img1/z.png",
  "img1 b/a.png",
  "img2.png",
  "IMG3.png",
  "img10.png",
].map((path) => join(...path.split("/")));

describe("inNaturalOrder", () => {
  test("counts, keeps folders together, and does not heed capitals or accents first", () => {
    expect(inNaturalOrder(ordered.toReversed())).toEqual(ordered);
  });

  test("does not depend on the order it is given", () => {
    const random = createRandom(3, "shuffles");
    for (let round = 0; round < 20; round++) {
      const shuffled = ordered
        .map((path) => ({ path, key: random.uniform() }))
        .sort((a, b) => a.key - b.key)
        .map(({ path }) => path);
      expect(inNaturalOrder(shuffled)).toEqual(ordered);
    }
  });

  test("leaves its argument alone", () => {
    const paths = ["b", "a"];
    expect(inNaturalOrder(paths)).toEqual(["a", "b"]);
    expect(paths).toEqual(["b", "a"]);
  });
});
