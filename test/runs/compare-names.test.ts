import { expect, test } from "vitest";
import { compareNames } from "../../src/runs/compare-names.js";

test("sorts numbers in names by value, and never treats different names as equal", () => {
  const sorted = ["a1.png", "B1.png", "img01.png", "img1.png", "img2.png", "img10.png"];
  expect([...sorted].reverse().sort(compareNames)).toEqual(sorted);
  expect(compareNames("img1", "img1")).toBe(0);
});
